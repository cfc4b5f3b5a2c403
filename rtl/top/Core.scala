// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma._
import pagepress.engine.{CompressLane, DecompressLane, EngineConfig}
import pagepress.interface.Interface
import pagepress.management.{LanesPort, MonitorPort}
import pagepress.queues._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import spinal.lib.bus.amba4.axilite._

/** The card without its PCIe: an AXI4 manager, an AXI4-Lite subordinate (BAR0) and interrupt levels. rtl/README.md
  * lists every port.
  *
  * Rings are read and completions written under id 0, engine n moves its data under id 1 + n. A completion goes out only
  * after the write responses of all its data.
  *
  * @param compressLane, decompressLane what makes an engine's lane; tests put in lanes that break
  */
case class Core(
    config: CoreConfig,
    compressLane: EngineConfig => CompressLane = new CompressLane(_),
    decompressLane: EngineConfig => DecompressLane = new DecompressLane(_)
) extends Component {
  import config._

  val io = new Bundle {
    val s_axi = slave(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.BAR0_BYTES), dataWidth = 32)))
    val m_axi = master(Axi4(ManagerPort.axiConfig(readDma, idWidth, attributes)))
    val interrupt = out Bits ((if (oneInterrupt) 1 else queuePairs + 1) bits)
    val busy = out Bool ()
    val lanes = Option.when(tended)(slave(LanesPort()))
    val monitor = Option.when(tended)(slave(MonitorPort())) // of the link it knows nothing
  }
  noIoPrefix()

  /** Only where the lanes have a clock of their own: the port `engine_clk`. */
  private val engineClock = Option.when(engineKilohertz > 0)(ClockDomain.external("engine",
    withReset = false, frequency = FixedFrequency(engineKilohertz kHz)))

  val queues = QueueRoom(config.queues)
  queues.io.s_axi << io.s_axi
  io.interrupt := (if (oneInterrupt) queues.io.interrupt.orR.asBits else queues.io.interrupt)

  // Engines: those for waiting tasks first.
  val decompressUnits = Seq.fill(decompressors)(DecompressUnit(config, engineClock, decompressLane))
  val compressUnits = Seq.fill(compressors)(CompressUnit(config, engineClock, compressLane))
  val units: Seq[EngineUnit] = decompressUnits ++ compressUnits
  for ((ports, kind) <- Seq(queues.io.decompress -> decompressUnits, queues.io.compress -> compressUnits);
       (unit, index) <- kind.zipWithIndex) {
    unit.io.command << ports.command(index)
    ports.idle(index) := unit.io.idle
    ports.faulty(index) := unit.io.faulty
    unit.io.ready := queues.io.ready
  }
  for ((completion, unit) <- queues.io.completions.zip(units)) completion << unit.io.completion
  private val keeper = io.lanes.map { lanes =>
    val keeper = LaneKeeper(config)
    keeper.io.ready := queues.io.ready
    keeper.io.lanes <> lanes
    for ((care, unit) <- keeper.io.cares.zip(units); end <- unit.io.care) care <> end
    keeper
  }
  for ((port, monitor) <- io.monitor.zip(queues.io.monitor)) {
    monitor.ask << port.ask
    port.report.translateFrom(monitor.report) { (report, queue) =>
      report.assignSomeByName(queue)
      for (count <- Seq(report.completionsFaulted, report.readsOverdue, report.writesFailed, report.completionsUnexpected)) count := 0
    }
  }
  io.busy := keeper.foldLeft(queues.io.busy)(_ || _.io.busy)

  // Rings.
  val ringReader = PageReader(ringDma, lengthWidth)
  ringReader.io.job.translateFrom(queues.io.fetchJob) { (job, fetch) =>
    job.address := fetch.address
    job.length := fetch.length
  }
  queues.io.fetchData.translateFrom(ringReader.io.sink.s2mPipe()) { (word, read) =>
    word.last := read.last
    word.data := read.data
    word.fault := read.fault
  }
  val ringWriter = EntryWriter(writeDma, Interface.COMPLETION_ENTRY_BYTES)
  ringWriter.io.entry.translateFrom(queues.io.entry) { (entry, write) =>
    entry.address := write.address
    entry.data := write.data
  }
  queues.io.entryWritten << ringWriter.io.written
  queues.io.dmaIdle := ringReader.io.idle

  // One bus for all: rings and decompress units are urgent.
  private val urgent = Seq.fill(1 + decompressors)(true) ++ Seq.fill(compressors)(false)
  val reads = ReadArbiter(readDma, urgent, idWidth, attributes)
  val writes = WriteArbiter(writeDma, urgent, idWidth, attributes)
  for ((port, reader) <- reads.io.ports.zip(ringReader.io.port +: units.map(_.io.read))) port <> reader
  for ((port, writer) <- writes.io.ports.zip(ringWriter.io.port +: units.map(_.io.write))) port <> writer
  io.m_axi.ar << reads.io.axi.ar
  io.m_axi.r >> reads.io.axi.r
  io.m_axi.aw << writes.io.axi.aw
  io.m_axi.w << writes.io.axi.w
  io.m_axi.b >> writes.io.axi.b

  AxiLite4SpecRenamer(io.s_axi)
  Axi4SpecRenamer(io.m_axi)
}
