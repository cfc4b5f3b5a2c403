// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, PackedBytes}

/** The stretch of a stream that is being parsed: two words, and a position in the first.
  *
  * While `ready`, `bytes` shows the `width` bytes from `position` on; only those before `streamEnd` are the page's.
  * A stream goes on past the window (`streamEnd` all ones) or ends in it; words of the next page may be held behind
  * the one that ends this page, but are never shown. The user either advances by up to `width` bytes, never past
  * `streamEnd`, or drops the first word, which after `firstIsLast` opens the next page at position 0.
  */
class StreamWindow(source: Stream[Fragment[PackedBytes]], width: Int) extends Area {
  private val positionWidth = log2Up(2 * width) + 1
  private val low, high = Reg(cloneOf(source.payload))
  private val lowValid, highValid = RegInit(False)

  /** Byte in the first word; `width` only at the end of a full last word. */
  val position = Reg(UInt(positionWidth bits)) init 0

  val firstIsLast = low.last
  val ready = lowValid && (low.last || highValid)

  /** Where the page's stream ends, counted as `position` is; all ones when that is not in sight. */
  val streamEnd = UInt(positionWidth bits)
  streamEnd.setAll()
  when(low.last) {
    streamEnd := low.count.resized
  } elsewhen (high.last) {
    streamEnd := width + high.count.resize(positionWidth)
  }

  /** At least five bytes, asked at the page's first word: shorter streams have no version header. */
  val fiveBytes = !low.last || low.count >= 5

  val bytes: Vec[Bits] = {
    val both = (high.data ## low.data).subdivideIn(8 bits)
    val lowBits = position(log2Up(width) - 1 downto 0)
    Vec((0 until width).map(i => Vec((0 until width).map(p => both(i + p))).read(lowBits)))
  }

  /** Ask for the bytes before `position` + `count` to go; with `dropFirst` instead the whole first word. */
  val advance, dropFirst = False
  val count = UInt(log2Up(width + 1) bits).assignDontCare()

  private val next = position + count
  private val shift = dropFirst || (advance && !low.last && next >= width)
  when(advance) { position := (!low.last && next >= width) ? (next - width) | next }
  when(dropFirst) { position := 0 }

  source.ready := !lowValid || !highValid || shift
  when(shift) {
    low := high
    lowValid := highValid
    highValid := False
  }
  when(source.fire) {
    when(!lowValid || (shift && !highValid)) {
      low := source.payload
      lowValid := True
    } otherwise {
      high := source.payload
      highValid := True
    }
  }
}
