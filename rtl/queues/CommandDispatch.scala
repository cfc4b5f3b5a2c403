// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** What a kind's engines look like from here. */
case class EnginePorts(config: QueueConfig, count: Int) extends Bundle with IMasterSlave {
  val command = Vec(Stream(Command(config)), count)
  val idle = Bits(count bits)
  val faulty = Bits(count bits)
  override def asMaster(): Unit = {
    command.foreach(master(_))
    in(idle, faulty)
  }
}

/** Sends each checked command where it belongs: refused ones and NOPs straight to their completion, the others to wait
  * for an engine of their kind. Kinds wait apart, so a decompress command passes every compress command before it; each
  * kind has engines of its own, so neither starves. Within a kind the commands of a queue stay in order, and queues take
  * turns by their weights. Commands of a queue that was disabled meanwhile end ABORTED.
  *
  * An engine is chosen in turn, an idle one before one that can merely take a further command, a healthy one always
  * before one that has reported a fault; commands go to faulty engines only when there is no other (they answer at once).
  *
  * `ended`  completions made here
  * `left`   of these queues a command stopped waiting in the cycle before
  */
case class CommandDispatch(config: QueueConfig) extends Component {
  import config._

  val io = new Bundle {
    val checked = slave(Stream(CheckedCommand(config)))
    val queueEnabled = in Bits (queuePairs bits)
    val weights = in Vec (UInt(weightWidth bits), queuePairs)
    val compress = master(EnginePorts(config, compressors))
    val decompress = master(EnginePorts(config, decompressors))
    val ended = master(Stream(Completion(config)))
    val left = Vec.fill(CommandDispatch.exits)(master(Flow(UInt(queueWidth bits))))
    val busy = out Bool ()
  }

  private val runs = io.checked.status === Interface.STATUS_SUCCESS && io.checked.command.kind =/= CommandKind.NONE
  private val toCompress = io.checked.command.kind === CommandKind.COMPRESS
  private val routes = StreamDemux(io.checked, runs ? (toCompress ? U(1) | U(2)) | U(0), 3)

  // Each queue's share bounds what waits, so these never fill and never hold up a command of the other kind. Behind the
  // block memory a register, as it answers late in its cycle.
  private def waiting(route: Stream[CheckedCommand], kind: CommandKind.E) = {
    val commands = WaitingCommands(config, kind)
    commands.io.queueEnabled := io.queueEnabled
    commands.io.weights := io.weights
    commands.io.arriving << route.translateWith(route.command).toFlow
    commands.io.leaving.halfPipe()
  }

  private val refused = ending(routes(0).translateWith(routes(0).command), routes(0).status)
  private val (compressAborted, compressStarted) = serve(waiting(routes(1), CommandKind.COMPRESS), io.compress)
  private val (decompressAborted, decompressStarted) = serve(waiting(routes(2), CommandKind.DECOMPRESS), io.decompress)

  private def ending(command: Stream[Command], status: Bits): Stream[Completion] = {
    val ended = Stream(Completion(config))
    ended.arbitrationFrom(command)
    ended.endWithout(command.payload, status)
    ended
  }

  private def serve(commands: Stream[Command], engines: EnginePorts): (Stream[Completion], Stream[Command]) = {
    val aborts = !ofQueue(io.queueEnabled, commands.queueIndex)
    val paths = StreamDemux(commands, aborts.asUInt, 2)
    val ready = engines.command.map(_.ready).asBits()
    val healthy = engines.faulty.andR ? ready | (ready & ~engines.faulty)
    val best = (healthy & engines.idle).orR ? (healthy & engines.idle) | healthy
    val turn = Reg(Bits(engines.count bits)) init 1
    val chosen = OHMasking.roundRobin(best, turn)
    for ((engine, index) <- engines.command.zipWithIndex) {
      engine.valid := paths(0).valid && chosen(index)
      engine.payload := paths(0).payload
    }
    paths(0).ready := best.orR
    when(paths(0).fire)(turn := chosen.rotateLeft(1))
    (ending(paths(1), B(Interface.STATUS_ABORTED, 8 bits)), commands)
  }

  io.ended << StreamArbiterFactory().roundRobin.transactionLock
    .onArgs(refused.halfPipe(), decompressAborted.halfPipe(), compressAborted.halfPipe()).halfPipe()

  // A command stops waiting when it leaves its route; registered, as nothing hangs on the cycle.
  private val leaving = Seq(routes(0).fire -> routes(0).command.queueIndex,
    compressStarted.fire -> compressStarted.queueIndex, decompressStarted.fire -> decompressStarted.queueIndex)
  for ((left, (fire, of)) <- io.left.zip(leaving)) {
    left.valid := RegNext(fire) init False
    left.payload := RegNext(of)
  }

  io.busy := io.checked.valid || compressStarted.valid || decompressStarted.valid || io.ended.valid
}

object CommandDispatch {
  /** Ways on which a command stops waiting, one a cycle each: without an engine, to a compressor, to a decompressor. */
  val exits = 3
}
