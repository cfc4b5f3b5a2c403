// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** The firmware's way to the lanes: it begins an action, and later finds the report. It never waits, so a card whose clock stands, or
  * that is in reset, holds up nobody.
  */
case class LaneRegisters(shape: LaneShape) extends Component {
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val action = master(Stream(LaneAction()))
    val report = slave(Flow(LaneReport())) // one an action
  }
  private val bus = Apb3SlaveFactory(io.apb)
  private val busy, offered = RegInit(False)
  private val report = Reg(Bits(io.report.payload.getBitsWidth bits)) init 0
  private val shown = LaneReport()
  shown.assignFromBits(report)

  private val compressors = ((BigInt(1) << shape.compressors) - 1) << shape.decompressors
  bus.read(B(compressors << LANES_PRESENT_COMPRESSORS_SHIFT | (BigInt(1) << shape.count) - 1, 32 bits), REGISTER_LANES_PRESENT)
  bus.read(U(shape.pageBytes, 32 bits), REGISTER_LANES_PAGE)
  bus.read(busy, REGISTER_LANE_BUSY)
  bus.read(shown.state, REGISTER_LANE_REPORT)
  bus.read(shown.pages, REGISTER_LANE_PAGES)
  bus.read(shown.cycles, REGISTER_LANE_CYCLES)
  bus.read(shown.resets ## shown.verifyFailures, REGISTER_LANE_TROUBLE)
  bus.read(shown.length, REGISTER_LANE_LENGTH)
  bus.read(shown.crc32c, REGISTER_LANE_CRC32C)
  bus.read(shown.detail, REGISTER_LANE_DETAIL)

  private val word = io.apb.PWDATA
  private val next = LaneAction()
  next.lane := word(LANE_ACTION_LANE_SHIFT, LANE_ACTION_LANE_WIDTH bits).asUInt
  next.action := word(LANE_ACTION_ACTION_SHIFT, LANE_ACTION_ACTION_WIDTH bits)
  next.length := word(LANE_ACTION_LENGTH_SHIFT, LANE_ACTION_LENGTH_WIDTH bits).asUInt
  private val begins = False
  bus.onWrite(REGISTER_LANE_ACTION)(begins := !busy)
  io.action.valid := offered
  io.action.payload := RegNextWhen(next, begins)
  when(io.action.fire)(offered := False)
  when(io.report.valid) {
    busy := False
    report := io.report.payload.asBits
  }
  when(begins) {
    busy := True
    offered := True
  }
}
