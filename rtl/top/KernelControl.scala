// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axilite._

/** The kernel's control port: the handshake ap_ctrl_hs with a run's arguments, and the core's registers in a window above
  * them (rtl/interface/kernel.toml).
  *
  * One access at a time, every one answered OKAY. Writes with a byte strobe missing are ignored, and so are, while a run is
  * under way, writes of arguments and into the window: nothing but the run itself touches its queue. Reads are always good.
  */
case class KernelControl() extends Component {
  import Interface._

  val io = new Bundle {
    val s_axi_control = slave(AxiLite4(AxiLite4Config(addressWidth = log2Up(KERNEL_ADDRESS_BYTES), dataWidth = 32)))
    val core = master(RegisterClient())
    val start = out Bool ()
    val arguments = out(RunArguments())
    val running, done = in Bool ()
    val cause = in Bits (8 bits)
    val coreInterrupt = in Bool ()
    val interrupt = out Bool ()
  }
  require(isPow2(KERNEL_CORE_WINDOW) && KERNEL_ADDRESS_BYTES == 2 * KERNEL_CORE_WINDOW, "the window is the upper half")

  object Step extends SpinalEnum { val IDLE, CHOOSE, OWN, ASK, WAIT, ANSWER = newElement() }
  private val step = RegInit(Step.IDLE)
  private val address = Reg(UInt(log2Up(KERNEL_ADDRESS_BYTES) bits)) init 0
  private val data, answer = Reg(Bits(32 bits)) init 0
  private val writing, whole = RegInit(False)
  private val preferRead = RegInit(False) // takes turns when both kinds wait

  private val port = io.s_axi_control
  private val idle = step === Step.IDLE
  private val takeWrite = idle && port.aw.valid && port.w.valid && !(preferRead && port.ar.valid)
  private val takeRead = idle && port.ar.valid && !takeWrite
  port.aw.ready := takeWrite
  port.w.ready := takeWrite
  port.ar.ready := takeRead
  when(takeWrite || takeRead) {
    address := takeWrite ? port.aw.addr | port.ar.addr
    data := port.w.data
    whole := port.w.strb.andR
    writing := takeWrite
    preferRead := takeWrite
    step := Step.CHOOSE
  }
  private val inWindow = address >= KERNEL_CORE_WINDOW
  switch(step) {
    is(Step.CHOOSE)(step := (inWindow ? ((writing && (!whole || io.running)) ? Step.ANSWER | Step.ASK) | Step.OWN))
    is(Step.OWN)(step := Step.ANSWER)
    is(Step.ASK)(when(io.core.access.ready)(step := Step.WAIT))
    is(Step.WAIT)(when(io.core.answer.valid)(step := Step.ANSWER))
    is(Step.ANSWER)(when(writing ? port.b.ready | port.r.ready)(step := Step.IDLE))
  }
  port.b.valid := step === Step.ANSWER && writing
  port.b.resp := 0
  port.r.valid := step === Step.ANSWER && !writing
  port.r.data := answer
  port.r.resp := 0

  // The core's registers.
  io.core.access.valid := step === Step.ASK
  io.core.access.write := writing
  io.core.access.address := (address - KERNEL_CORE_WINDOW).resized
  io.core.access.data := data
  when(step === Step.WAIT && io.core.answer.valid)(answer := io.core.answer.payload)

  // The kernel's own.
  private val own = new Area {
    private def word(offset: Int): Bool = address(log2Up(KERNEL_CORE_WINDOW) - 1 downto 2) === offset / 4
    private def written(offset: Int): Bool = step === Step.OWN && writing && whole && word(offset)
    val ended = RegInit(False)
    val interruptGlobal = RegInit(False)
    val interruptEnable = Reg(Bits(3 bits)) init 0
    val pending = Reg(Bits(2 bits)) init 0 // DONE and READY
    val argumentWords: Seq[(Int, Bits)] = Seq(KERNEL_ARGUMENT_SUBMISSIONS_OFFSET, KERNEL_ARGUMENT_SUBMISSIONS_OFFSET + 4,
      KERNEL_ARGUMENT_COMPLETIONS_OFFSET, KERNEL_ARGUMENT_COMPLETIONS_OFFSET + 4, KERNEL_ARGUMENT_COUNT_OFFSET)
      .map(offset => offset -> (Reg(Bits(32 bits)) init 0))
    for ((offset, register) <- argumentWords) when(written(offset) && !io.running)(register := data)
    private val Seq(submissionsLow, submissionsHigh, completionsLow, completionsHigh, count) = argumentWords.map(_._2)
    io.arguments.submissions := (submissionsHigh ## submissionsLow).asUInt
    io.arguments.completions := (completionsHigh ## completionsLow).asUInt
    io.arguments.count := count.asUInt

    io.start := written(REGISTER_RUN_CONTROL) && data(RUN_CONTROL_START_SHIFT) && !io.running
    when(written(REGISTER_INTERRUPT_GLOBAL))(interruptGlobal := data(0))
    when(written(REGISTER_INTERRUPT_ENABLE))(interruptEnable := data(2 downto 0))
    when(written(REGISTER_INTERRUPT_STATUS))(pending := pending ^ data(1 downto 0))
    when(step === Step.OWN && !writing && word(REGISTER_RUN_CONTROL))(ended := False)
    when(io.done) { // wins over what the host clears meanwhile
      ended := True
      pending := pending | interruptEnable(1 downto 0)
    }
    val status = (io.coreInterrupt && !io.running) ## pending
    io.interrupt := RegNext(interruptGlobal && (status & interruptEnable).orR) init False

    val control = B(0, 32 bits)
    control(RUN_CONTROL_START_SHIFT) := io.running
    control(RUN_CONTROL_DONE_SHIFT) := ended
    control(RUN_CONTROL_IDLE_SHIFT) := !io.running
    control(RUN_CONTROL_READY_SHIFT) := ended
    val readable: Seq[(Int, Bits)] = Seq(REGISTER_RUN_CONTROL -> control, REGISTER_INTERRUPT_GLOBAL -> interruptGlobal.asBits,
      REGISTER_INTERRUPT_ENABLE -> interruptEnable, REGISTER_INTERRUPT_STATUS -> status, REGISTER_RUN_CAUSE -> io.cause) ++ argumentWords
    when(step === Step.OWN) {
      answer := 0
      for ((offset, value) <- readable) when(word(offset))(answer := value.resized)
    }
  }
}
