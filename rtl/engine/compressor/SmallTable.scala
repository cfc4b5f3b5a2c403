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

  /** The sum, in at most `most` bits: no carry chain, which costs as much as two levels. */
  def add(left: UInt, right: UInt, most: Int): UInt = {
    val width = (left.getWidth max right.getWidth) + 1 min most
    apply(left @@ right, width)(pair => (pair >> right.getWidth) + (pair & (1 << right.getWidth) - 1))
  }

  /** How many of `bits` are set. */
  def count(bits: Seq[Bool]): UInt = {
    val all: Bits = Cat(bits)
    apply(all.asUInt, log2Up(bits.size + 1))(number => Integer.bitCount(number))
  }
}
