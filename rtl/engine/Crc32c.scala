// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** CRC32C (Castagnoli) of each page of a ByteStream: starts from and ends with all ones, reflected, so that
  * "123456789" gives 0xE3069283.
  *
  * The CRC is linear: a word and the register are each sent through a network of their own, and only the register's is in
  * the loop. Three stages: `aligned`, the word with its bytes moved to the top, so that the network is the same for every
  * count; `image`, the word sent through; the register. A full word takes one cycle, a last word that is not full one more for each of
  * its bytes: no whole page has such a word. One `result` a page, three cycles after a full last word; until that is taken
  * the next page may run up to its own end. `ready` depends on registers alone.
  */
class Crc32c(width: Int) extends Component {
  definitionName = "crc32c"
  val io = new Bundle {
    val source = slave(ByteStream(width))
    val result = master(Stream(Bits(32 bits)))
  }
  /** What goes along with a word's bytes. */
  case class Tag() extends Bundle {
    val last = Bool()
    val count = UInt(log2Up(width + 1) bits)
  }
  private val resultValid = RegInit(False)
  private val hold = Bool() // the stages move in step, or not at all
  io.source.ready := !hold

  private val aligned = new Area {
    val valid = RegNextWhen(io.source.valid, !hold) init False
    val tag = Reg(Tag())
    val data = Reg(Bits(width * 8 bits))
    when(!hold) {
      tag.last := io.source.last
      tag.count := io.source.fragment.count
      // A count of 0 leaves nothing; it would move by the whole width, which `missing` cannot say.
      val missing = (U(width) - io.source.fragment.count).resize(log2Up(width))
      data := Mux(io.source.fragment.count === 0, B(0, width * 8 bits), io.source.fragment.data |<< (missing << 3))
    }
  }

  private val image = new Area {
    val valid = RegNextWhen(aligned.valid, !hold) init False
    val tag = RegNextWhen(aligned.tag, !hold) // its count: bytes the register has not passed yet
    val value = RegNextWhen(Crc32c.advance(B(0, 32 bits), aligned.data), !hold)
    val full = RegNextWhen(aligned.tag.count === width, !hold)
    val ends = RegNextWhen(aligned.tag.count === width || aligned.tag.count === 0, !hold) // nothing left after this cycle
  }

  private val register = Reg(Bits(32 bits)) init Crc32c.start
  private val left = image.tag.count
  private val blocked = image.tag.last && resultValid
  private val byWord = Crc32c.advance(register, B(0, width * 8 bits)) ^ image.value
  private val ended = image.full ? byWord | (register ^ image.value)
  hold := image.valid && (!image.ends || blocked)
  when(image.valid && !blocked) {
    register := image.ends ? ended | Crc32c.advance(register, B(0, 8 bits))
    when(!image.ends) {
      left := left - 1
      image.ends := left === 1
    }
  }

  private val result = Reg(Bits(32 bits)) // not inverted yet
  io.result.valid := resultValid
  io.result.payload := ~result
  when(io.result.fire) { resultValid := False }
  when(image.valid && !hold && image.tag.last) {
    register := Crc32c.start
    result := ended
    resultValid := True
  }
}

object Crc32c {
  private val polynomial = 0x82f63b78L // reflected
  private def start: Bits = B(0xffffffffL, 32 bits)

  private def shiftBit(value: Long): Long = (value >>> 1) ^ (if ((value & 1) != 0) polynomial else 0L)

  /** The register after `data` (byte 0 lowest, a whole number of bytes), as one level of parities: the CRC is linear,
    * so what a single set bit of register or data turns into tells where that bit goes.
    */
  def advance(register: Bits, data: Bits): Bits = {
    val bits = data.getWidth
    // Bit i of the data meets bit 0 of the register after i shifts.
    val inputs = (0 until (bits max 32)).map { i =>
      (if (i < bits) Some(data(i)) else None) ++ (if (i < 32) Some(register(i)) else None)
    }
    val images = inputs.indices.map { i =>
      // A bit past the data only moves down; the others leave through the polynomial.
      if (i < bits) Iterator.iterate(1L)(shiftBit).drop(bits - i).next() else 1L << (i - bits)
    }
    val result = Bits(32 bits)
    for (output <- 0 until 32)
      result(output) := inputs.zip(images).collect { case (terms, image) if (image >> output & 1) != 0 => terms }
        .flatten.reduceBalancedTree(_ ^ _)
    result
  }
}
