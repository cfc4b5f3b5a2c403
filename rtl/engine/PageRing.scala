// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** A reader's side of a PageRing: one request a page, in order; `skip` lets the page go by unread. */
case class PageRingReader(width: Int) extends Bundle with IMasterSlave {
  val skip = Stream(Bool()) // taken when the page is finished with
  val page = ByteStream(width) // the page, unless skipped
  override def asMaster(): Unit = {
    master(skip)
    slave(page)
  }
}

/** Keeps the last few pages (or streams) in on-chip memory, one bank each, for readers that follow the writer.
  *
  * A bank is `reserve`d before its page is written, and is free again when the last reader is through with it; the
  * readers come in a fixed order, none ahead of the one before. A reader may follow the page that is being written,
  * two cycles behind. Nothing is cleared, but no reader gets beyond what was written for its own page.
  *
  * `write` is always ready; the writer has a reserved bank. A page longer than a bank leaves its last words in the
  * bank's last word: the writer must not count on such a page.
  *
  * @param bankBytes bytes of a bank, a power of two; @param banks a power of two
  */
class PageRing(width: Int, bankBytes: Int, banks: Int, readers: Int) extends Component {
  require(isPow2(banks) && isPow2(bankBytes), "banks and bankBytes must be powers of two")
  private val words = bankBytes / width
  private val bankBits = log2Up(banks)
  val io = new Bundle {
    val reserve = slave(Event)
    val write = slave(ByteStream(width))
    val read = Vec(slave(PageRingReader(width)), readers)
  }
  private val memory = Mem(Bits(width * 8 bits), banks * words)
  private val lastIndex = Vec.fill(banks)(Reg(UInt(log2Up(words) bits)))
  private val lastCount = Vec.fill(banks)(Reg(UInt(log2Up(width + 1) bits)))

  private val writeBank = Reg(UInt(bankBits bits)) init 0
  private val writeIndex = Reg(UInt(log2Up(words) bits)) init 0
  private val writeEnds = io.write.fire && io.write.last
  io.write.ready := True
  memory.write(writeBank @@ writeIndex, io.write.fragment.data, enable = io.write.fire)
  when(io.write.fire && !writeIndex.andR) { writeIndex := writeIndex + 1 }
  when(writeEnds) {
    lastIndex(writeBank) := writeIndex
    lastCount(writeBank) := io.write.fragment.count
    writeIndex := 0
    writeBank := writeBank + 1
  }

  private case class Slot() extends Bundle {
    val count = UInt(log2Up(width + 1) bits)
    val last = Bool()
  }
  private val finished = io.read.map { reader =>
    new Area {
      val bank = Reg(UInt(bankBits bits)) init 0
      val index = Reg(UInt(log2Up(words) bits)) init 0
      val complete = Reg(UInt(log2Up(banks + 1) bits)) init 0 // pages wholly written and not read
      val isComplete = complete =/= 0
      val atLast = index === lastIndex(bank) // counts when the page is complete
      val isLast = isComplete && atLast

      val fetch = Stream(UInt(log2Up(banks * words) bits))
      fetch.valid := reader.skip.valid && !reader.skip.payload && (isComplete || index < writeIndex)
      fetch.payload := bank @@ index
      val slot = Slot()
      slot.last := isLast
      slot.count := isLast ? lastCount(bank) | U(width)
      // Block memory answers late in its cycle; and the reader's `ready` may, so it stops at a single bit.
      val word = memory.streamReadSync(fetch, slot).m2sPipe().s2mPipe()
      reader.page.arbitrationFrom(word)
      reader.page.fragment.data := word.value
      reader.page.fragment.count := word.linked.count
      reader.page.last := word.linked.last

      val through = reader.skip.valid && isComplete && (reader.skip.payload || atLast && fetch.ready)
      reader.skip.ready := through
      when(fetch.fire) { index := index + 1 }
      when(through) {
        index := 0
        bank := bank + 1
      }
      when(writeEnds && !through) { complete := complete + 1 }
      when(through && !writeEnds) { complete := complete - 1 }
    }.through
  }

  private val used = Reg(UInt(log2Up(banks + 1) bits)) init 0
  io.reserve.ready := used =/= banks
  when(io.reserve.fire && !finished.last) { used := used + 1 }
  when(finished.last && !io.reserve.fire) { used := used - 1 }
}
