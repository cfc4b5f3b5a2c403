// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma._
import pagepress.engine._
import pagepress.interface.Interface
import pagepress.queues._
import spinal.core._
import spinal.lib._

/** A command inside a unit. */
case class Begun(config: CoreConfig) extends Bundle {
  val command = Command(config.queues)
  val cycle = UInt(32 bits) // when it was dispatched
}

/** What the lane and the reader say of a command. */
case class Ran(config: CoreConfig, engine: EngineConfig) extends Bundle {
  val begun = Begun(config)
  val result = LaneResult(engine)
  val readFault = Bool()
}

/** One engine with a reader and a writer of its own: runs commands one behind the other, overlapping the reading of the
  * next page with the work on this one and the writing of the former.
  *
  * `command`    taken while fewer than `inside` are in the unit
  * `completion` one a command, in order, only when all its data is in memory
  * `idle`       no command in the unit, nothing outstanding on the bus
  * `faulty`     the engine has given a page up as ENGINE_FAULT since `ready` was last low, or it was cured
  * `care`       what the keeper of the lanes does to it, where there is one
  *
  * @param engineClock the lane's clock; none: that of all the rest
  * @param inside      page being read, page in the lane, page verified, page written; or more, where one takes the lane long
  */
abstract class EngineUnit(config: CoreConfig, engine: EngineConfig, engineClock: Option[ClockDomain], protected val inside: Int = 4) extends Component {
  val io = new Bundle {
    val ready = in Bool () // STATUS.READY
    val command = slave(Stream(Command(config.queues)))
    val completion = master(Stream(Completion(config.queues)))
    val read = master(ReadPort(config.readDma))
    val write = master(WritePort(config.writeDma))
    val idle = out Bool ()
    val faulty = out(RegInit(False))
    val care = Option.when(config.tended)(slave(LaneCare(config.seenFromBus(engine))))
  }

  private val seen = config.seenFromBus(engine)
  protected val reader: PageReader = PageReader(config.readDma.copy(streamBytes = seen.streamBytes), config.lengthWidth)
  protected val writer: StreamWriter = StreamWriter(config.writeDma.copy(streamBytes = seen.streamBytes), config.lengthWidth)
  reader.io.port <> io.read
  writer.io.port <> io.write

  private val held = Reg(UInt(log2Up(inside + 1) bits)) init 0
  held := held + U(io.command.fire) - U(io.completion.fire)
  io.idle := held === 0 && reader.io.idle && writer.io.idle
  protected val cycle: UInt = Reg(UInt(32 bits)) init 0
  cycle := cycle + 1

  /** A lane starts afresh with the card: it is held in reset while READY is low. Not earlier, as commands may still be on
    * their way here in the cycles after a disable.
    */
  protected val afresh: Bool = io.care.map(_.renew).foldLeft(!io.ready)(_ || _)
  private val stopped = RegNext(afresh) init True
  stopped.addAttribute("max_fanout", EngineUnit.loads) // it resets all of a lane
  private val laneReset = Bool()

  /** The lane's clock before anything stops it. */
  private val running = engineClock.getOrElse(ClockDomain.current)

  /** Stops the lane's clock some time after the last page has left: by then what is dropped inside the lane has mostly left, too. It
    * runs in time for a command and for a reset.
    */
  private val stop = Option.when(config.gated) {
    val linger = Reg(UInt(8 bits)) init 255
    val inUse = io.command.valid || !io.idle || afresh =/= stopped || io.care.map(_.testing).getOrElse(False)
    when(inUse)(linger := linger.maxValue) elsewhen (linger =/= 0)(linger := linger - 1)
    val clock = LaneClock(ClockDomain.current, engineClock)
    clock.io.wanted := inUse || linger =/= 0
    clock.io.laneReset := laneReset
    Clock.syncDrive(running.clock, clock.io.gated)
    clock
  }

  /** Where to build the lane. */
  protected val laneClock: ClockDomain =
    ChipConfig.resetBy(stop.fold(running)(clock => ClockDomain(clock.io.gated, config = running.config, frequency = running.frequency)), laneReset)

  /** `stream`, on which nothing passes in a cycle in which the lane's clock stands. */
  private def whileRunning[T <: Data](stream: Stream[T]): Stream[T] = stop.fold(stream)(clock => stream.continueWhen(clock.io.run))

  /** The lane's streams as this unit may use them.
    *
    * @param testing the command of a test
    */
  protected def attach[Command <: Data](lane: LaneIo[Command])(testing: Command => Unit): LaneIo[Command] =
    io.care.fold(cross(lane)) { care =>
      val gate = LaneGate(seen, lane.newCommand)
      gate.io.testing := care.testing
      val (far, test) = (cross(lane), gate.io.test)
      far.command << gate.io.lane.command
      far.source << gate.io.lane.source
      gate.io.lane.result << far.result
      gate.io.lane.sink << far.sink
      test.command.arbitrationFrom(care.test.command)
      testing(test.command.payload)
      test.source << care.test.source
      care.test.result << test.result
      care.test.sink << test.sink
      gate.io.host
    }

