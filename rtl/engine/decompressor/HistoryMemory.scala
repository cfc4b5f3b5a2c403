// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** The page so far, a byte lane a bank: any `width` neighbouring bytes are read or written at once.
  *
  * They lie in two rows, one of them even and one odd, so two memories of full rows serve as the banks of all lanes: each
  * has one address, and which of the two a lane's byte is in comes out with it. A read sees the writes of earlier
  * cycles, and its bytes come a cycle later.
  */
class HistoryMemory(pageBytes: Int, width: Int) extends Area {
  private val lanes = new Lanes(width)
  private val rowBits = log2Up(pageBytes / width)
  private val even, odd = Mem(Bits(width * 8 bits), pageBytes / width / 2)

  private def row(address: UInt): UInt = address(log2Up(width), rowBits bits)
  private def evenRow(row: UInt): UInt = (row >> 1) + row(0).asUInt // of `row` and the one behind it
  private def oddRow(row: UInt): UInt = row >> 1

  /** Lanes of `width` bytes from `address` on that lie in an odd row. */
  private def inOdd(address: UInt): Bits = {
    val first = lanes.up(lanes.of(address))
    row(address)(0) ? first | ~first
  }

  /** Writes those of the `width` bytes from `address` on that `mask` names, all by lane. */
  def write(address: UInt, data: Bits, mask: Bits, enable: Bool): Unit = {
    val odds = inOdd(address)
    even.write(evenRow(row(address)), data, enable, mask & ~odds)
    odd.write(oddRow(row(address)), data, enable, mask & odds)
  }

  /** The rows that hold the `width` bytes from `address` on, and which lanes are in the odd one. */
  def read(address: UInt): HistoryRows = {
    val rows = HistoryRows(width)
    rows.even := even.readSync(evenRow(row(address)))
    rows.odd := odd.readSync(oddRow(row(address)))
    rows.inOdd := RegNext(inOdd(address))
    rows
  }
}

case class HistoryRows(width: Int) extends Bundle {
  val even, odd = Bits(width * 8 bits)
  val inOdd = Bits(width bits)
}
