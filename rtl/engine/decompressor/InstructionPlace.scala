// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** A byte of the stream with all that is asked about it alone, wherever in an instruction it stands. */
case class MarkedByte() extends Bundle {
  val bits = Bits(8 bits)
  val isZero, isOnes = Bool()
  val highZeros, highOnes = Bool() // its upper six bits
  val isLow = Bool() // below 16: a literal run, or M1
  val isTwoByte = Bool() // M1, M2
  val isExtendedM3 = Bool()
  val isM4, isExtendedM4 = Bool() // the end mark too
  val isEnd = Bool() // the end mark's first byte
  val isFusedRun = Bool() // a run of 4 to 14 literals
}

object MarkedByte {
  def apply(bits: Bits): MarkedByte = {
    val byte = MarkedByte()
    byte.bits := bits
    byte.isZero := bits === 0
    byte.isOnes := bits.andR
    byte.highZeros := bits(7 downto 2) === 0
    byte.highOnes := bits(7 downto 2).andR
    byte.isLow := bits(7 downto 4) === 0
    byte.isTwoByte := bits(7 downto 6) =/= 0 || bits(7 downto 4) === 0
    byte.isExtendedM3 := bits === 0x20
    byte.isM4 := bits(7 downto 4) === 1
    byte.isExtendedM4 := bits(7 downto 4) === 1 && bits(2 downto 0) === 0
    byte.isEnd := bits === 0x11
    byte.isFusedRun := bits(7 downto 4) === 0 && bits(3 downto 0) =/= 0 && !bits(3 downto 2).andR
    byte
  }
}

/** One place of the stream decoded as a match with its literals, as it reads unless it is a literal run.
  *
  * A match without literals of its own takes the run of up to 14 literals behind it along.
  */
case class InstructionPlace(config: DecompressorConfig) extends Bundle {
  val kind = StepKind() // token or slow
  val joins = Bool() // a token that can be a pair's second
  val low = Bool() // below 16: a run if no literals precede it
  val short = Bool() // a token of at most `pairReach` bytes, so another may start in reach
  val next = UInt(6 bits) // from the row's start; of a slow place the place itself
  val afterLiterals = Bool() // literals precede `next`
  val literalsAt = UInt(3 bits) // from this place
}

object InstructionPlace {
  /** 11 00 00, which ends a stream; where it counts literals it may say anything. */
  def isEndMark(window: Seq[MarkedByte], place: Int): Bool =
    window(place).isEnd && window(place + 1).highZeros && window(place + 2).isZero

  /** @param window the stream from the row's start, five bytes and more from `place` on
    * @param behind what a match that ends there leads to, by the place behind it */
  def decode(config: DecompressorConfig, window: Seq[MarkedByte], behind: Int => MatchEnd, place: Int): InstructionPlace = {
    val first = window(place)
    // Zero runs and end marks are M4 with these distance fields.
    val fieldZeros = window(place + 1).highZeros && window(place + 2).isZero
    val fieldOnes = window(place + 1).highOnes && window(place + 2).isOnes
    val slow = (first.isExtendedM3 && window(place + 1).isZero) ||
      (first.isM4 && (if (config.everyToken) first.isExtendedM4 || fieldZeros || fieldOnes else True))

    def choose[T <: Data](field: Int => T): T = first.isTwoByte ? field(2) | (first.isExtendedM3 ? field(4) | field(3))
    val result = InstructionPlace(config)
    result.kind := slow ? StepKind.slow | StepKind.token
    result.joins := !slow
    result.low := first.isLow
    result.short := !slow && choose(head => behind(place + head).takesAtMost(config.pairReach - head))
    result.literalsAt := choose(head => behind(place + head).takesRun ? U(head + 1, 3 bits) | U(head, 3 bits))
    result.afterLiterals := choose(head => behind(place + head).afterLiterals)
    result.next := slow ? U(place, 6 bits) | choose(head => behind(place + head).next)
    result
  }
}

/** Where a match leads that ends before `place`: its own literals, counted in its second-last byte, or a run that it takes
  * along. */
class MatchEnd(window: Seq[MarkedByte], place: Int) extends Area {
  private val own = window(place - 2).bits(1 downto 0).asUInt
  private val run = window(place).bits(3 downto 0).asUInt // 3 less than its literals
  val takesRun = own === 0 && window(place).isFusedRun
  val afterLiterals = takesRun || own =/= 0
  /** From the row's start, behind the literals. */
  val next = takesRun ? SmallSum(6, place + 4, run) | SmallSum(6, place, own)

  /** The run, if there is one, takes no more bytes, its instruction included. */
  def takesAtMost(bytes: Int): Bool =
    if (bytes < 5) !takesRun else !takesRun || (1 to bytes - 4).map(run === _).reduce(_ || _)
}

/** One place of the stream decoded as a literal run. */
case class RunPlace(config: DecompressorConfig) extends Bundle {
  val isRun = Bool()
  val kind = StepKind() // token, run or slow; alone for a version header, or instead of token where there are LzoFormat's alone
  val next = UInt(6 bits) // from the row's start: behind a token, at a run's first literal, at a slow place itself

  /** It holds 17 and the number of literals instead. */
  def open(place: Int): Unit = {
    isRun := True
    kind := StepKind.run
    next := place + 1
  }
}

object RunPlace {
  def decode(config: DecompressorConfig, window: Seq[MarkedByte], place: Int): RunPlace = {
    val first = window(place)
    val count = first.bits(3 downto 0).asUInt
    val result = RunPlace(config)
    result.isRun := first.isLow
    result.kind := (if (config.everyToken) StepKind.token else StepKind.alone)
    result.next := SmallSum(6, place + 4, count)
    when(count(3 downto 1).andR) { // 17 or 18, more than a token carries
      result.kind := StepKind.run
      result.next := place + 1
    }
    when(count === 0) {
      // One length byte is enough for most; zeros in it go on.
      result.kind := StepKind.run
      result.next := place + 2
      when(window(place + 1).isZero) {
        result.kind := StepKind.slow
        result.next := place
      }
    }
    result
  }
}
