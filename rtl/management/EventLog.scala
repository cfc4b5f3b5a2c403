// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import pagepress.interface.LogEntry
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** The last LOG_ENTRIES events, kept over resets of the core. Number and time of an entry are hardware's.
  *
  * `happened` (a reset of the core, for `cause`) is kept until it is written, so the firmware's entries and hardware's never
  * shut each other out; the host reads `word` of what is stored, `data` follows by a cycle.
  */
case class EventLog() extends Component {
  private val words = LOG_ENTRY_BYTES / 4
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val milliseconds = in UInt (32 bits)
    val happened = in Bool ()
    val cause = in Bits (8 bits)
    val next = out(Reg(UInt(32 bits)) init 0)
    val word = in UInt (log2Up(LOG_ENTRIES * words) bits)
    val data = out Bits (32 bits)
  }
  private val event = Reg(Bits(24 bits)) init 0
  private val bus = Apb3SlaveFactory(io.apb)
  bus.readAndWrite(event, REGISTER_LOG_EVENT)
  private val argument = Reg(Bits(32 bits)) init 0
  private val firmware, hardware = RegInit(False) // something to write
  bus.onWrite(REGISTER_LOG_ARGUMENT) {
    argument := io.apb.PWDATA
    firmware := True
  }

  private val entry = LogEntry()
  entry.number := io.next.asBits
  entry.time := io.milliseconds.asBits
  entry.code := hardware ? B(EVENT_CORE_RESET, 16 bits) | event(15 downto 0)
  entry.severity := hardware ? ((io.cause === RESET_CAUSE_WATCHDOG) ? B(SEVERITY_ERROR, 8 bits) | B(SEVERITY_INFO, 8 bits)) | event(23 downto 16)
  entry.reserved := 0
  entry.argument := hardware ? io.cause.resize(32) | argument
  private val entries = Mem(Bits(LOG_ENTRY_BYTES * 8 bits), LOG_ENTRIES)
  entries.addAttribute("ram_style", "block")
  private val write = hardware || firmware
  entries.write(io.next.resized, entry.asBits, write)
  when(write) {
    io.next := io.next + 1
    when(hardware)(hardware := False) otherwise (firmware := False)
  }
  when(io.happened)(hardware := True)

  private val row = entries.readSync(io.word >> log2Up(words))
  io.data := row.subdivideIn(32 bits)(RegNext(io.word.resize(log2Up(words))))
}
