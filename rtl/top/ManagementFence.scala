// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.pcie.{RegisterPort, RegisterRouter}
import pagepress.interface.Interface
import pagepress.management.HostPort
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** All that stands between a card's registers and its management part, by itself, for the proof of what that cannot do. */
case class ManagementFence(patience: Int) extends Component {
  val io = new Bundle {
    val registers = slave(RegisterPort())
    val core = master(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.BAR0_BYTES), dataWidth = 32)))
    val msix = master(RegisterPort())
    val host = master(HostPort())
  }
  private val router = RegisterRouter(Some(ManagementWindow.place))
  private val window = ManagementWindow(patience)
  router.io.registers <> io.registers
  router.io.core <> io.core
  router.io.msix <> io.msix
  for (port <- router.io.window) port <> window.io.registers
  window.io.host <> io.host
}
