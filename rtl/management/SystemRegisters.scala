// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** What the firmware says of itself. A reset of the core takes all of it back but the heartbeat, which only counts up. */
case class CoreState() extends Bundle {
  val stage = Bits(8 bits)
  val report, version = Bits(32 bits)
  val heartbeat = UInt(32 bits)
  val throttle = UInt(2 bits)
}

/** The core's registers about itself. `ask` is one cycle long: the firmware wants the core reset. */
case class SystemRegisters(config: ManagementConfig) extends Component {
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val coreReset = in Bool ()
    val cause = in Bits (8 bits)
    val state = out(CoreState())
    val ask = out Bool ()
  }
  private val stage = Reg(Bits(8 bits)) init STAGE_RESET
  private val report, version = Reg(Bits(32 bits)) init 0
  private val heartbeat = Reg(UInt(32 bits)) init 0
  private val throttle = Reg(UInt(2 bits)) init 0
  private val bus = Apb3SlaveFactory(io.apb)
  bus.write(stage, REGISTER_SYSTEM_STAGE)
  bus.readAndWrite(report, REGISTER_SYSTEM_REPORT)
  bus.write(version, REGISTER_SYSTEM_VERSION)
  bus.onWrite(REGISTER_SYSTEM_HEARTBEAT)(heartbeat := heartbeat + 1)
  bus.read(U(config.clockKilohertz, 32 bits), REGISTER_SYSTEM_CLOCK)
  bus.read(io.cause, REGISTER_SYSTEM_CAUSE)
  bus.readAndWrite(throttle, REGISTER_SYSTEM_THROTTLE)
  io.ask := False
  bus.onWrite(REGISTER_SYSTEM_RESET)(io.ask := True)
  when(io.coreReset) {
    stage := STAGE_RESET
    report := 0
    version := 0
    throttle := 0
  }
  io.state.stage := stage
  io.state.report := report
  io.state.version := version
  io.state.heartbeat := heartbeat
  io.state.throttle := throttle
}
