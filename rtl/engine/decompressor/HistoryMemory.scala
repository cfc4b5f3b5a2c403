// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** Whole rows in block RAM. A read's row comes a cycle later; of one that is written in the read's own cycle, anything may come. */
class RowMemory(rows: Int, bits: Int) extends Area {
  private val memory = Mem(Bits(bits bits), rows).addAttribute("ram_style", "block").addAttribute("no_rw_check")

  def write(row: UInt, data: Bits, enable: Bool): Unit = memory.write(row, data, enable)
  def read(row: UInt): Bits = memory.readSync(row)
}

/** The page so far, in rows of `width` bytes: any `width` neighbouring bytes are read at once.
  *
  * They lie in two rows, one of them even and one odd, so there are two memories, each with one address. A read's rows come two
  * cycles later; whoever reads has the bytes of a row that is written in the cycle between from elsewhere.
  */
class HistoryMemory(pageBytes: Int, width: Int, memory: (Int, Int) => RowMemory) extends Area {
  private val lanes = new Lanes(width)
  private val rowBits = log2Up(pageBytes / width)
  private val even, odd = memory(pageBytes / width / 2, width * 8)

  private def row(address: UInt): UInt = address(log2Up(width), rowBits bits)
  private def evenRow(row: UInt): UInt = (row >> 1) + row(0).asUInt // of `row` and the one behind it
  private def oddRow(row: UInt): UInt = row >> 1

  /** Lanes of `width` bytes from `address` on that lie in an odd row. */
  def inOdd(address: UInt): Bits = {
    val first = lanes.up(lanes.of(address))
    row(address)(0) ? first | ~first
  }

  /** Writes the row of `address`, and with `both` the one behind it. */
  def write(address: UInt, first: Bits, behind: Bits, enable: Bool, both: Bool): Unit = {
    val inOdd = row(address)(0)
    even.write(evenRow(row(address)), inOdd ? behind | first, enable && (!inOdd || both))
    odd.write(oddRow(row(address)), inOdd ? first | behind, enable && (inOdd || both))
  }

  /** The even and the odd row that hold the `width` bytes from `address` on. */
  def read(address: UInt): HistoryRows = {
    val rows = HistoryRows(width)
    rows.even := even.read(RegNext(evenRow(row(address))))
    rows.odd := odd.read(RegNext(oddRow(row(address))))
    rows
  }
}

case class HistoryRows(width: Int) extends Bundle {
  val even, odd = Bits(width * 8 bits)
}
