// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** What the walker does at one place of the stream. */
object StepKind extends SpinalEnum {
  /** One or two tokens, or the end mark where it belongs: as the stream's last bytes. */
  val token = newElement()
  /** A literal run longer than a token; its length stands at the place, its literals start at `next`. */
  val run = newElement()
  /** What no literals precede and no pair has: the version header, of which no token is made; of an own compressor's stream a literal run that is
    * a token, and no good behind literals. */
  val alone = newElement()
  /** Anything rarer, or illegal: to be read byte by byte. */
  val slow = newElement()
}

/** Where a step leads. */
case class PlaceStep(config: DecompressorConfig) extends Bundle {
  val kind = StepKind()
  val next = UInt(6 bits) // from the row's start: of a token or run its first byte or literal not taken, else the place; or `pageEnd`
  val afterLiterals = Bool() // how the instruction there is to be read
  val pair = Bool() // two tokens
}

object PlaceStep {
  /** `next` of an end mark, where no other step leads: behind the page's last row. */
  val pageEnd = 48
}

/** A place of a row, taken as an instruction's first byte: what its tokens are made of. */
case class Place(config: DecompressorConfig) extends Bundle {
  val isRun = Bool() // a literal run, unless literals precede it
  val second = UInt(5 bits) // where a pair's second token starts, from the row's start
  val literalsAt = Vec(UInt(3 bits), 2) // where each token's literals begin, from the token's start; not of a run
}

/** A row, ready to be walked. */
case class WalkedRow(config: DecompressorConfig) extends Bundle {
  /** Of each place; behind a match without literals, and behind literals, where that tells a run from M1. */
  val steps = Vec(Vec(PlaceStep(config), if (config.everyToken) 2 else 1), config.rowBytes)
  val last = Bool() // of its page
  val nextIsLast = Bool()
  val zeroRuns = config.everyToken generate Bool() // the page's header announced lzo-rle
}

/** A row as it is prepared. */
case class PreparedRow(config: DecompressorConfig) extends Bundle {
  val walked = WalkedRow(config)
  val places = Vec(Place(config), config.rowBytes)
}

/** Decodes every byte of a row as the start of an instruction, and finds which places lead to two tokens at once.
  *
  * A row comes out as `marked` in the next cycle. It is prepared when the row behind it is `marked`, or at once when it is
  * its page's last. Two stages more, never stalled: `output` comes in the second cycle after that. The places of the next
  * row that a second token may start at are decoded again with this row, so rows need not know of each other.
  *
  * Bytes behind the stream's end are decoded like any other; who walks judges whether a step ends before it.
  */
class RowPreparer(config: DecompressorConfig) extends Component {
  private val rowBytes = config.rowBytes
  private val reach = if (config.tokens == 2) config.pairReach else 0
  val io = new Bundle {
    val row = slave(Flow(StreamRow(config)))
    val marked = master(Flow(StreamRow(config)))
    val output = master(Flow(PreparedRow(config)))
  }

  // The row to prepare, and the one behind it; each with its bytes' marks.
  private val next = io.row.m2sPipe()
  private val nextMarks = RegNext(Vec(io.row.bytes.map(MarkedByte(_))))
  private val held = Reg(StreamRow(config))
  private val heldMarks = Reg(cloneOf(nextMarks))
  private val heldValid = RegInit(False)
  io.marked << next
  private val complete = heldValid && (held.last || next.valid)
  when(next.valid) {
    held := next.payload
    heldMarks := nextMarks
  }
  when(next.valid || complete) { heldValid := next.valid }
  private val window = heldMarks.toList ++ nextMarks.toList
  private val nextIsLast = !held.last && next.last

  // Stage 1: each place alone.
  private val header = if (config.everyToken) held.first && held.bytes(0) === 17 && (!held.last || held.count >= 5) else False
  private val badVersion = held.bytes(1).asUInt > 1
  private val zeroRuns = RegInit(False)
  private val zeroRunsNow = held.first ? (header && held.bytes(1) =/= 0) | zeroRuns
  when(complete) { zeroRuns := zeroRunsNow }

  /** The stream's end is `place` bytes behind the row's start. */
  private def endsAt(place: Int): Bool = {
    val inHeld = if (place <= rowBytes) held.last && held.count === place else False
    val inNext = if (place >= rowBytes) nextIsLast && next.count === place - rowBytes else False
    inHeld || inNext
  }

  private val decoded = Reg(Vec(InstructionPlace(config), rowBytes + reach))
  private val runs = Reg(Vec(RunPlace(config), rowBytes))
  private val ends = (2 until rowBytes + reach + 4).map(place => place -> new MatchEnd(window, place)).toMap
  for (place <- 0 until rowBytes + reach)
    decoded(place) := InstructionPlace.decode(config, window, ends, place)
  for (place <- 0 until rowBytes) {
    runs(place) := RunPlace.decode(config, window, place)
    when(InstructionPlace.isEndMark(window, place) && endsAt(place + 3)) {
      decoded(place).kind := StepKind.token
      decoded(place).joins := False
      decoded(place).next := PlaceStep.pageEnd
      decoded(place).afterLiterals := False
    }
  }
  // The page's first byte, or the one behind its version header, may be a run without instruction.
  for ((place, opens) <- Seq(0 -> (held.first && !header), 2 -> (held.first && header)).take(if (config.everyToken) 2 else 1))
    when(opens && window(place).bits.asUInt > 17) { runs(place).open(place) }
  if (config.everyToken) when(header) {
    runs(0).isRun := True
    runs(0).kind := badVersion ? StepKind.slow | StepKind.alone
    runs(0).next := badVersion ? U(0, 6 bits) | U(2, 6 bits)
  }
  private val valid = RegNext(complete) init False
  private val flags = new Area {
    val last = RegNext(held.last)
    val nextIsLast = RegNext(RowPreparer.this.nextIsLast)
    val zeroRuns = config.everyToken generate RegNext(zeroRunsNow)
  }

  // Stage 2: pairs.
  io.output.valid := valid
  io.output.walked.last := flags.last
  io.output.walked.nextIsLast := flags.nextIsLast
  if (config.everyToken) io.output.walked.zeroRuns := flags.zeroRuns
  for (place <- 0 until rowBytes) {
    val first = decoded(place)
    val output = io.output.places(place)
    val steps = io.output.walked.steps(place)
    val step = steps.last
    step.kind := first.kind
    step.next := first.next
    step.afterLiterals := first.afterLiterals
    step.pair := False
    output.second := first.next.resized
    output.literalsAt(0) := first.literalsAt
    if (config.tokens == 1) output.literalsAt(1) := 0
    else {
      // Among `reach` neighbours the lowest bits of `next` tell which.
      val candidates = Vec((0 until reach).map(low => decoded((place + 1 to place + reach).find(_ % reach == low).get)))
      val second = candidates.read(first.next(log2Up(reach) - 1 downto 0))
      output.literalsAt(1) := second.literalsAt
      when(first.short && second.joins && (if (config.everyToken) first.afterLiterals || !second.low else !second.low)) {
        step.pair := True
        step.next := second.next
        step.afterLiterals := second.afterLiterals
      }
    }
    val run = runs(place)
    output.isRun := run.isRun
    if (config.everyToken) steps(0) := step
    when(run.isRun) {
      steps(0).kind := run.kind
      steps(0).next := run.next
      steps(0).afterLiterals := (if (config.everyToken) run.kind =/= StepKind.alone else True)
      steps(0).pair := False
    }
  }
}
