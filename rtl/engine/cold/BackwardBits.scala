// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Reads a stream of bits from its end, out of a memory of 64-bit words.
  *
  * `open` names the byte behind the stream's last; nothing of an earlier stream may be under way then (`idle`). While `valid` is up,
  * `window` holds the next `width` bits, the first one highest, and `take` moves on by up to `width` of them. What stands below the
  * stream's beginning comes like any other bits: who reads compares `at`, the number of bits that lie below the window's first one,
  * with where the stream begins. `close` ends it.
  *
  * A word is asked for when there is a place for it, one at a time, and `response` brings it in a later cycle.
  */
class BackwardBits(width: Int, bufferBytes: Int) extends Component {
  private val wordBits = 64
  require(width < wordBits)
  private val addressBits = log2Up(bufferBytes)
  val io = new Bundle {
    val open = slave(Flow(UInt(addressBits + 1 bits)))
    val close = in Bool ()
    val idle = out Bool ()
    val request = master(Stream(UInt(addressBits - 3 bits)))
    val response = slave(Flow(Bits(wordBits bits)))
    val valid = out Bool ()
    val window = out Bits (width bits)
    val take = slave(Flow(UInt(log2Up(width + 1) bits)))
    val at = out UInt (BackwardBits.pointerBits(bufferBytes) bits)
  }
  private val opened, asked, topValid, belowValid = RegInit(False)
  private val top, below = Reg(Bits(wordBits bits))
  private val next = Reg(UInt(addressBits - 3 bits)) // the word to ask for
  private val offset = Reg(UInt(log2Up(wordBits) bits)) // of the window's first bit in `top`
  private val at = Reg(UInt(BackwardBits.pointerBits(bufferBytes) bits))

  private val crosses = io.take.valid && io.take.payload > offset
  private val (topHere, belowHere) = (crosses ? belowValid | topValid, belowValid && !crosses)
  topValid := topHere
  belowValid := belowHere
  when(crosses)(top := below)
  when(io.take.valid) {
    offset := (offset - io.take.payload).resized
    at := at - io.take.payload
  }
  when(io.response.valid) {
    asked := False
    when(topHere) {
      below := io.response.payload
      belowValid := True
    } otherwise {
      top := io.response.payload
      topValid := True
    }
  }
  io.request.valid := opened && !asked && !(topValid && belowValid)
  io.request.payload := next
  when(io.request.fire) {
    asked := True
    next := next - 1
  }
  when(io.close) {
    opened := False
    topValid := False
    belowValid := False
  }
  private val last = io.open.payload - 1
  when(io.open.valid) {
    opened := True
    topValid := False
    belowValid := False
    next := (last >> 3).resized
    offset := last(2 downto 0) @@ U(7, 3 bits)
    at := (io.open.payload << 3).resized
  }
  io.idle := !opened && !asked
  io.at := at
  io.valid := topValid && (belowValid || offset >= width - 1)

  // From the highest bit of `top` on, two bits of the way at a time.
  private val way = ~offset
  private val bits = (top ## below).asBools.reverse
  io.window := Seq(4, 2, 0).foldLeft(bits.take(wordBits - 1 + width).toSeq) { (from, low) =>
    val step = 1 << low
    val size = width + step - 1
    (0 until size).map(i => Choose((0 until 4).map(steps => from(i + steps * step)), way(low + 1 downto low)))
  }.reverse.asBits()
}

object BackwardBits {
  /** Bits of a bit's number in a buffer, with room for all that reading on below its beginning may take: twice the buffer. */
  def pointerBits(bufferBytes: Int): Int = log2Up(bufferBytes * 8) + 2
}
