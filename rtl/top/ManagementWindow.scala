// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.pcie.RegisterPort
import pagepress.interface.ManagementInterface.{MANAGEMENT_WINDOW_BYTES, MANAGEMENT_WINDOW_OFFSET}
import pagepress.management.{HostPort, ManagementConfig}
import spinal.core._
import spinal.lib._
import spinal.lib.bus.misc.SizeMapping

/** The only way between the host's registers and the management part: one access at a time, and none is waited for without end.
  *
  * An access that is not answered within `patience` cycles is overdue: its read gives 0, and until the answer comes (which is then
  * nobody's) reads give 0 at once and writes are ignored. So a management clock that stands still holds up the host's accesses to
  * other registers once, for that long. A write with a strobe missing is ignored.
  *
  * @param patience cycles of `clk`
  */
case class ManagementWindow(patience: Int) extends Component {
  require(isPow2(patience))
  val io = new Bundle {
    val registers = slave(RegisterPort())
    val host = master(HostPort())
  }
  private val open = RegInit(False) // an access was taken and is not answered
  private val offered = RegInit(False) // it is not taken on the other side either
  private val reading = RegInit(False) // somebody waits for its word
  private val age = Reg(UInt(log2Up(patience) + 1 bits)) init 0
  private val overdue = age.msb
  private val command = io.registers.command

  command.ready := !open || overdue
  when(command.fire && !open && (!command.write || command.strobe.andR)) {
    open := True
    offered := True
    reading := !command.write
  }
  io.host.access.valid := offered
  io.host.access.write := RegNextWhen(command.write, !open)
  io.host.access.address := RegNextWhen(command.address.resize(io.host.access.address.getWidth bits), !open)
  io.host.access.data := RegNextWhen(command.data, !open)
  when(io.host.access.fire)(offered := False)

  io.host.answer.ready := True
  private val answered = io.host.answer.fire && open && !offered // any other answer is not its own
  when(open && !overdue)(age := age + 1)
  when(answered) {
    open := False
    reading := False
    age := 0
  }
  when(overdue)(reading := False)

  private val answer = Flow(Bits(32 bits))
  answer.valid := reading && (answered || overdue) || overdue && command.fire && !command.write
  answer.payload := io.host.answer.payload.andMask(!overdue)
  io.registers.answer << answer.m2sPipe()
}

object ManagementWindow {
  /** Where it stands in BAR0. */
  val place: SizeMapping = SizeMapping(MANAGEMENT_WINDOW_OFFSET, MANAGEMENT_WINDOW_BYTES)

  /** Several times what an access takes, in cycles of a host's clock of `kilohertz`. */
  def patience(kilohertz: Int, management: ManagementConfig): Int = {
    val ratio = (kilohertz + management.clockKilohertz - 1) / management.clockKilohertz
    1 << log2Up(64 * ratio)
  }
}
