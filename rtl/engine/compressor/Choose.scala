// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** One of several values, as a tree of choices between two: two of its levels fit one LUT a bit. In `HistoryReader` mapping tools
  * find that less often in what becomes of a `Vec`'s `read`; elsewhere it made no difference.
  */
object Choose {

  /** The value of number `select`; as many values as a power of two. */
  def apply(values: Seq[Bits], select: UInt): Bits =
    if (values.size == 1) values.head
    else {
      val bit = log2Up(values.size) - 1
      val (low, high) = values.splitAt(1 << bit)
      apply(low.zip(high).map { case (one, other) => Mux(select(bit), other, one) }, select)
    }
}
