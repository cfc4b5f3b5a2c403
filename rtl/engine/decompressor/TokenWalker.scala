// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Where the next tokens stand in the stream, or the page's end. Places count from the start of `row`. */
case class TokenStep(config: DecompressorConfig) extends Bundle {
  val pageEnd = Bool()
  val malformed = Bool() // with pageEnd
  val row = UInt(log2Up(config.rows) bits)
  val start = UInt(4 bits)
  val end = UInt(6 bits) // behind the last literal
  val pair = Bool()
  val afterLiterals = config.everyToken generate Bool() // the instruction at `start` is no literal run

  /** Read byte by byte: nothing of the instruction is left to decode, its literals begin at `start`. */
  val direct = Bool()
  val zeroRun = config.everyToken generate Bool()
  val matchLength = UInt(config.lengthBits bits)
  val distance = UInt(16 bits)
  val literals = UInt(5 bits)
  val runLength = UInt(config.lengthBits bits)
  val afterLongRun = config.everyToken generate Bool() // the literals belong to a run of at least four
}

/** Follows a stream from instruction to instruction over prepared rows: the parser's only loop.
  *
  * A step of one or two tokens, or of a run's next `literalBytes`, takes one cycle; so does an end mark, and a run that
  * does not fit a token takes one more. Everything else goes byte by byte, three cycles each, four length zeros at a time.
  * A page whose end mark is missing, wrong or not at the end is walked to its last row and ends `malformed`; what lies
  * behind its last row is never looked at as if it belonged to it.
  *
  * No step is made in a cycle in which `enable` is low.
  */
class TokenWalker(config: DecompressorConfig) extends Component {
  private val numberBits = log2Up(2 * config.rows) bits
  val io = new Bundle {
    val parsable = in UInt (numberBits)
    val walked = out UInt (numberBits)
    val prepared = master(RowRead(config, WalkedRow(config)))
    // Both by the number of the row behind, which leaves `prepared`, where the loop closes, a register of its own.
    val rowHere, rowBehind = master(RowRead(config, StreamRow(config)))
    val enable = in Bool ()
    val step = master(Flow(TokenStep(config)))
  }

  private object Mode extends SpinalEnum(binaryOneHot) {
    /** At an instruction. */
    val instruction = newElement()
    /** In a literal run: its first step, when its length is known from its bytes only; the others. */
    val runStart, run = newElement()
    /** At an instruction, in the length bytes of a run or copy. */
    val slow, runLength, copyLength = newElement()
    /** No good: on to the page's last row. */
    val drain = newElement()
  }
  private val mode = RegInit(Mode.instruction)
  private val leftPage, sawEndMark = RegInit(False) // by the last step
  private val overrun = leftPage && !sawEndMark // past the page's last row without an end mark, whatever the mode
  private val passedTwo = Reg(Bool()) // past the row behind it too
  private val row = Reg(UInt(numberBits)) init 0
  private val nextRow = Reg(UInt(numberBits)) init 1 // row + 1
  private val rowAfterNext = Reg(UInt(numberBits)) init 2
  private val rowBefore = Reg(UInt(numberBits)) init ((1 << numberBits.value) - 1) // row - 1
  private val start = Reg(UInt(4 bits)) init 0
  private val afterLiterals = RegInit(False)
  private val length = Reg(UInt(config.lengthBits bits)) // left of a run, or collected so far
  private val longer = Reg(Bool()) // what is left of the run does not fit a token
  private val rest = Reg(UInt(5 bits)) // literals left of a run that is not `longer`
  io.walked := row

  private val index = row(log2Up(config.rows) - 1 downto 0)
  io.prepared.index := index
  io.rowHere.index := nextRow(log2Up(config.rows) - 1 downto 0)
  io.rowBehind.index := io.rowHere.index
  private val prepared = io.prepared.data
  private val at = Choose(prepared.steps.flatMap(_.toSeq), if (config.everyToken) start @@ afterLiterals.asUInt else start)

  private val available = RegInit(False) // the row can be walked
  /** Whether more than `rows` rows, -1 to 2, can be parsed from `row` on: it is never more than one beyond the first that cannot. No
    * difference of the two: its carries would begin the longest path of the loop. */
  private def ahead(rows: Int): Bool = Seq(rowBefore, row, nextRow, rowAfterNext).take(rows + 2).map(io.parsable =/= _).andR
  private val go = io.enable && available && !overrun
  private val atInstruction = mode === Mode.instruction
  private val runStarts = mode === Mode.runStart
  private val inRun = runStarts || mode === Mode.run
  private val inSlow = mode === Mode.slow || mode === Mode.runLength || mode === Mode.copyLength

