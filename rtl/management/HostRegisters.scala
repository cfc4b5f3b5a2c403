// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._

/** Decodes the host's window. An access is taken only when the one before has been answered; a read is answered three cycles later.
  *
  * `hold` follows CORE_CONTROL.HOLD. `logData`, `responseData` and `telemetryData` follow their words by a cycle; `telemetryTake` is one cycle long.
  */
case class HostRegisters() extends Component {
  val io = new Bundle {
    val host = slave(HostPort())
    val hold = out(RegInit(False))
    val coreReset = in Bool ()
    val cause = in Bits (8 bits)
    val bites = in UInt (CORE_STATUS_BITES_WIDTH bits)
    val state = in(CoreState())
    val milliseconds = in UInt (32 bits)
    val bufferWrite = master(Flow(BufferWrite()))
    val send = master(Flow(Bits(32 bits)))
    val mailboxState = in Bits (MAILBOX_STATUS_STATE_WIDTH bits)
    val responseLength = in UInt (MAILBOX_STATUS_LENGTH_WIDTH bits)
    val responseWord = out UInt (log2Up(MAILBOX_BYTES / 4) bits)
    val responseData = in Bits (32 bits)
    val logNext = in UInt (32 bits)
    val logWord = out UInt (log2Up(LOG_ENTRIES * LOG_ENTRY_BYTES / 4) bits)
    val logData = in Bits (32 bits)
    val telemetryTake = out Bool ()
    val telemetrySequence = in UInt (32 bits)
    val telemetryWord = out UInt (log2Up(MANAGEMENT_WINDOW_BYTES / 4) bits)
    val telemetryData = in Bits (32 bits)
  }
  private object Step extends SpinalEnum { val IDLE, DECODE, CHOOSE, DONE = newElement() }
  private val step = RegInit(Step.IDLE)
  private val access = RegNextWhen(io.host.access.payload, io.host.access.fire)
  private def within(base: Int, bytes: Int): Bool = {
    require(isPow2(bytes) && base % bytes == 0)
    (access.address >> log2Up(bytes)) === base / bytes
  }
  private val inRequest = within(MAILBOX_REQUEST_OFFSET, MAILBOX_BYTES)
  private val inResponse = within(MAILBOX_RESPONSE_OFFSET, MAILBOX_BYTES)
  private val inLog = within(LOG_OFFSET, LOG_ENTRIES * LOG_ENTRY_BYTES)
  private val inTelemetry = access.address >= TELEMETRY_OFFSET
  private val inRegisters = within(MANAGEMENT_BASE, MAILBOX_REQUEST_OFFSET)
  private val word = access.address(access.address.high downto 2)
  private def at(register: Int): Bool = inRegisters && access.address(7 downto 2) === register / 4

  io.host.access.ready := step === Step.IDLE
  when(io.host.access.fire)(step := Step.DECODE)
  private val writing = step === Step.DECODE && access.write
  io.bufferWrite.valid := writing && inRequest
  io.bufferWrite.word := word.resized
  io.bufferWrite.data := access.data
  io.send.valid := writing && at(REGISTER_MAILBOX_SEND)
  io.send.payload := access.data
  when(writing && at(REGISTER_CORE_CONTROL))(io.hold := access.data(CORE_CONTROL_HOLD_SHIFT))
  io.responseWord := word.resized
  io.logWord := word.resized
  io.telemetryTake := writing && at(REGISTER_TELEMETRY_TAKE)
  io.telemetryWord := word
  when(step === Step.DECODE)(step := Step.CHOOSE)

  private val running = !io.coreReset
  private val coreStatus = B(0, 32 bits)
  coreStatus(CORE_STATUS_STAGE_SHIFT, CORE_STATUS_STAGE_WIDTH bits) := running ? io.state.stage | B(STAGE_RESET, 8 bits)
  coreStatus(CORE_STATUS_CAUSE_SHIFT, CORE_STATUS_CAUSE_WIDTH bits) := io.cause
  coreStatus(CORE_STATUS_BITES_SHIFT, CORE_STATUS_BITES_WIDTH bits) := io.bites.asBits
  private val mailboxStatus = B(0, 32 bits)
  mailboxStatus(MAILBOX_STATUS_STATE_SHIFT, MAILBOX_STATUS_STATE_WIDTH bits) := io.mailboxState
  mailboxStatus(MAILBOX_STATUS_LENGTH_SHIFT, MAILBOX_STATUS_LENGTH_WIDTH bits) := io.responseLength.asBits
  private def whileRunning(value: Bits): Bits = running ? value | B(0, value.getWidth bits)
  private val registers = RegNext((access.address(7 downto 2) @@ U(0, 2 bits)).mux(
    U(REGISTER_MANAGEMENT_MAGIC) -> B(MANAGEMENT_MAGIC_VALUE, 32 bits),
    U(REGISTER_MANAGEMENT_VERSION) -> B(MANAGEMENT_INTERFACE_VERSION_VALUE, 32 bits),
    U(REGISTER_CORE_CONTROL) -> (io.hold.asBits.resize(32) |<< CORE_CONTROL_HOLD_SHIFT),
    U(REGISTER_CORE_STATUS) -> coreStatus,
    U(REGISTER_HEARTBEAT) -> io.state.heartbeat.asBits,
    U(REGISTER_BOOT_REPORT) -> whileRunning(io.state.report),
    U(REGISTER_FIRMWARE_VERSION) -> whileRunning(io.state.version),
    U(REGISTER_MAILBOX_STATUS) -> mailboxStatus,
    U(REGISTER_LOG_NEXT) -> io.logNext.asBits,
    U(REGISTER_UPTIME) -> io.milliseconds.asBits,
    U(REGISTER_THROTTLE) -> whileRunning(io.state.throttle.asBits).resize(32),
    U(REGISTER_TELEMETRY_SEQUENCE) -> io.telemetrySequence.asBits,
    default -> B(0, 32 bits)))
  private val answer = Reg(Bits(32 bits)) init 0
  when(step === Step.CHOOSE) {
    answer := 0
    when(inRegisters)(answer := registers)
    when(inResponse)(answer := io.responseData)
    when(inLog)(answer := io.logData)
    when(inTelemetry)(answer := io.telemetryData)
    when(access.write)(answer := 0)
    step := Step.DONE
  }
  io.host.answer.valid := step === Step.DONE
  io.host.answer.payload := answer
  when(io.host.answer.fire)(step := Step.IDLE)
}
