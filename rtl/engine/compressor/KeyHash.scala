// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** Hash of a position's first bytes: every bit is the parity of its own choice of key bits. */
object KeyHash {
  def apply(parameter: CompressorParameter, key: Seq[Bits]): Bits = {
    val bits = Vec(key).asBits
    val width = log2Up(parameter.banks) + log2Up(parameter.rows)
    val choices = (1 to width).map(index => (index * GOLDEN_RATIO >> 8) & ((BigInt(1) << bits.getWidth) - 1))
    Vec(choices.map(choice => (bits & B(choice, bits.getWidth bits)).xorR)).asBits
  }

  /** 2^32 divided by the golden ratio: its multiples differ in about half of their bits. */
  private val GOLDEN_RATIO = BigInt("9E3779B1", 16)
}
