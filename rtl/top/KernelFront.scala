// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** All of the kernel but the core: its control port, and the runs that it carries out by the core's registers.
  *
  * @param maxDepthLog2 log2 of the core's deepest ring
  */
case class KernelFront(maxDepthLog2: Int) extends Component {
  val io = new Bundle {
    val s_axi_control = slave(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.KERNEL_ADDRESS_BYTES), dataWidth = 32)))
    val m_axi_core = master(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.BAR0_BYTES), dataWidth = 32)))
    val core_interrupt = in Bool ()
    val interrupt = out Bool ()
    val running = out Bool () // a run is under way
  }
  noIoPrefix()

  private val control = KernelControl()
  private val sequencer = RunSequencer(maxDepthLog2)
  private val turns = RegisterTurns(2)
  control.io.s_axi_control << io.s_axi_control
  turns.io.clients(0) <> sequencer.io.core
  turns.io.clients(1) <> control.io.core
  io.m_axi_core << turns.io.core

  sequencer.io.start := control.io.start
  sequencer.io.arguments := control.io.arguments
  control.io.running := sequencer.io.running
  control.io.done := sequencer.io.done
  control.io.cause := sequencer.io.cause
  control.io.coreInterrupt := io.core_interrupt
  io.interrupt := control.io.interrupt
  io.running := sequencer.io.running

  AxiLite4SpecRenamer(io.s_axi_control)
  AxiLite4SpecRenamer(io.m_axi_core)
}
