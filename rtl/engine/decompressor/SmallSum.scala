// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import pagepress.engine.Choose

/** A sum looked up instead of added: one LUT a bit where the terms have six bits together, and no carry chain. */
object SmallSum {

  /** `constant` and all `terms`, modulo 2 to the power of `width`. */
  def apply(width: Int, constant: Int, terms: UInt*): UInt = {
    def sums(left: Seq[UInt], sum: Int): Seq[UInt] =
      if (left.isEmpty) Seq(U(sum % (1 << width), width bits))
      else (0 until 1 << left.head.getWidth).flatMap(value => sums(left.tail, sum + value))
    Choose(sums(terms, constant), terms.reduce(_ @@ _))
  }
}
