// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._
import spinal.lib.bus.misc.SizeMapping

/** Sends a register access to the core, to the MSI-X table and pending bits in the upper half of BAR0, or to `window`. Answers are
  * registered. A read waits until the core has answered every write before it.
  *
  * @param window bytes of the lower half that are not the core's, if any
  */
case class RegisterRouter(window: Option[SizeMapping] = None) extends Component {
  val io = new Bundle {
    val registers = slave(RegisterPort())
    val core = master(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.BAR0_BYTES), dataWidth = 32)))
    val msix = master(RegisterPort())
    val window = RegisterRouter.this.window.map(_ => master(RegisterPort()))
  }
  require(Interface.MSIX_TABLE_OFFSET == Interface.BAR0_BYTES / 2, "the MSI-X table begins the upper half of BAR0")

  private val writesOpen = Reg(UInt(3 bits)) init 0
  private val command = {
    val accesses = io.registers.command.s2mPipe() // `ready` comes from afar and moves a beat's payload
    accesses.haltWhen(accesses.write ? writesOpen.andR | writesOpen =/= 0)
  }
  private val forMsix = command.address.msb
  private val ways = StreamDemux(command,
    window.fold(forMsix.asUInt)(bytes => (!forMsix && bytes.hit(command.address)).asUInt @@ forMsix.asUInt), 2 + window.size)
  io.msix.command << ways(1)
  for (port <- io.window) port.command << ways(2)

  // AXI4-Lite: a write's address and data may be taken in any order.
  private val (reads, writes) = {
    val kinds = StreamDemux(ways(0), ways(0).write.asUInt, 2)
    (kinds(0), kinds(1))
  }
  private val (addresses, data) = StreamFork2(writes)
  when(writes.fire =/= io.core.b.fire)(writesOpen := writes.fire ? (writesOpen + 1) | (writesOpen - 1))
  io.core.ar.arbitrationFrom(reads)
  io.core.ar.addr := reads.address
  io.core.ar.prot := B"000"
  io.core.aw.arbitrationFrom(addresses)
  io.core.aw.addr := addresses.address
  io.core.aw.prot := B"000"
  io.core.w.arbitrationFrom(data)
  io.core.w.data := data.data
  io.core.w.strb := data.strobe
  io.core.r.ready := True
  io.core.b.ready := True

  private val answer = Flow(Bits(32 bits))
  answer.valid := io.core.r.valid || io.msix.answer.valid
  answer.payload := io.msix.answer.valid ? io.msix.answer.payload | io.core.r.data
  for (port <- io.window) when(port.answer.valid) {
    answer.valid := True
    answer.payload := port.answer.payload
  }
  io.registers.answer << answer.m2sPipe()
}
