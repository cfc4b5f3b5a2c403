// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._

/** Some bits of a stream, the first ones lowest; those from `count` on are 0. */
case class PackedBits(most: Int) extends Bundle {
  val value = Bits(most bits)
  val count = UInt(log2Up(most + 1) bits)
}

/** Packs bits into words, lowest first, and puts the end mark behind a stream's last.
  *
  * Input: always taken, up to `most` bits a cycle; a stream ends with `last`, and the next begins three cycles later at the earliest.
  * Output: words, the last filled up with zeros; `done` comes with the stream's last word or right behind it, and `bytes` is the stream's
  * length from then until the next one's begins.
  */
class BitPacker(most: Int, lengthBits: Int) extends Component {
  private val wordBits = 64
  require(most < wordBits, s"$most bits and the end mark do not fit a word of $wordBits")
  val io = new Bundle {
    val bits = slave(Flow(Fragment(PackedBits(most))))
    val word = master(Flow(Bits(wordBits bits)))
    val done = out Bool ()
    val bytes = out UInt (lengthBits bits)
  }
  private case class Placed() extends Bundle {
    val value = Bits(most + 1 bits)
    val place = UInt(log2Up(wordBits) bits)
    val full, last, rest = Bool() // it completes a word, ends the stream, and leaves bits then
  }
  private val held = Reg(UInt(log2Up(wordBits) bits)) init 0
  private val total = Reg(UInt(lengthBits + 3 bits)) init 0
  private val bits = io.bits.fragment
  private val placed = io.bits.translateWith {
    val placed = Placed()
    val count = bits.count +^ io.bits.last.asUInt
    val after = held +^ count
    placed.value := bits.value.resize(most + 1) | (B(1, most + 1 bits) |<< bits.count).andMask(io.bits.last)
    placed.place := held
    placed.full := after >= wordBits
    placed.last := io.bits.last
    placed.rest := after.resize(log2Up(wordBits)) =/= 0
    when(io.bits.valid) {
      held := io.bits.last ? U(0) | after.resize(log2Up(wordBits))
      total := total + count
    }
    placed
  }.m2sPipe()

  private val word = Reg(Bits(wordBits bits)) init 0
  private val rest = RegNext(placed.valid && placed.last && placed.rest) init False
  private val moved = placed.value.resize(2 * wordBits) |<< placed.place
  private val low = word | moved(wordBits - 1 downto 0)
  when(placed.valid)(word := placed.full ? moved(2 * wordBits - 1 downto wordBits) | low)
  when(rest)(word := 0)
  io.word.valid := placed.valid && placed.full || rest
  io.word.payload := rest ? word | low
  private val done = RegNext(placed.valid && placed.last) init False
  io.done := done
  io.bytes := RegNextWhen(((total + 7) >> 3).resize(lengthBits), done)
  when(done)(total := 0)
}
