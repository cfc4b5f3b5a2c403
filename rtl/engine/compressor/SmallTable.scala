// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import scala.collection.mutable
import spinal.core._

/** A function of few bits as a table: one level of LUTs up to six bits, where arithmetic takes several.
  *
  * Written as choices between constants: what becomes of a `Vec`'s `read` mapping tools take for a memory, and move it to the other
  * side of the registers it is read by.
  */
object SmallTable {

  /** `function` of the number `input`, in `width` bits. */
  def apply(input: UInt, width: Int)(function: Int => Int): UInt = {
    val mask = (1 << width) - 1
    val known = mutable.HashMap.empty[Seq[Int], UInt] // equal parts of the table are made once
    def choose(entries: Seq[Int]): UInt = known.getOrElseUpdate(entries, {
      val (low, high) = entries.splitAt(entries.size / 2)
      if (entries.forall(_ == entries.head)) U(entries.head, width bits)
      else if (low == high) choose(low)
      else Mux(input(log2Up(entries.size) - 1), choose(high), choose(low))
    })
    choose((0 until 1 << input.getWidth).map(function(_) & mask))
  }

  /** `function` of two numbers. */
  def of(left: UInt, right: UInt, width: Int)(function: (Int, Int) => Int): UInt =
    apply(left @@ right, width)(both => function(both >> right.getWidth, both & (1 << right.getWidth) - 1))

  /** The sum, in at most `most` bits: no carry chain, which costs as much as two levels. */
  def add(left: UInt, right: UInt, most: Int): UInt =
    of(left, right, (left.getWidth max right.getWidth) + 1 min most)(_ + _)

  /** How many of `bits` are set. */
  def count(bits: Seq[Bool]): UInt = {
    val all: Bits = Cat(bits)
    apply(all.asUInt, log2Up(bits.size + 1))(number => Integer.bitCount(number))
  }
}
