// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** Where the next tokens stand in the stream, or the page's end. Places count from the start of `row`. */
case class TokenStep(config: DecompressorConfig) extends Bundle {
  val pageEnd = Bool()
  val malformed = Bool() // with pageEnd
  val row = UInt(log2Up(config.rows) bits)
  val start = UInt(4 bits)
  val end = UInt(6 bits) // behind the last literal
  val literalsAt = Vec(UInt(3 bits), 2) // from each token's start
  val pair = Bool()
  val second = UInt(5 bits) // the second token's start
  val isRun = Bool() // the instruction at `start` is a literal run

  /** Read byte by byte: nothing of the instruction is left to decode, its literals begin at `start`. */
  val direct = Bool()
  val zeroRun = Bool()
  val matchLength = UInt(config.lengthBits bits)
  val distance = UInt(16 bits)
  val literals = UInt(5 bits)
  val runLength = UInt(config.lengthBits bits)
  val afterLongRun = Bool() // the literals belong to a run of at least four
}

/** Follows a stream from instruction to instruction over prepared rows: the parser's only loop.
  *
  * A step of one or two tokens, or of a run's next `literalBytes`, takes one cycle; so does an end mark, and a run that
  * does not fit a token takes one more. Everything else goes byte by byte, two cycles each, four length zeros at a time.
  * A page whose end mark is missing, wrong or not at the end is walked to its last row and ends `malformed`; what lies
  * behind its last row is never looked at as if it belonged to it.
  *
  * No step is made in a cycle in which `enable` is low.
  */
class TokenWalker(config: DecompressorConfig) extends Component {
  private val numberBits = log2Up(2 * config.rows) bits
  val io = new Bundle {
    val parsable = in UInt (numberBits) // in the next cycle
    val walked = out UInt (numberBits)
    val prepared = master(RowRead(config, PreparedRow(config)))
    val rows = Vec.fill(2)(master(RowRead(config, StreamRow(config))))
    val enable = in Bool ()
    val step = master(Flow(TokenStep(config)))
  }

  private object Mode extends SpinalEnum {
    /** At an instruction. */
    val instruction = newElement()
    /** In a literal run: its first step, when its length is known from its bytes only; the others. */
    val runStart, run = newElement()
    /** At an instruction, in the length bytes of a run or copy. */
    val slow, runLength, copyLength = newElement()
    /** No good: on to the page's last row. */
    val drain = newElement()
    /** Past the page's last row without an end mark. */
    val overrun = newElement()
  }
  private val mode = RegInit(Mode.instruction)
  private val row = Reg(UInt(numberBits)) init 0
  private val nextRow = Reg(UInt(numberBits)) init 1 // row + 1
  private val start = Reg(UInt(4 bits)) init 0
  private val afterLiterals = RegInit(False)
  private val length = Reg(UInt(config.lengthBits bits)) // left of a run, or collected so far
  private val longer = Reg(Bool()) // what is left of the run does not fit a token
  private val passedTwo = Reg(Bool()) // the last step went past the page's last row and the row behind it
  io.walked := row

  private val index = row(log2Up(config.rows) - 1 downto 0)
  io.prepared.index := index
  io.rows(0).index := index
  io.rows(1).index := nextRow(log2Up(config.rows) - 1 downto 0)
  private val prepared = io.prepared.data
  private val place = prepared.places.read(start)
  private val at = Vec(prepared.places.toList.flatMap(_.steps.toList)).read(start @@ afterLiterals.asUInt)

  private val available = RegInit(False) // the row can be walked
  private val ahead = (io.parsable - row).asSInt
  private val go = io.enable && available

  // The instruction's bytes are looked at a cycle later.
  private val bytes = Reg(Vec(Bits(8 bits), 4))
  private val zeros = Reg(Bits(4 bits)) // which of them are
  private val noDistance = Reg(Bool()) // behind the first of them the distance field is 0
  private val zeroRun = Reg(Bool()) // it is what the page's header gave up for runs of zeros
  private val opensShort = Reg(Bool()) // they open a page with a run that fits a token
  private val openingChunk = Reg(UInt(5 bits)) // literals of that run
  private val bytesValid = RegInit(False)
  private val looking = mode === Mode.instruction || !bytesValid
  private val window = io.rows(0).data.bytes.toList ++ io.rows(1).data.bytes.take(3).toList
  private val looked = Vec((0 until 4).map(i => Vec(window.slice(i, i + config.rowBytes)).read(start)))
  when(looking) {
    bytes := looked
    val field = MatchFields.field14(looked(1), looked(2))
    noDistance := field === 0
    zeroRun := prepared.zeroRuns && field.andR
    opensShort := looked(0)(7 downto 4) =/= 0 && looked(0).asUInt <= 17 + config.literalBytes
    openingChunk := (looked(0).asUInt - 17).resized
    for (i <- 0 until 4) {
      zeros(i) := Vec(window.slice(i, i + config.rowBytes).map(_ === 0)).read(start)
    }
    bytesValid := available
  }

  // In a run. One that does not fit a token has 17 or 18 literals, or more by a length byte; only at a page's start it
  // may be shorter.
  private val isRun = place.isRun && !afterLiterals
  private val runStarts = mode === Mode.runStart
  private val opens = bytes(0)(7 downto 4) =/= 0
  private val runMore = runStarts ? !opensShort | longer
  private val runLess = UInt(config.lengthBits bits) // left of it, but for `literalBytes`
  runLess := length - config.literalBytes
  when(runStarts) {
    runLess := (zeros(0) ? (bytes(1).asUInt.resize(9) + (18 - config.literalBytes)) |
      (bytes(0)(3 downto 0).asUInt.resize(9) - (config.literalBytes - 3))).resized
    when(opens) { runLess := (bytes(0).asUInt.resize(config.lengthBits) - (17 + config.literalBytes)) }
  }
  private val runLeft = runLess + config.literalBytes
  private val chunk = runMore ? U(config.literalBytes, 5 bits) |
    (runStarts ? openingChunk | length.resize(5))
  private val runEnd = start.resize(6) + chunk

