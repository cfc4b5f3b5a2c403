// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** Hash of a position's first bytes: bank, then row, then tag; every bit is the parity of its own key bits. */
object KeyHash {

  /** An odd number, so that a key and its complement differ, and few enough for one LUT. */
  private val TAPS = 5

  def width(parameter: CompressorParameter): Int =
    log2Up(parameter.banks) + log2Up(parameter.rows) + parameter.tagWidth

  def apply(parameter: CompressorParameter, key: Seq[Bits]): Bits = {
    val bits = Vec(key).asBits
    Vec((0 until width(parameter)).map { index =>
      // Found by trying such formulas on memory pages; most do as well.
      (0 until TAPS).map(tap => bits((15 * index + 11 * tap + 5 * tap * tap) % bits.getWidth)).reduce(_ ^ _)
    }).asBits
  }
}
