// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.pcie.{BlockPorts, PcieAdapter}
import pagepress.management.{FlashPins, LaneShape, Management, ManagementConfig, MonitorShape, SensorValue}
import spinal.core._
import spinal.lib._

/** What a board wires to the management part: a clock of its own, a system monitor, a serial flash; and what that asks of the rest. */
case class BoardPorts() extends Bundle {
  val clk = in Bool ()
  val sensor = slave(Flow(SensorValue()))
  val flash = master(FlashPins())
  val throttle = out UInt (2 bits)
}

/** The card: a core behind the AMD UltraScale+ PCIE4 integrated block, on the block's 250 MHz user clock and reset, and, if it is
  * asked for, a management part, which the host reaches by its window in BAR0, tends the core's lanes and sees what its queues and the link
  * count; nothing else of the card is wired to it.
  * rtl/README.md lists every port.
  *
  * `reset` is the management part's, too; a function-level reset is not: what it watches over is the board's.
  *
  * @param tags          reads that may be outstanding
  * @param blockBytes    bytes a cycle of the PCIe block's interface
  * @param timeoutCycles how long a completion is waited for; tests cannot wait as long as hosts may take
  * @param managed       the management part, if there is one
  */
case class Card(config: CoreConfig, tags: Int = 256, timeoutCycles: Int = 12500000, managed: Option[ManagementConfig] = None, blockBytes: Int = 64)
    extends Component {
  private val settings = config.pcie.copy(tags = tags, timeoutCycles = timeoutCycles, blockBytes = blockBytes, window = managed.map(_ => ManagementWindow.place),
    counted = managed.nonEmpty)
  val io = master(BlockPorts(blockBytes))
  noIoPrefix()
  val management = managed.map(_ => BoardPorts())
  management.foreach(_.setName("management"))

  private val adapter = PcieAdapter(settings)
  adapter.io.block <> io
  private val core = new ResetArea(adapter.io.restart, cumulative = true) { val made = Core(config.copy(tended = managed.nonEmpty)) }.made
  adapter.io.m_axi << core.io.m_axi
  core.io.s_axi << adapter.io.s_axi
  adapter.io.interrupt := core.io.interrupt

  for ((wanted, board) <- managed.zip(management); registers <- adapter.io.window) {
    val window = ManagementWindow(ManagementWindow.patience(config.clockKilohertz, wanted)).setName("window")
    val queues = config.queues
    val part = Management(wanted, LaneShape(config.compressors, config.decompressors, config.pageBytes), MonitorShape(queues.queuePairs, queues.sampleCycles)).setName("manager")
    for (lanes <- core.io.lanes) lanes <> part.io.lanes
    for (monitor <- core.io.monitor; errors <- adapter.io.linkErrors) {
      monitor.ask << part.io.monitor.ask
      val report = monitor.report.payload.copy().allowOverride() // the core's, with what only the adapter knows
      report := monitor.report.payload
      report.assignSomeByName(errors)
      part.io.monitor.report << monitor.report.translateWith(report)
    }
    window.io.registers <> registers
    part.io.host <> window.io.host
    part.io.management_clk := board.clk
    part.io.sensor << board.sensor
    board.flash <> part.io.flash
    board.throttle := part.io.throttle
  }
}
