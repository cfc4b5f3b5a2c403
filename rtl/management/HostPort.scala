// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._

/** An access of the host to the window: a whole 32-bit word. */
case class HostAccess() extends Bundle {
  val write = Bool()
  val address = UInt(log2Up(MANAGEMENT_WINDOW_BYTES) bits)
  val data = Bits(32 bits)
}

/** The host's side of the management part: one access after the other, each answered (a write with 0). */
case class HostPort() extends Bundle with IMasterSlave {
  val access = Stream(HostAccess())
  val answer = Stream(Bits(32 bits))
  def asMaster(): Unit = { master(access); slave(answer) }
}
