// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._

/** Why and how long the core is in reset: as long as the host holds it, else 16 cycles for each cause.
  *
  * `reset` follows a cause in the next cycle. `happened` is one cycle long, when the core is let go, and `cause` then speaks of the
  * reset that ends; `bites` counts the watchdog's. While the host holds the core no other cause counts.
  */
case class CoreReset() extends Component {
  val io = new Bundle {
    val hold, bite, ask = in Bool () // by the host, the watchdog, the firmware
    val reset = out(RegInit(True))
    val happened = out Bool ()
    val cause = out(Reg(Bits(8 bits)) init RESET_CAUSE_POWER)
    val bites = out(Reg(UInt(CORE_STATUS_BITES_WIDTH bits)) init 0)
  }
  private val length = Reg(UInt(4 bits)) init 0
  io.happened := False
  when(io.reset) {
    when(!length.andR)(length := length + 1)
    when(length.andR && !io.hold) {
      io.reset := False
      io.happened := True
    }
  } otherwise {
    length := 0
    when(io.ask)(io.cause := RESET_CAUSE_FIRMWARE)
    when(io.bite)(io.cause := RESET_CAUSE_WATCHDOG)
    when(io.bite && !io.hold)(io.bites := io.bites + 1)
    when(io.ask || io.bite)(io.reset := True)
  }
  when(io.hold) {
    io.reset := True
    io.cause := RESET_CAUSE_HOST
  }
}
