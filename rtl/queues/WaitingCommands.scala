// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import spinal.core._
import spinal.lib._

/** Commands of one kind that wait for an engine: each queue's in their order, queues by their weights. All lie in one
  * memory, `waitingEntries` places a queue, which are a ring. What is the same in all checked commands of the kind, or means
  * nothing to it, is not kept.
  *
  * What is taken from a queue with one command was its last, which is known a cycle later; none is taken meanwhile, so that
  * they leave every second cycle.
  *
  * `arriving` a place of its queue is free
  * `leaving`  2 cycles after a command has come to where none waits
  */
case class WaitingCommands(config: QueueConfig, kind: CommandKind.E) extends Component {
  import config._

  val io = new Bundle {
    val queueEnabled = in Bits (queuePairs bits)
    val weights = in Vec (UInt(weightWidth bits), queuePairs)
    val arriving = slave(Flow(Command(config)))
    val leaving = master(Stream(Command(config)))
  }

  private case class Kept() extends Bundle {
    val queueIndex = UInt(queueWidth bits)
    val tag = Bits(32 bits)
    val source, destination = UInt(64 bits)
    val length = UInt(lengthWidth bits) // of the stream: room for it, or the source's
    val wish = Bool() // skipVerify, or checkCrc
    val expectedCrc32c = Option.when(!compresses)(Bits(32 bits))
    val cold = Option.when(config.coldFormat)(Bool())
  }
  private def compresses: Boolean = kind == CommandKind.COMPRESS

  private def keep(command: Command): Kept = {
    val kept = Kept()
    kept.queueIndex := command.queueIndex
    kept.tag := command.tag
    kept.source := command.source
    kept.destination := command.destination
    kept.length := (if (compresses) command.capacity else command.sourceLength)
    kept.wish := (if (compresses) command.skipVerify else command.checkCrc)
    kept.expectedCrc32c.foreach(_ := command.expectedCrc32c)
    for ((to, cold) <- kept.cold.zip(command.cold)) to := cold
    kept
  }

  private def restore(kept: Kept): Command = {
    val command = Command(config)
    command.queueIndex := kept.queueIndex
    command.kind := kind
    command.tag := kept.tag
    command.source := kept.source
    command.destination := kept.destination
    command.sourceLength := (if (compresses) U(pageBytes, lengthWidth bits) else kept.length)
    command.capacity := (if (compresses) kept.length else U(pageBytes, lengthWidth bits))
    command.expectedCrc32c := kept.expectedCrc32c.getOrElse(B(0, 32 bits))
    command.skipVerify := (if (compresses) kept.wish else False)
    command.checkCrc := (if (compresses) False else kept.wish)
    for ((to, cold) <- command.cold.zip(kept.cold)) to := cold
    command
  }

  private val placeWidth = log2Up(waitingEntries)
  private val commands = Mem(Kept(), queuePairs * waitingEntries)
  private val heads, tails = Mem(UInt(placeWidth bits), queuePairs max 2) // of the rings; they mean nothing while none waits
  private val waiting = Reg(Bits(queuePairs bits)) init 0
  private val first = Reg(Bits(queuePairs bits)) init 0 // the head is at place 0, where a queue begins when none waited
  private def address(queue: UInt, place: UInt): UInt = (queue @@ place).resize(log2Up(queuePairs * waitingEntries))

  private val owner = io.arriving.queueIndex
  private val arrives = UIntToOh(owner, queuePairs).andMask(io.arriving.valid)
  private val last = tails.readAsync(owner).andMask(ofQueue(waiting, owner))
  commands.write(address(owner, last), keep(io.arriving.payload), io.arriving.valid)
  tails.write(owner, last + 1, io.arriving.valid)

  private val turns = WeightedTurns(config)
  turns.io.waiting := waiting
  turns.io.enabled := io.queueEnabled
  turns.io.weights := io.weights
  private val chosen = turns.io.chosen
  private val queue = OHToUInt(chosen).resize(queueWidth)
  private val next = heads.readAsync(queue).andMask(!(chosen & first).orR)

  private val choice = Stream(UInt(log2Up(queuePairs * waitingEntries) bits))
  private val taken = RegNext(choice.fire) init False // in the last cycle; of which queue, and where its head is now
  private val takenQueue = RegNext(queue)
  private val takenOwner = RegNext(chosen)
  private val takenHead = RegNext(next + 1)
  choice.valid := chosen.orR && !taken
  choice.payload := address(queue, next)
  turns.io.take := choice.fire
  heads.write(queue, next + 1, choice.fire)

  private val emptied = takenOwner.andMask(taken && tails.readAsync(takenQueue) === takenHead)
  waiting := waiting & ~emptied | arrives
  first := first & ~chosen.andMask(choice.fire) | arrives & ~waiting

  io.leaving << commands.streamReadSync(choice).map(restore)
}
