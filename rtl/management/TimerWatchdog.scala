// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** Milliseconds since power-on, and the watchdog, which bites when it was not fed for WATCHDOG_LIMIT of them (at most one less, as
  * they tick by themselves). A reset of the core feeds it and gives it its first limit again; nothing switches it off.
  *
  * `bite` is one cycle long.
  */
case class TimerWatchdog(config: ManagementConfig) extends Component {
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val coreReset = in Bool ()
    val milliseconds = out(Reg(UInt(32 bits)) init 0)
    val bite = out(Reg(Bool()) init False)
  }
  private val cycles = Reg(UInt(log2Up(config.clockKilohertz + 1) bits)) init 0
  private val tick = cycles === config.clockKilohertz - 1
  cycles := tick ? U(0) | cycles + 1
  when(tick)(io.milliseconds := io.milliseconds + 1)

  private val limit = Reg(UInt(16 bits)) init config.watchdogMilliseconds
  private val hungry = Reg(UInt(16 bits)) init 0
  private val bus = Apb3SlaveFactory(io.apb)
  bus.read(io.milliseconds, REGISTER_TIMER_MILLISECONDS)
  bus.read(limit, REGISTER_WATCHDOG_LIMIT)
  io.bite := tick && hungry + 1 >= limit && !io.coreReset
  when(tick)(hungry := hungry + 1)
  bus.onWrite(REGISTER_WATCHDOG_LIMIT)(limit := io.apb.PWDATA(31 downto 16).orR ? U(0xffff) | io.apb.PWDATA(15 downto 0).asUInt)
  bus.onWrite(REGISTER_WATCHDOG_FEED)(hungry := 0)
  when(io.coreReset || io.bite) {
    limit := config.watchdogMilliseconds
    hungry := 0
  }
}