  // The instruction's bytes are looked at a cycle later.
  private val bytes = Reg(Vec(Bits(8 bits), 4))
  private val zeroRuns = config.everyToken generate Reg(Bool()) // the page's header gave up the farthest distance for runs of zeros
  private val opens = Reg(Bool()) // the first of them cannot be a run's, unless it opens a page
  private val opensShort = Reg(Bool()) // with 18 to 33, a run that fits a token
  private val extended = Reg(Bool()) // a run's first byte leaves its length to the next
  private val bytesValid = RegInit(False)
  private val looking = atInstruction || !bytesValid
  private val window = io.rowHere.data.bytes ++ io.rowBehind.data.bytes.take(3)
  private val looked = (0 until 4).map(i => Choose(window.slice(i, i + config.rowBytes), start))
  when(looking) {
    bytes := Vec(looked)
    if (config.everyToken) zeroRuns := prepared.zeroRuns
    opens := looked(0)(7 downto 4) =/= 0
    opensShort := looked(0)(7 downto 4) === 1 || looked(0)(7 downto 1) === 16
    extended := looked(0)(3 downto 0) === 0
    bytesValid := available
  }

  // In a run. One that does not fit a token has 17 or 18 literals, or more by a length byte; only at a page's start it
  // may be shorter.
  private val runBase = runStarts ? (opens ? bytes(0) | (extended ? bytes(1) | bytes(0)(3 downto 0).resize(8)))
    .asUInt.resize(config.lengthBits) | length
  private def runWithout(literals: Int): UInt = { // left of it without so many
    def toAdd(number: Int): UInt = S(number - literals, config.lengthBits bits).asUInt
    runBase + (runStarts ? (opens ? toAdd(-17) | (extended ? toAdd(18) | toAdd(3))) | toAdd(0))
  }
  private val runLeft = runWithout(0)
  private val runLess = runWithout(config.literalBytes)
  private val more = runStarts ? !opensShort | longer
  private val chunk = more ? U(config.literalBytes, 5 bits) | rest
  private val runEnd = more ? (start.resize(6) + config.literalBytes) | (start.resize(6) + rest) // `more` is known last

  // Byte by byte: what the bytes say counts yet a cycle later, which keeps it out of the loop.
  private val isM4, far = if (config.everyToken) Reg(Bool()) else False
  private val zeros = Vec(bytes.map(_ === 0)).asBits
  private val field = MatchFields.field14(bytes(1), bytes(2))
  private val noDistance = field === 0
  private val zeroRun = config.everyToken generate (zeroRuns && field.andR)
  private val slowNow = (mode === Mode.slow) ? (if (config.everyToken) SlowInstruction.atStart(config, bytes.toList, noDistance, zeroRun)
    else SlowInstruction.ownAtStart(config, bytes.toList, RegNextWhen(afterLiterals, atInstruction))) |
    SlowInstruction.atLength(config, bytes.toList, zeros, noDistance, mode === Mode.runLength, isM4, far)
  private val slow = RegNext(slowNow)
  private val slowHead = RegNext(slowNow.head(start)) // `start` rests until the step is made
  private val slowValid = RegNext(inSlow && bytesValid) init False
  // Too long for any page it stays at `saturation` or above instead of wrapping.
  private val slowLength = length(config.lengthBits - 1 downto log2Up(config.saturation)).orR ? length | length + slow.length
  private val slowLiterals = slow.isMatch ? slow.literals | U(0, 2 bits)

  // Where it leads. Only in mode `instruction` that is known late, when the step has been chosen.
  private val moves = False
  private val drained = False // to the last row of a page without end mark
  private val pastEnd = overrun && io.enable
  private val otherNext = UInt(6 bits)
  otherNext := 0
  when(inRun) { otherNext := runEnd }
  when(inSlow) { otherNext := slowHead.resize(6) + slowLiterals }
  when(mode === Mode.drain) { otherNext := config.rowBytes }

  /** `of` the rows moved on; behind an end mark they depend on where the page's last row is. What there is to choose from is
    * known before the step is, and kept, or mapping tools would save LUTs by choosing among steps of both kinds first. */
  private def movedOn[T <: Data](of: Int => T): T = {
    val each = (0 to 2).map(of)
    val other = Choose(each, otherNext(5 downto 4))
    val ways = each.map(value => atInstruction ? value | other) :+ (prepared.last ? of(1) | of(2))
    Choose(ways.map(way => CombInit(way).addAttribute("keep")), at.next(5 downto 4))
  }
  private val endMark = atInstruction && at.next(5 downto 4) === PlaceStep.pageEnd >> 4

