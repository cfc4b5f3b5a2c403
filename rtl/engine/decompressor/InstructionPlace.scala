// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** One place of the stream decoded as a match with its literals, as it reads unless it is a literal run.
  *
  * A match without literals of its own takes the run of up to 14 literals behind it along.
  */
case class InstructionPlace(config: DecompressorConfig) extends Bundle {
  val kind = StepKind() // token or slow
  val low = Bool() // below 16: a run if no literals precede it
  val short = Bool() // a token of at most `pairReach` bytes, so another may start in reach
  val next = UInt(6 bits) // from the row's start; of a slow place the place itself
  val afterLiterals = Bool() // literals precede `next`
  val literalsAt = UInt(3 bits) // from this place
}

object InstructionPlace {
  /** 11 00 00, which ends a stream; where it counts literals it may say anything. */
  def isEndMark(window: Seq[Bits], place: Int): Bool =
    window(place) === 0x11 && window(place + 1)(7 downto 2) === 0 && window(place + 2) === 0

  /** @param window the stream from the row's start, five bytes and more from `place` on */
  def decode(config: DecompressorConfig, window: Seq[Bits], place: Int): InstructionPlace = {
    val first = window(place)
    val isTwoByte = first(7 downto 6) =/= 0 || first(7 downto 4) === 0 // M2, M1
    val isM3 = first(7 downto 5) === 1
    val isM4 = first(7 downto 4) === 1
    val extended = isM3 && first(4 downto 0) === 0
    // Zero runs and end marks are M4 with these distance fields.
    val fieldZeros = window(place + 1)(7 downto 2) === 0 && window(place + 2) === 0
    val fieldOnes = window(place + 1)(7 downto 2).andR && window(place + 2).andR

    val result = InstructionPlace(config)
    result.low := first(7 downto 4) === 0
    // The same for each number of bytes the match may take, to choose from once that is known.
    val perHead = Seq(2 -> first, 3 -> window(place + 1), 4 -> window(place + 2)).map { case (head, counting) =>
      new Area {
        val own = counting(1 downto 0).asUInt
        val behind = window(place + head)
        val takesRun = own === 0 && behind(7 downto 4) === 0 && behind(3 downto 0) =/= 0 && !behind(3 downto 2).andR
        val literals = takesRun ? (behind(3 downto 0).asUInt +^ 4) | own.resize(5) // the run's instruction included
        val next = literals.resize(6) + (place + head)
        val afterLiterals = literals =/= 0
        val literalsAt = takesRun ? U(head + 1, 3 bits) | U(head, 3 bits)
        val short = literals <= config.pairReach - head
      }
    }
    def choose[T <: Data](field: Int => T): T = isTwoByte ? field(0) | (extended ? field(2) | field(1))
    val slow = (extended && window(place + 1) === 0) || (isM4 && (first(2 downto 0) === 0 || fieldZeros || fieldOnes))
    result.next := slow ? U(place, 6 bits) | choose(perHead(_).next)
    result.afterLiterals := choose(perHead(_).afterLiterals)
    result.literalsAt := choose(perHead(_).literalsAt)
    result.short := !slow && choose(perHead(_).short)
    result.kind := slow ? StepKind.slow | StepKind.token
    result
  }
}

/** One place of the stream decoded as a literal run. */
case class RunPlace(config: DecompressorConfig) extends Bundle {
  val isRun = Bool()
  val kind = StepKind() // token, run or slow; skip for a version header
  val next = UInt(6 bits) // from the row's start: behind a token, at a run's first literal, at a slow place itself

  /** It holds 17 and the number of literals instead. */
  def open(place: Int): Unit = {
    isRun := True
    kind := StepKind.run
    next := place + 1
  }
}

object RunPlace {
  def decode(config: DecompressorConfig, window: Seq[Bits], place: Int): RunPlace = {
    val first = window(place)
    val count = first(3 downto 0).asUInt
    val result = RunPlace(config)
    result.isRun := first(7 downto 4) === 0
    result.kind := StepKind.token
    result.next := count.resize(6) + (place + 4)
    when(count > config.literalBytes - 3) {
      result.kind := StepKind.run
      result.next := place + 1
    }
    when(count === 0) {
      // One length byte is enough for most; zeros in it go on.
      result.kind := StepKind.run
      result.next := place + 2
      when(window(place + 1) === 0) {
        result.kind := StepKind.slow
        result.next := place
      }
    }
    result
  }
}
