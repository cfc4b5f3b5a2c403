// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** An access to a 32-bit register of the core; `data` counts for writes. */
case class RegisterAccess() extends Bundle {
  val write = Bool()
  val address = UInt(log2Up(Interface.BAR0_BYTES) bits)
  val data = Bits(32 bits)
}

/** Whoever accesses registers: each access is answered once, a write with a word of no meaning, before the next is taken. */
case class RegisterClient() extends Bundle with IMasterSlave {
  val access = Stream(RegisterAccess())
  val answer = Flow(Bits(32 bits))
  override def asMaster(): Unit = { master(access); slave(answer) }
}

/** Lets clients at the core's registers in turns, one access at a time. */
case class RegisterTurns(clients: Int) extends Component {
  val io = new Bundle {
    val clients = Vec(slave(RegisterClient()), RegisterTurns.this.clients)
    val core = master(AxiLite4(AxiLite4Config(addressWidth = log2Up(Interface.BAR0_BYTES), dataWidth = 32)))
  }
  private val arbiter = StreamArbiterFactory().roundRobin.transactionLock.build(RegisterAccess(), clients)
  (arbiter.io.inputs, io.clients).zipped.foreach(_ << _.access)

  private val open = RegInit(False) // an access waits for its answer
  private val client = RegNextWhen(arbiter.io.chosen, arbiter.io.output.fire)
  private val access = arbiter.io.output.haltWhen(open)
  private val kinds = StreamDemux(access, access.write.asUInt, 2)
  private val (addresses, data) = StreamFork2(kinds(1))
  io.core.ar.arbitrationFrom(kinds(0))
  io.core.ar.addr := access.address
  io.core.ar.prot := B"000"
  io.core.aw.arbitrationFrom(addresses)
  io.core.aw.addr := access.address
  io.core.aw.prot := B"000"
  io.core.w.arbitrationFrom(data)
  io.core.w.data := access.data
  io.core.w.strb := B"1111"
  io.core.r.ready := True
  io.core.b.ready := True

  private val answered = io.core.r.valid || io.core.b.valid
  open := access.fire || open && !answered
  for ((port, index) <- io.clients.zipWithIndex) {
    port.answer.valid := answered && client === index
    port.answer.payload := io.core.r.data
  }
}
