// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Which bytes of a window's span equal those some distance before them. Fours of them have registers of their own: a run of any
  * length is a few of these, one LUT, where mapping tools make long chains over its bytes to share them with other runs.
  */
case class EqualBytes(parameter: CompressorParameter) extends Bundle {
  import EqualBytes.AT_ONCE
  import parameter._

  val bytes = Bits(spanBytes bits)
  val fours = Bits(spanBytes - AT_ONCE + 1 bits) // bit n: bytes n to n + 3

  /** Whether `length` bytes from `from` on, all of the span, are equal. */
  def run(from: Int, length: Int): Bool =
    if (length < AT_ONCE) bytes(from + length - 1 downto from).andR
    else ((from to from + length - AT_ONCE by AT_ONCE) ++ (if (length % AT_ONCE == 0) Nil else Seq(from + length - AT_ONCE)))
      .map(fours(_)).reduceBalancedTree(_ && _)
}

object EqualBytes {
  private val AT_ONCE = 4

  /** A cycle after `bytes`. */
  def registered(parameter: CompressorParameter, bytes: Bits): EqualBytes = {
    val equal = EqualBytes(parameter)
    equal.bytes := bytes
    equal.fours := Vec((0 to parameter.spanBytes - AT_ONCE).map(index => bytes(index + AT_ONCE - 1 downto index).andR)).asBits
    RegNext(equal)
  }
}
