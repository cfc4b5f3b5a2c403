// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.ManagerPort
import pagepress.interface.Interface
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._
import spinal.lib.bus.amba4.axilite._

/** The kernel for AMD's XRT: a core whose commands come as runs, lists in the card's memory (`KernelFront`), or, used as an
  * IP that its user manages, by rings through the window of the control port. rtl/README.md lists every port; their names
  * are those that v++ expects.
  */
case class Kernel(config: CoreConfig) extends Component {
  Kernel.check(config)

  val io = new Bundle {
    val ap_clk, ap_rst_n = in Bool ()
    val s_axi_control = slave(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.KERNEL_ADDRESS_BYTES), dataWidth = 32)))
    val m_axi = master(Axi4(ManagerPort.axiConfig(config.readDma, config.idWidth)))
    val interrupt = out Bool ()
  }
  noIoPrefix()

  new ClockingArea(ClockDomain(io.ap_clk, io.ap_rst_n, config = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = LOW))) {
    val front = KernelFront(config.maxDepthLog2)
    val core = Core(config)
    front.io.s_axi_control << io.s_axi_control
    core.io.s_axi << front.io.m_axi_core
    io.m_axi << core.io.m_axi
    front.io.core_interrupt := core.io.interrupt.orR
    io.interrupt := front.io.interrupt
  }

  AxiLite4SpecRenamer(io.s_axi_control)
  Axi4SpecRenamer(io.m_axi)
}

object Kernel {
  /** Refuse, in one line, a core that no kernel has. */
  def check(config: CoreConfig): Unit = {
    require(config.busBytes * 8 == Interface.KERNEL_MEMORY_BITS,
      s"the kernel's bus is ${Interface.KERNEL_MEMORY_BITS / 8} bytes wide, as kernel.toml says, not ${config.busBytes}: --without pagepress_kernel leaves it out")
    require(config.engineKilohertz == 0, "the kernel's engines run on its one clock, ap_clk: --without pagepress_kernel leaves it out")
  }
}
