// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._

/** One of several values, four by four: every choice of four is a tree of choices between two, which fits one LUT a bit. In what
  * becomes of a `Vec`'s `read` mapping tools find that less often; of bits that say one each which value it is they make more LUTs.
  */
object Choose {
  private val AT_ONCE = 4

  /** The value of number `select`, which is less than the number of values. */
  def apply[T <: Data](values: collection.Seq[T], select: UInt): T =
    if (values.size > AT_ONCE) {
      val bits = log2Up(AT_ONCE)
      apply(values.grouped(AT_ONCE).map(apply(_, select(bits - 1 downto 0))).toList, select >> bits)
    } else tree(values.padTo(1 << log2Up(values.size), values.last), select)

  private def tree[T <: Data](values: collection.Seq[T], select: UInt): T =
    if (values.size == 1) values.head
    else {
      val bit = log2Up(values.size) - 1
      val (low, high) = values.splitAt(1 << bit)
      tree(low.zip(high).map { case (one, other) => Mux(select(bit), other, one) }, select)
    }
}
