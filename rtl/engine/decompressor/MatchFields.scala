// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** Length and distance of a match, from the bytes of its instruction. */
object MatchFields {
  /** Distance field shared by M3 and M4: 14 bits in two bytes whose lowest two bits count literals. */
  def field14(low: Bits, high: Bits): UInt = (high ## low(7 downto 2)).asUInt

  def m3Distance(field: UInt): UInt = field.resize(16) + 1

  /** M4 distances start at 16 KiB + 1; exactly 16 KiB is the end mark. */
  def m4Distance(far: Bool, field: UInt): UInt = (far ## !far ## field).asUInt

  /** Of an instruction with at most one length byte: (length, distance).
    *
    * @param bytes the first four
    * @param afterLongRun four literals and more precede it, which is what M1 goes by; counts where there is one */
  def decode(config: DecompressorConfig, bytes: Seq[Bits], afterLongRun: Bool): (UInt, UInt) = {
    val first = bytes.head
    val isM2 = first(7 downto 6) =/= 0
    val isM3 = first(5)
    val isM4 = first(4)
    val extended = first(4 downto 0) === 0
    val length = UInt(9 bits)
    val lessOne = UInt(16 bits) // the distance, less one but for M4
    if (config.everyToken) {
      length := afterLongRun ? U(3, 9 bits) | U(2, 9 bits) // M1
      lessOne := (afterLongRun ? B"10" | B"00").resize(6).asUInt @@ (bytes(1) ## first(3 downto 2)).asUInt
    } else {
      length := 0
      lessOne := 0
    }
    when(isM2) {
      length := (first(7 downto 5).asUInt +^ 1).resized
      lessOne := (bytes(1) ## first(4 downto 2)).asUInt.resized
    } elsewhen (if (config.everyToken) isM3 else True) {
      length := extended ? (bytes(1).asUInt.resize(9) + 33) | (first(4 downto 0).asUInt.resize(9) + 2)
      lessOne := (extended ? field14(bytes(2), bytes(3)) | field14(bytes(1), bytes(2))).resized
    } elsewhen (isM4) {
      length := first(2 downto 0).asUInt.resize(9) + 2
      lessOne := m4Distance(first(3), field14(bytes(1), bytes(2)))
    }
    val one = if (config.everyToken) isM2 || isM3 || !isM4 else True
    (length.resize(config.lengthBits), lessOne + one.asUInt)
  }
}