  // The step.
  private val step = io.step
  private val opensSmall = config.everyToken generate (opens && bytes(0).asUInt < 17 + 4)
  step.valid := drained || pastEnd
  step.pageEnd := endMark || drained || pastEnd
  step.malformed := !atInstruction || overrun
  step.row := index
  step.start := start
  step.end := at.next
  step.pair := at.pair
  if (config.everyToken) step.afterLiterals := afterLiterals
  step.direct := !atInstruction
  if (config.everyToken) step.zeroRun := slow.zeroRun && inSlow
  step.matchLength := inSlow ? slowLength | U(0)
  step.distance := slow.distance
  step.literals := inSlow ? slowLiterals.resize(5) | chunk
  step.runLength := inSlow ? slowLiterals.resize(config.lengthBits) | runLeft
  if (config.everyToken) step.afterLongRun := inRun && !(runStarts && opensSmall)
  when(inRun) { step.end := runEnd }
  when(inSlow) {
    step.row := index + slowHead.msb.asUInt
    step.start := slowHead(3 downto 0)
    step.end := slowHead(3 downto 0).resize(6) + slowLiterals
  }

  private val otherMode = CombInit(mode) // unless an instruction tells
  switch(mode) {
    is(Mode.instruction) {
      when(go) {
        moves := True
        afterLiterals := at.afterLiterals
        switch(at.kind) {
          is(StepKind.token) { step.valid := True }
          if (!config.everyToken) is(StepKind.alone) { step.valid := True }
          default {}
        }
      }
      rest := (looked(0).asUInt - 17).resize(5)
      length := 0
    }
    is(Mode.runStart, Mode.run) {
      when(go) {
        moves := True
        step.valid := True
        length := runLess
        longer := runStarts ? (opens ? (bytes(0).asUInt > 17 + 2 * config.literalBytes) |
          (extended && bytes(1).asUInt > 2 * config.literalBytes - 18)) | (length > 2 * config.literalBytes)
        rest := runLess.resized
        otherMode := more ? Mode.run | Mode.instruction
      }
    }
    is(Mode.slow, Mode.runLength, Mode.copyLength) {
      when(go && slowValid) {
        bytesValid := False
        slowValid := False
        moves := True
        length := slowLength
        when(mode === Mode.slow) {
          otherMode := bytes(0)(7 downto 4).orR ? Mode.copyLength | Mode.runLength
          if (config.everyToken) {
            isM4 := !bytes(0)(5)
            far := bytes(0)(3)
          }
        } elsewhen (mode === Mode.runLength && !zeros(0)) {
          otherMode := Mode.run
          longer := True // or one length byte would have told it
          afterLiterals := True
        }
        when(slow.isMatch) {
          // Behind the last row it would be held against the end of another page, whose bytes it may be made of.
          step.valid := !slow.illegal && !(slowHead.msb && prepared.last)
          otherMode := Mode.instruction
          afterLiterals := slow.literals =/= 0
          when(slow.illegal) {
            moves := False
            otherMode := Mode.drain
          }
        }
      }
    }
    is(Mode.drain) {
      when(go) {
        moves := True
        drained := prepared.last
      }
    }
  }
  // The kind is known last, so what it chooses from is made before, and kept as in `movedOn`.
  private def unlessAfterLiterals(there: Mode.E): Mode.C =
    if (config.everyToken) there() else afterLiterals ? Mode.drain | there // where it would be M1
  private val modes = Seq(StepKind.token -> Mode.instruction(), StepKind.run -> unlessAfterLiterals(Mode.runStart),
    StepKind.alone -> unlessAfterLiterals(Mode.instruction), StepKind.slow -> Mode.slow())
  mode := Choose(modes.sortBy(_._1.position).map { case (_, there) => CombInit((atInstruction && go) ? there | otherMode).addAttribute("keep") },
    at.kind.asBits.asUInt)
  private val goesBack = pastEnd && passedTwo
  private def leaves(rows: Int): Bool = prepared.last && Bool(rows > 0) || prepared.nextIsLast && Bool(rows > 1)
  available := movedOn(rows => moves ? ahead(rows) | (ahead(0) || goesBack && ahead(-1)))
  row := movedOn(rows => moves ? Seq(row, nextRow, rowAfterNext)(rows) | (goesBack ? rowBefore | row))
  nextRow := movedOn(rows => moves ? Seq(nextRow, rowAfterNext, rowAfterNext + 1)(rows) | (goesBack ? row | nextRow))
  rowAfterNext := movedOn(rows => moves ? Seq(rowAfterNext, rowAfterNext + 1, rowAfterNext + 2)(rows) | (goesBack ? nextRow | rowAfterNext))
  rowBefore := movedOn(rows => moves ? Seq(rowBefore, row, nextRow)(rows) | (goesBack ? (rowBefore - 1) | rowBefore))
  leftPage := movedOn(rows => moves ? (leaves(rows) && !drained) | (overrun && !pastEnd))
  sawEndMark := moves && endMark
  when(moves) {
    start := atInstruction ? at.next(3 downto 0) | otherNext(3 downto 0)
    passedTwo := (atInstruction ? at.next.msb | otherNext.msb) && prepared.last
  }
  when(pastEnd) { start := 0 }
  when(drained || pastEnd) {
    otherMode := Mode.instruction
    afterLiterals := False
  }
}
