// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** The telemetry page, three times: the one that the host is shown, the newest that was published, and the one that the firmware writes.
  *
  * Publishing makes the written one the newest, taking shows the newest, and neither ever touches what is shown otherwise. So whoever reads
  * the page sees one whole snapshot for as long as nobody takes another, whatever the firmware does meanwhile: publish, write half of a page,
  * hang, be reset. `sequence` tells a reader that another one has taken. All of it outlives a reset of the core.
  *
  * `take`  show the newest from the next cycle on
  * `word`  of the page, counted from the window's beginning; `data` follows by a cycle
  */
case class TelemetryPage() extends Component {
  private val wordWidth = log2Up(MANAGEMENT_WINDOW_BYTES / 4)
  require(TELEMETRY_OFFSET + TELEMETRY_PAGE_BYTES == MANAGEMENT_WINDOW_BYTES, "the page ends with the window")
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val take = in Bool ()
    val sequence = out(Reg(UInt(32 bits)) init 0)
    val word = in UInt (wordWidth bits)
    val data = out Bits (32 bits)
  }
  private val shown = Reg(UInt(2 bits)) init 0
  private val newest = Reg(UInt(2 bits)) init 0
  private val written = Reg(UInt(2 bits)) init 1
  private val published = Reg(UInt(32 bits)) init 0
  private val pages = Mem(Bits(32 bits), 3 << wordWidth)
  pages.addAttribute("ram_style", "block")
  io.data := pages.readSync(shown @@ io.word)

  private val bus = Apb3SlaveFactory(io.apb)
  bus.read(published, REGISTER_TELEMETRY_PUBLISH)
  private val isWrite = io.apb.PSEL(0) && io.apb.PENABLE && io.apb.PREADY && io.apb.PWRITE
  private val inPage = io.apb.PADDR >= TELEMETRY_OFFSET
  pages.write(written @@ (io.apb.PADDR >> 2), io.apb.PWDATA, isWrite && inPage)

  private val publish = False
  bus.onWrite(REGISTER_TELEMETRY_PUBLISH)(publish := True)
  // Both in one cycle: what is taken is what was the newest before, and what is written next is neither.
  private val shownNext = io.take ? newest | shown
  when(io.take) {
    shown := newest
    io.sequence := published
  }
  when(publish) {
    newest := written
    published := published + 1
    written := (0 until 3).map(page => (page =/= written && page =/= shownNext) ? U(page, 2 bits) | U(0, 2 bits)).reduce(_ | _)
  }
}
