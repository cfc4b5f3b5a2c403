// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** A function of few bits as a table: one level of LUTs up to six bits, where arithmetic takes several. */
object SmallTable {

  /** `function` of the number `input`, in `width` bits. */
  def apply(input: UInt, width: Int)(function: Int => Int): UInt = {
    val mask = (1 << width) - 1
    val entries = (0 until 1 << input.getWidth).map(number => U(function(number) & mask, width bits))
    Vec(entries).read(input)
  }

  /** How many of `bits` are set. */
  def count(bits: Seq[Bool]): UInt = {
    val all: Bits = Cat(bits)
    apply(all.asUInt, log2Up(bits.size + 1))(number => Integer.bitCount(number))
  }
}