  private def cross[Command <: Data](lane: LaneIo[Command]): LaneIo[Command] = engineClock match {
    case None =>
      laneReset := stopped // set by the reset as well
      stop.fold(lane) { _ =>
        val shown = LaneIo(lane.config, lane.newCommand)
        lane.command << whileRunning(shown.command)
        lane.source << whileRunning(shown.source)
        shown.result << whileRunning(lane.result)
        shown.sink << whileRunning(lane.sink)
        shown
      }
    case Some(clock) =>
      val crossing = LaneCrossing(clock, seen, lane.newCommand)
      crossing.io.stopped := stopped
      laneReset := crossing.io.laneReset
      val far = crossing.io.lane
      lane.command << whileRunning(far.command)
      far.result << whileRunning(lane.result)
      laneClock {
        lane.source << StreamWidth.adapt(whileRunning(far.source), seen.streamBytes, lane.config.streamBytes)
        far.sink << whileRunning(StreamWidth.adapt(lane.sink, lane.config.streamBytes, seen.streamBytes))
      }
      crossing.io.bus
  }

  private val isolated = io.care.fold(False)(_.isolated)
  protected val command: Stream[Command] = io.command.haltWhen(held === inside || isolated).halfPipe()

  /** Have `from` read. */
  protected def read(from: Stream[Command]): Unit = {
    reader.io.job.arbitrationFrom(from)
    reader.io.job.address := from.source
    reader.io.job.length := from.sourceLength
  }

  /** Where `from` wants its output. */
  protected def destination(from: Stream[Command]): Stream[Transfer] = {
    val job = Stream(Transfer(config.lengthWidth))
    job.arbitrationFrom(from)
    job.address := from.destination
    job.length := from.capacity
    job
  }

  /** The reader's pages for the lane; whether each was read well comes out of the second stream. */
  protected def feed(source: Stream[Fragment[PackedBytes]]): Stream[Bool] = {
    source.arbitrationFrom(reader.io.sink)
    source.last := reader.io.sink.last
    source.data := reader.io.sink.data
    source.count := reader.io.sink.count
    val faults = StreamFifo(Bool(), inside, latency = 1)
    faults.io.push.valid := source.fire && source.last
    faults.io.push.payload := reader.io.sink.fault
    faults.io.pop
  }

  /** The lane's streams for the writer. */
  protected def drain(sink: Stream[Fragment[PackedBytes]]): Unit = {
    writer.io.source.arbitrationFrom(sink)
    writer.io.source.last := sink.last
    writer.io.source.data := sink.data
    writer.io.source.count := sink.count
    writer.io.source.fault := False
  }

  /** Join what is known of each command. Results are taken at once: a lane may still be draining the page's source. */
  protected def join(begun: Stream[Command], result: Stream[LaneResult], faults: Stream[Bool]): Stream[Ran] = {
    val stamped = Stream(Begun(config))
    stamped.arbitrationFrom(begun)
    stamped.command := begun.payload
    stamped.cycle := cycle
    val waiting = stamped.queueLowLatency(inside, latency = 1)
    val results = result.queueLowLatency(inside, latency = 1)
    val (given, status) = (RegNext(result.fire) init False, RegNext(result.status)) // which comes late in its cycle
    for (care <- io.care) when(care.cured)(io.faulty := False)
    // A fault in the cycle of a cure is a new one: nothing of the host's was in the lane that has been proven.
    when(given && status === Interface.STATUS_ENGINE_FAULT)(io.faulty := True)
    when(!io.ready)(io.faulty := False)
    for (care <- io.care) {
      care.idle := io.idle
      care.faulty := io.faulty
      care.ended.valid := given
      care.ended.payload := status
    }

    val ran = Stream(Ran(config, engine))
    ran.valid := waiting.valid && results.valid && faults.valid
    for (part <- Seq(waiting, results, faults)) part.ready := ran.fire
    ran.begun := waiting.payload
    ran.result := results.payload
    ran.readFault := faults.payload
    ran
  }

  /** The completion of `ran`, as far as it is known before the writing. A page that was not read well is no result. */
  protected def judge(ran: Ran): Completion = {
    val end = Completion(config.queues)
    end.endWithout(ran.begun.command, B(Interface.STATUS_READ_FAULT, 8 bits), cycle - ran.begun.cycle)
    when(!ran.readFault) {
      end.status := ran.result.status
      end.producedLength := ran.result.length
      end.crc32c := ran.result.crc32c
      end.detail := ran.result.detail
    }
    end
  }

  /** Let what the writing met count, and leave. */
  protected def finish(end: Stream[Completion], written: WriteResult): Unit = {
    val finished = Stream(Completion(config.queues))
    finished.arbitrationFrom(end)
    finished.payload := end.payload
    when(written.fault || written.overrun) {
      // The lane knows the limit: more than that is a broken contract, though the writer has let nothing through.
      when(end.status === Interface.STATUS_SUCCESS) {
        finished.status := written.overrun ? B(Interface.STATUS_ENGINE_FAULT, 8 bits) | B(Interface.STATUS_WRITE_FAULT, 8 bits)
      }
      finished.producedLength := 0
      finished.detail := 0
      finished.crc32c := 0
    }
    io.completion << finished.halfPipe()
  }
}

object EngineUnit {
  /** What one copy of a lane's reset may drive, as constraints/boards has it for a lane on a clock of its own. */
  val loads: Int = 500
}