  // Byte by byte.
  private val isM4, far = Reg(Bool())
  private val slow = (mode === Mode.slow) ? SlowInstruction.atStart(config, bytes.toList, noDistance, zeroRun) |
    SlowInstruction.atLength(config, bytes.toList, zeros, noDistance, length, mode === Mode.runLength, isM4, far)
  private val slowHead = start.resize(5) + slow.taken
  private val slowLiterals = slow.isMatch ? slow.literals | U(0, 2 bits)
  private val slowEnd = slowHead(3 downto 0).resize(6) + slowLiterals

  // The step.
  private val step = io.step
  private val inSlow = mode === Mode.slow || mode === Mode.runLength || mode === Mode.copyLength
  private val inRun = mode === Mode.runStart || mode === Mode.run
  step.valid := False
  step.pageEnd := False
  step.malformed := mode =/= Mode.instruction
  step.row := index
  step.start := start
  step.end := at.next
  step.literalsAt := place.literalsAt
  step.pair := at.pair
  step.second := place.second
  step.isRun := isRun
  step.direct := mode =/= Mode.instruction
  step.zeroRun := slow.zeroRun && inSlow
  step.matchLength := inSlow ? slow.length | U(0)
  step.distance := slow.distance
  step.literals := inSlow ? slowLiterals.resize(5) | chunk
  step.runLength := inSlow ? slowLiterals.resize(config.lengthBits) | runLeft
  step.afterLongRun := inRun && !(runStarts && opens && bytes(0).asUInt < 17 + 4)
  when(isRun) { step.literalsAt(0) := 1 }
  when(inRun) { step.end := runEnd }
  when(inSlow) {
    step.row := index + slowHead.msb.asUInt
    step.start := slowHead(3 downto 0)
    step.end := slowEnd
  }

  // Where it leads.
  private val moves = False
  private val next = UInt(6 bits)
  next := at.next
  when(inRun) { next := runMore ? (start.resize(6) + config.rowBytes) | runEnd }
  when(inSlow) { next := start.resize(6) + slow.taken + slowLiterals }
  when(mode === Mode.drain) { next := config.rowBytes }
  private val pageEnds = False // here, so whatever lies behind is the next page's
  private val rowsOn = next(5 downto 4)
  private val leaves = !pageEnds && (rowsOn =/= 0 && prepared.last || rowsOn.msb && prepared.nextIsLast)

  switch(mode) {
    is(Mode.instruction) {
      when(go) {
        moves := True
        afterLiterals := at.afterLiterals
        switch(at.kind) {
          is(StepKind.token) { step.valid := True }
          is(StepKind.run) { mode := Mode.runStart }
          is(StepKind.skip) {}
          is(StepKind.slow) { mode := Mode.slow }
          is(StepKind.end) { pageEnds := True }
        }
      }
    }
    is(Mode.runStart, Mode.run) {
      when(go) {
        moves := True
        step.valid := True
        length := runLess
        longer := length > 2 * config.literalBytes
        when(runStarts) {
          // One told by a token's four bits has a byte or two left, one told by a length byte 2 and that.
          longer := opens ? (bytes(0).asUInt > 17 + 2 * config.literalBytes) |
            (zeros(0) && bytes(1).asUInt > 2 * config.literalBytes - 18)
        }
        mode := runMore ? Mode.run | Mode.instruction
      }
    }
    is(Mode.slow, Mode.runLength, Mode.copyLength) {
      when(go && bytesValid) {
        bytesValid := False
        moves := True
        length := slow.length
        when(mode === Mode.slow) {
          mode := bytes(0)(7 downto 4).orR ? Mode.copyLength | Mode.runLength
          isM4 := !bytes(0)(5)
          far := bytes(0)(3)
        } elsewhen (mode === Mode.runLength && !zeros(0)) {
          mode := Mode.run
          longer := True // or one length byte would have told it
          afterLiterals := True
        }
        when(slow.isMatch) {
          step.valid := !slow.illegal
          mode := Mode.instruction
          afterLiterals := slow.literals =/= 0
          when(slow.illegal) {
            moves := False
            mode := Mode.drain
          }
        }
      }
    }
    is(Mode.drain) {
      when(go) {
        moves := True
        pageEnds := prepared.last
      }
    }
    is(Mode.overrun) {
      when(io.enable) { pageEnds := True }
    }
  }
  available := ahead > 0
  when(moves) {
    available := rowsOn.msb ? (ahead > 2) | (rowsOn.lsb ? (ahead > 1) | (ahead > 0))
    start := next(3 downto 0)
    row := rowsOn.msb ? (row + 2) | (rowsOn.lsb ? nextRow | row)
    nextRow := rowsOn.msb ? (row + 3) | (rowsOn.lsb ? (row + 2) | nextRow)
    passedTwo := rowsOn.msb && prepared.last
    when(leaves) { mode := Mode.overrun }
  }
  when(pageEnds) {
    step.valid := True
    step.pageEnd := True
    mode := Mode.instruction
    start := 0
    afterLiterals := False
  }
  when(mode === Mode.overrun && pageEnds && passedTwo) {
    available := ahead > -1
    row := row - 1
    nextRow := row
  }
}
