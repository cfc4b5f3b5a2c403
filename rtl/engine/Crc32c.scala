// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** CRC32C (Castagnoli) of each page of a ByteStream: starts from and ends with all ones, reflected, so that
  * "123456789" gives 0xE3069283.
  *
  * A full word takes one cycle. The last word takes one more cycle for each set bit of its count but the first, as its
  * bytes are taken in powers of two. One `result` a page, the cycle after its last byte; until that is taken the next
  * page may run up to its own end.
  */
class Crc32c(width: Int) extends Component {
  setDefinitionName("crc32c")
  val io = new Bundle {
    val source = slave(ByteStream(width))
    val result = master(Stream(Bits(32 bits)))
  }
  private val register = Reg(Bits(32 bits)) init Crc32c.start
  private val done = Reg(UInt(log2Up(width + 1) bits)) init 0 // bytes of this word already taken
  private val result = Reg(Bits(32 bits))
  private val resultValid = RegInit(False)

  private val left = io.source.fragment.count - done
  private val data = io.source.fragment.data >> (done << 3)
  private val next = Bits(32 bits)
  private val step = cloneOf(left)
  next := register
  step := 0
  for (size <- Iterator.iterate(1)(_ * 2).takeWhile(_ <= width)) when(left >= size) {
    next := Crc32c.advance(register, data(size * 8 - 1 downto 0))
    step := size
  }

  private val wordEnds = step === left
  private val blocked = io.source.last && resultValid
  io.source.ready := wordEnds && !blocked
  when(io.source.valid && !blocked) {
    register := next
    done := wordEnds ? U(0, done.getWidth bits) | (done + step)
  }
  io.result.valid := resultValid
  io.result.payload := result
  when(io.result.fire) { resultValid := False }
  when(io.source.fire && io.source.last) {
    register := Crc32c.start
    result := ~next
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
        .flatten.reduce(_ ^ _)
    result
  }
}
