// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Follows the sequence that is open from window to window.
  *
  *  - `window`: what is to be written of each window, in the cycle it comes; those that only a match covers are left
  *    out, unless they end the page.
  *  - `continuation`: for every window with `opensSequence`, in their order, the cycle after the window that closes its
  *    sequence: the next one with a match, or the page's last.
  *
  * A window a cycle, never waits. A page's last sequence is told in the cycle after its last window; the window that
  * may then come is a page's first, which closes none.
  */
class SequenceTracker(parameter: CompressorParameter) extends Component {
  import parameter._
  import LzoFormat._

  val io = new Bundle {
    val source = slave(Flow(WindowMarks(parameter)))
    val window = master(Flow(PendingWindow(parameter)))
    val continuation = master(Flow(Continuation(parameter)))
  }

  case class Sequence() extends Bundle {
    val matchLength = UInt(matchWidth bits)
    val literals = UInt(matchWidth bits)
    val first = Bool() // of the page: no match before its literals
    val limit = UInt(config.lengthWidth bits)
  }

  val marks = io.source.payload
  val starts = marks.lastMatch.orR
  val first = Reg(Bool()) init True // the page begins
  val afterMatch = Reg(Bool()) // the byte before this window belongs to a match
  when(io.source.valid) {
    first := marks.last
    afterMatch := !marks.literal.msb
  }

  val window = new Area {
    val begins = first || afterMatch // leading literals are a run of their own
    val opensRun = Mux(starts, marks.trailing =/= 0, begins && marks.leading =/= 0)
    val pending = io.window.payload
    io.window.valid := io.source.valid && (starts || marks.literal.orR || marks.last)
    pending.data := marks.data
    pending.matches := marks.matches
    pending.lastMatch := marks.lastMatch
    pending.last := marks.last
    pending.limit := marks.limit
    pending.run := marks.tail.andMask(opensRun)
    pending.literal := marks.literal & ~pending.run
    pending.opensRun := opensRun
    pending.opensSequence := starts || first
    pending.header := 0
    when(starts && begins) {
      when(first && marks.leading =/= 0)(pending.header := (marks.leading.resize(8) + FIRST_BASE).asBits)
      when(!first && marks.leading > STATE_LITERALS)(pending.header := (marks.leading - RUN_BASE).asBits.resized)
    }
  }

  val closed = Flow(Sequence())
  val open = Reg(Sequence())
  val ended = RegNext(io.source.valid && marks.last) init False
  closed.valid := ended || io.source.valid && starts && !first
  closed.payload := open
  when(!ended) {
    closed.matchLength := open.matchLength + marks.covered
    closed.literals := open.literals + marks.leading
  }
  when(io.source.valid) {
    open.limit := marks.limit
    open.first := !starts && (first || open.first)
    when(starts) {
      open.matchLength := marks.lastLength.resized
      open.literals := marks.trailing.resized
    } elsewhen (first) {
      open.matchLength := 0
      open.literals := marks.leading.resized
    } otherwise {
      open.matchLength := open.matchLength + marks.covered
      open.literals := open.literals + marks.leading
    }
  }

  /** The sequence's two numbers, as tokens say them. */
  val coded = new Area {
    val sequence = closed.m2sPipe()
    val flow = io.continuation
    flow.valid := sequence.valid
    flow.brief := sequence.matchLength <= SHORT_MAXIMUM_LENGTH
    flow.matchExtended := sequence.matchLength > LONG_MAXIMUM_LENGTH
    flow.field := Mux(flow.matchExtended, U(0), sequence.matchLength - LONG_BASE_LENGTH).resized
    val matchExtension = LzoExtension(sequence.matchLength, LONG_MAXIMUM_LENGTH)
    flow.matchLong := sequence.matchLength > LONG_MAXIMUM_LENGTH + EXTENSION_STEP
    flow.matchZeros := matchExtension.zeros.resized
    flow.matchRest := matchExtension.rest

    val counted = !sequence.first && sequence.literals <= STATE_LITERALS
    flow.state := Mux(counted, sequence.literals, U(0)).resized
    flow.hasHeader := sequence.literals =/= 0 && !counted
    flow.runExtended := sequence.literals > Mux(sequence.first, U(FIRST_MAXIMUM), U(RUN_MAXIMUM))
    val base = Mux(sequence.first, U(FIRST_BASE, 8 bits), U(256 - RUN_BASE, 8 bits))
    flow.header := (sequence.literals.resize(8) + base).asBits.andMask(!flow.runExtended)
    val runExtension = LzoExtension(sequence.literals, RUN_MAXIMUM)
    flow.runLong := !flow.refused && sequence.literals > RUN_MAXIMUM + (inlineZeros + 1) * EXTENSION_STEP
    flow.runZeros := runExtension.zeros.resized
    flow.runRest := runExtension.rest
    flow.refused := sequence.literals +^ END_MARK.size > sequence.limit
  }
}

/** A number above what its token's field holds: what follows the token, as zero bytes of 255 each and a last byte. */
case class LzoExtension(zeros: UInt, rest: Bits)

object LzoExtension {
  import LzoFormat._

  /** `number` is more than `maximum` and has at most 17 bits. */
  def apply(number: UInt, maximum: Int): LzoExtension = {
    // 256 q + r is 255 q and q + r, which itself may hold 255 once or twice.
    val over = number - (maximum + 1)
    val quotient = over >> 8
    val sum = quotient +^ over(7 downto 0)
    val mostSum = (1 << quotient.getWidth) - 1 + 255
    val held = Seq(1, 2).filter(_ * EXTENSION_STEP <= mostSum).map(times => sum >= times * EXTENSION_STEP)
    // All that both may become is made at once.
    def chosen(may: Seq[UInt]): UInt = held.zip(may.tail).foldLeft(may.head) { case (fewer, (here, more)) => Mux(here, more, fewer) }
    val times = 0 to held.size
    LzoExtension(chosen(times.map(quotient +^ U(_, quotient.getWidth bits))),
      chosen(times.map(count => sum.resize(8) + U(count + 1, 8 bits))).asBits)
  }
}
