// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** Everything between software's rings and the engines: registers, queue pairs, fetch, check, dispatch, completion.
  *
  * `fetchJob`, `fetchData`  reads of submission rings
  * `entry`, `entryWritten`  writes of completion entries
  * `compress`, `decompress` commands out to the engines; `completions` their ends, in any order
  * `interrupt`              a level a vector
  * `busy`                   something will happen without anybody doing anything from outside
  */
case class QueueRoom(config: QueueConfig) extends Component {
  import Interface._
  import config._

  val io = new Bundle {
    val s_axi = slave(AxiLite4(AxiLite4Config(addressWidth = log2Up(BAR0_BYTES), dataWidth = 32)))
    val fetchJob = master(Stream(FetchJob(config)))
    val fetchData = slave(Stream(Fragment(FetchWord(fetchBytes))))
    val entry = master(Stream(EntryWrite()))
    val entryWritten = slave(Flow(Bool()))
    val compress = master(EnginePorts(config, compressors))
    val decompress = master(EnginePorts(config, decompressors))
    val completions = Vec(slave(Stream(Completion(config))), compressors + decompressors)
    val dmaIdle = in Bool ()
    val ready = out Bool () // STATUS.READY: low means that nothing at all is in flight
    val interrupt = out Bits (queuePairs + 1 bits)
    val busy = out Bool ()
    val monitor = Option.when(monitored)(new Bundle {
      val ask = slave(Flow(UInt(6 bits)))
      val report = master(Flow(QueueReport()))
    })
  }

  private val registers = RegisterFile(config)
  private val pairs = QueuePairs(config)
  private val push = SubmissionPush(config)
  private val fetch = SubmissionFetch(config)
  private val check = CommandCheck(config)
  private val dispatch = CommandDispatch(config)
  private val writer = CompletionWriter(config)
  private val monitor = Option.when(monitored)(QueueMonitor(config))
  private val counters = Counters(widest = lengthWidth)

  // Registers to queues, and back.
  registers.io.s_axi << io.s_axi
  io.ready := registers.io.card.ready
  pairs.io.cardEnabled := registers.io.card.enabled
  pairs.io.cardStopped := registers.io.card.stopped
  registers.io.queuesCleared := pairs.io.cleared
  pairs.io.accessed := registers.io.queueAccessed
  pairs.io.write << registers.io.queueWrite
  pairs.io.submissionDoorbell << registers.io.submissionDoorbell
  pairs.io.completionDoorbell << registers.io.completionDoorbell
  pairs.io.readOffset := registers.io.queueOffset
  registers.io.queueData := pairs.io.readData

  fetch.io.wants := pairs.io.wants
  fetch.io.look <> pairs.io.fetch
  fetch.io.fetchFailed := pairs.io.fetchFailed
  push.io.wants := pairs.io.wants
  push.io.running := pairs.io.running
  push.io.enabled := pairs.io.enabled
  push.io.look <> pairs.io.push
  pairs.io.reserve << fetch.io.reserve
  pairs.io.arrived << fetch.io.arrived

  dispatch.io.queueEnabled := pairs.io.enabled
  dispatch.io.weights := pairs.io.weights
  for ((left, of) <- pairs.io.left.zip(dispatch.io.left)) left << of

  writer.io.look <> pairs.io.completion
  pairs.io.claim << writer.io.claim
  pairs.io.written << writer.io.written

  // The path of a command.
  push.io.write << registers.io.push
  push.io.reserved << fetch.io.reserve
  fetch.io.pushed << push.io.entry
  io.fetchJob << fetch.io.job
  fetch.io.data << io.fetchData
  check.io.entry << fetch.io.entry
  dispatch.io.checked << check.io.checked
  io.compress <> dispatch.io.compress
  io.decompress <> dispatch.io.decompress
  // Registers before the choice: ends come from all over the chip.
  private val ends = (io.completions :+ dispatch.io.ended).map(_.halfPipe())
  writer.io.completion << StreamArbiterFactory().roundRobin.transactionLock.on(ends).halfPipe()
  io.entry << writer.io.entry
  writer.io.response << io.entryWritten

  // State of the whole.
  private val engineBusy = !io.compress.idle.andR || !io.decompress.idle.andR
  private val moving = fetch.io.busy || dispatch.io.busy || writer.io.busy || engineBusy || !io.dmaIdle
  registers.io.quiet := !pairs.io.active && !moving
  // The account, not what moves: between two rooms a command is in neither for a cycle.
  registers.io.working := RegNext(pairs.io.working) init False
  // When every engine of a kind has faulted, its commands could only fail: the card stops and says so.
  registers.io.fatal.valid := io.compress.faulty.andR || io.decompress.faulty.andR
  registers.io.fatal.payload := FATAL_ENGINE_STUCK

  private val events = pairs.io.errors.orR || registers.io.card.stopped
  io.interrupt := RegNext(pairs.io.interrupt ## events) init 0

  // Registers settle some cycles after their causes; only a longer calm counts as such.
  private val stirring = RegNext(moving || registers.io.busy || pairs.io.busy || monitor.map(_.io.busy).orR) init False
  private val calm = Reg(UInt(4 bits)) init 0
  when(stirring)(calm := 0) elsewhen (!calm.andR)(calm := calm + 1)
  io.busy := stirring || !calm.andR

  for ((port, monitor) <- io.monitor.zip(monitor)) {
    pairs.io.load.foreach(monitor.io.look <> _)
    for ((left, of) <- monitor.io.left.zip(dispatch.io.left)) left << of
    monitor.io.ask << port.ask
    port.report << monitor.io.report
  }

  // Counters.
  private val ended = writer.io.ended.payload
  private def endedAs(kind: CommandKind.E, status: Int): Bool =
    writer.io.ended.valid && ended.kind === kind && ended.status === status
  private def endedIn(statuses: Seq[Int]): Bool = writer.io.ended.valid && statuses.map(ended.status === _).orR
  private val compressed = endedAs(CommandKind.COMPRESS, STATUS_SUCCESS)
  private val decompressed = endedAs(CommandKind.DECOMPRESS, STATUS_SUCCESS)
  private val raised = io.interrupt & ~(RegNext(io.interrupt) init 0)

  private def once(event: Bool): UInt = U(event).resize(lengthWidth)
  private def bytes(event: Bool, length: UInt): UInt = event ? length.resize(lengthWidth) | U(0)
  private val growth: Map[Int, UInt] = Map(
    COUNTER_CYCLES -> once(registers.io.card.enabled),
    COUNTER_COMMANDS -> once(fetch.io.arrived.valid && !fetch.io.arrived.value),
    COUNTER_COMPLETIONS -> once(writer.io.claim.valid && !writer.io.claim.value),
    COUNTER_INTERRUPTS -> CountOne(raised).resize(lengthWidth),
    COUNTER_DOORBELLS -> once(pairs.io.doorbellTaken),
    COUNTER_PAGES_COMPRESSED -> once(compressed),
    COUNTER_PAGES_SAME_FILLED -> once(endedAs(CommandKind.COMPRESS, STATUS_SAME_FILLED)),
    COUNTER_PAGES_INCOMPRESSIBLE -> once(endedAs(CommandKind.COMPRESS, STATUS_INCOMPRESSIBLE)),
    COUNTER_PAGES_DECOMPRESSED -> once(decompressed),
    COUNTER_COMPRESS_BYTES_IN -> bytes(compressed, ended.sourceLength),
    COUNTER_COMPRESS_BYTES_OUT -> bytes(compressed, ended.producedLength),
    COUNTER_DECOMPRESS_BYTES_IN -> bytes(decompressed, ended.sourceLength),
    COUNTER_DECOMPRESS_BYTES_OUT -> bytes(decompressed, ended.producedLength),
    COUNTER_COMPRESS_BUSY_CYCLES -> once(!io.compress.idle.andR),
    COUNTER_DECOMPRESS_BUSY_CYCLES -> once(!io.decompress.idle.andR),
    COUNTER_VERIFY_FAILURES -> once(endedAs(CommandKind.COMPRESS, STATUS_VERIFY_FAILED)),
    COUNTER_COMMANDS_REFUSED -> once(endedIn(refusedStatuses)),
    COUNTER_COMMANDS_FAILED -> once(endedIn(failedStatuses)),
    COUNTER_COMMANDS_PUSHED -> once(push.io.entry.fire))
  require(growth.keySet == (0 until COUNTER_COUNT).toSet, "every counter of the interface needs its event here")
  for ((counter, add) <- growth) counters.io.add(counter) := add
  counters.io.word := registers.io.counterWord
  registers.io.counterData := counters.io.data
}
