// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** What a card has for the monitor to look at.
  *
  * @param sampleCycles cycles of the card's clock between two samples of a queue
  */
case class MonitorShape(queues: Int, sampleCycles: Int) {
  require(queues >= 1 && queues <= QUEUE_COUNT, s"$queues queues, but the management interface counts to $QUEUE_COUNT")
}

/** The firmware's way to the monitor of queues and link: it asks, and later finds the report. As LaneRegisters, it never waits. */
case class MonitorRegisters(shape: MonitorShape) extends Component {
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val ask = master(Stream(UInt(log2Up(QUEUE_COUNT) bits)))
    val report = slave(Flow(MonitorReport())) // one a request
  }
  private val bus = Apb3SlaveFactory(io.apb)
  private val busy, offered = RegInit(False)
  private val report = Reg(Bits(io.report.payload.getBitsWidth bits)) init 0
  private val shown = MonitorReport()
  shown.assignFromBits(report)

  bus.read(U(shape.queues, 32 bits), REGISTER_MONITOR_QUEUES)
  bus.read(busy, REGISTER_MONITOR_BUSY)
  private def readWide(value: UInt, low: Int, high: Int): Unit = {
    bus.read(value(31 downto 0), low)
    bus.read(value(63 downto 32), high)
  }
  readWide(shown.cycles, REGISTER_MONITOR_CYCLES_LOW, REGISTER_MONITOR_CYCLES_HIGH)
  bus.read(shown.depthPeak ## shown.depth, REGISTER_MONITOR_DEPTH)
  bus.read(shown.commands, REGISTER_MONITOR_COMMANDS)
  readWide(shown.depthCycles, REGISTER_MONITOR_DEPTH_CYCLES_LOW, REGISTER_MONITOR_DEPTH_CYCLES_HIGH)
  readWide(shown.waitingCycles, REGISTER_MONITOR_WAITING_CYCLES_LOW, REGISTER_MONITOR_WAITING_CYCLES_HIGH)
  bus.read(shown.completionsFaulted, REGISTER_MONITOR_COMPLETIONS_FAULTED)
  bus.read(shown.readsOverdue, REGISTER_MONITOR_READS_OVERDUE)
  bus.read(shown.writesFailed, REGISTER_MONITOR_WRITES_FAILED)
  bus.read(shown.completionsUnexpected, REGISTER_MONITOR_COMPLETIONS_UNEXPECTED)
  bus.read(U(shape.sampleCycles, 32 bits), REGISTER_MONITOR_SAMPLE_CYCLES)

  private val begins = False
  bus.onWrite(REGISTER_MONITOR_ASK)(begins := !busy)
  io.ask.valid := offered
  io.ask.payload := RegNextWhen(io.apb.PWDATA.asUInt.resize(io.ask.payload.getWidth bits), begins)
  when(io.ask.fire)(offered := False)
  when(io.report.valid) {
    busy := False
    report := io.report.payload.asBits
  }
  when(begins) {
    busy := True
    offered := True
  }
}
