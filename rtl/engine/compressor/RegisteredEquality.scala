// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** Whether two words are equal, a cycle later: three bits of them, which fit one LUT, are compared for each register, and what
  * the registers hold is joined behind them. Left to mapping tools a comparison takes half as many LUTs again.
  */
object RegisteredEquality {
  private val BITS = 3

  /** `one` equals `other` and `valid` is set; both are of the same width. */
  def apply(one: Bits, other: Bits, valid: Bool): Bool = parts(one, other, valid).map(RegNext(_)).reduce(_ && _)

  /** The same at once, for who has time to join the parts before a register: they are kept as signals, where mapping tools then
    * find them.
    */
  def atOnce(one: Bits, other: Bits, valid: Bool): Bool =
    parts(one, other, valid).map(_.addAttribute("keep")).reduce(_ && _)

  private def parts(one: Bits, other: Bits, valid: Bool): Seq[Bool] = {
    val parts = (0 until one.getWidth).grouped(BITS).toSeq
      .map(bits => one(bits.last downto bits.head) === other(bits.last downto bits.head))
    val short = one.getWidth % BITS != 0 // the last part has room for `valid`
    if (short) parts.init :+ (parts.last && valid) else parts :+ valid
  }
}
