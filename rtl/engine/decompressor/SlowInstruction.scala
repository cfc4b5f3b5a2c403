// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** One look at an instruction that is read byte by byte: what it takes and what is known then. */
case class SlowInstruction(config: DecompressorConfig) extends Bundle {
  val four = Bool() // it takes four bytes; else a match three, anything else one
  val illegal = Bool()
  val isMatch = Bool() // complete: a match at `distance`, or of zeros, then `literals`
  val length = UInt(12 bits) // to be added to what was collected before
  val distance = UInt(16 bits)
  val zeroRun = config.everyToken generate Bool()
  val literals = UInt(2 bits)

  /** Behind the bytes it takes, literals not counted. */
  def head(start: UInt): UInt =
    four ? SmallSum(5, 4, start) | (isMatch ? SmallSum(5, 3, start) | SmallSum(5, 1, start))
}

object SlowInstruction {
  import MatchFields._

  /** At the instruction's first byte. A header of unknown version reads as an end mark or a match before the page's
    * first byte here: neither gets through.
    *
    * @param noDistance the distance field is 0: of M4, an end mark's
    * @param zeroRun the farthest M4 distance stands here, and the page's header gives it up for zero runs */
  def atStart(config: DecompressorConfig, bytes: Seq[Bits], noDistance: Bool, zeroRun: Bool): SlowInstruction = {
    val first = bytes.head
    val far = first(3)
    val field = field14(bytes(1), bytes(2))
    val result = SlowInstruction(config)
    result.four := False
    result.illegal := False
    result.isMatch := False
    result.length := 18
    result.distance := m4Distance(far, field)
    result.zeroRun := False
    result.literals := bytes(1)(1 downto 0).asUInt
    when(first(5)) { // M3
      result.length := 33
    } elsewhen (first(4)) {
      when(zeroRun && far) {
        result.four := True
        result.isMatch := True
        result.zeroRun := True
        result.length := ((bytes(3) ## first(2 downto 0)).asUInt +^ 4).resized
      } elsewhen (first(2 downto 0) === 0) {
        result.length := 9
      } otherwise { // M4, or an end mark out of place
        result.isMatch := True
        result.illegal := !far && noDistance
        result.length := first(2 downto 0).asUInt.resize(12) + 2
      }
    }
    result
  }

  /** The same where there are LzoFormat's tokens alone: a run or an M3, either too long for its field; anything else that comes here is illegal. */
  def ownAtStart(config: DecompressorConfig, bytes: Seq[Bits], afterLiterals: Bool): SlowInstruction = {
    val first = bytes.head
    val isM3 = first(5)
    val result = SlowInstruction(config)
    result.four := False
    result.illegal := !isM3 && (first(4) || afterLiterals)
    result.isMatch := result.illegal
    result.length := isM3 ? U(33, 12 bits) | U(18, 12 bits)
    result.distance := 0
    result.literals := 0
    result
  }

  /** At a length byte: as many 255s as there are zeros, and the first other byte ends it.
    *
    * @param zeros which of the bytes are
    * @param noDistance the distance field behind a last length byte is 0
    * @param isRun a literal run's, nothing follows the length; else a match's
    * @param isM4 of M4, with its distance's top bit `far` */
  def atLength(
      config: DecompressorConfig,
      bytes: Seq[Bits],
      zeros: Bits,
      noDistance: Bool,
      isRun: Bool,
      isM4: Bool,
      far: Bool
  ): SlowInstruction = {
    val field = field14(bytes(1), bytes(2))
    val ends = !zeros(0)
    val fourZeros = zeros.andR
    val result = SlowInstruction(config)
    result.four := fourZeros
    result.isMatch := ends && !isRun
    result.illegal := isM4 && !far && noDistance // an end mark of the wrong length
    result.length := ends ? bytes.head.asUInt.resize(12) | (fourZeros ? U(4 * 255, 12 bits) | U(255, 12 bits))
    result.distance := isM4 ? m4Distance(far, field) | m3Distance(field)
    if (config.everyToken) result.zeroRun := False
    result.literals := bytes(1)(1 downto 0).asUInt
    result
  }
}
