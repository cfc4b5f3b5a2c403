// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.compressor.{CompressorParameter, FirstSet, WindowTokens}
import pagepress.engine.decompressor.Lanes
import pagepress.interface.ColdFormat

/** A window of the compressor, with its page's limit. */
case class LimitedWindow(parameter: CompressorParameter) extends Bundle {
  val tokens = WindowTokens(parameter)
  val limit = UInt(parameter.config.lengthWidth bits)
}

/** A sequence as it waits to be encoded. */
case class StoredSequence(pageBytes: Int) extends Bundle {
  val literals, length = UInt(log2Up(pageBytes + 1) bits)
  val offset = UInt(log2Up(pageBytes + ColdFormat.FIRST_OFFSETS.size) bits) // what names the match's distance
}

/** A page that is cut into literals and sequences, all of them stored in its bank. */
case class CollectedPage(parameter: CompressorParameter, banks: Int) extends Bundle {
  val bank = UInt(log2Up(banks) bits)
  val literals = UInt(log2Up(parameter.pageBytes + 1) bits)
  val sequences = UInt(ColdEncoder.sequenceBits(parameter) bits)
  val limit = UInt(parameter.config.lengthWidth bits)
}

/** Cuts windows into literals and sequences and stores them, each kind in its order, page by page in banks in turn.
  *
  * A step takes what a window has up to a match's end: a window takes a cycle for each match that begins in it, one more for literals
  * behind its last match, and at least one. A page begins when `room` is up, which says that a bank is free; `begins` is up for one
  * cycle then. `page` comes when all of it is stored.
  */
class SequenceCollector(parameter: CompressorParameter, banks: Int) extends Component {
  import parameter._
  private val bufferBytes = banks * pageBytes
  private val numberBits = log2Up(pageBytes + 1)
  val io = new Bundle {
    val source = slave(Stream(LimitedWindow(parameter)))
    val room = in Bool ()
    val begins = out Bool ()
    val row = master(Flow(StoredRow(bufferBytes)))
    val sequenceAt = out UInt (log2Up(banks) + ColdEncoder.sequenceBits(parameter) bits)
    val sequence = master(Flow(StoredSequence(pageBytes)))
    val page = master(Stream(CollectedPage(parameter, banks)))
  }

  /** Literals of a window, then the match behind them. */
  private case class Step() extends Bundle {
    val data = Vec(Bits(8 bits), windowBytes)
    val from = UInt(countWidth bits)
    val literals = UInt(countWidth bits)
    val covered = UInt(countWidth bits) // bytes of the match before, with a window's first step
    val matches = Bool()
    val length = UInt(countWidth bits) // in this window
    val distance = UInt(positionWidth bits) // less one
    val last = Bool() // of the page
    val limit = UInt(config.lengthWidth bits)
  }
  private val cut = new Area {
    private val first = RegInit(True) // step of a window
    private val opens = RegInit(True) // a page
    private val begun = Reg(Bits(windowBytes bits)) // matches that have gone
    private val at = Reg(UInt(countWidth bits))
    private val tokens = io.source.tokens
    private val left = tokens.starts & ~begun.andMask(!first)
    private val from = first ? tokens.covered | at
    private val start = FirstSet.index(left)
    private val matches = left.orR
    private val one = FirstSet.mask(left)
    private val length = MuxOH.or(one, tokens.length)
    private val behind = start.resize(countWidth) + length
    private val ends = !matches || ((left & ~one) === 0 && behind === tokens.count)
    val step = Stream(Step())
    private val held = opens && !io.room
    step.valid := io.source.valid && !held
    step.data := tokens.data
    step.from := from
    step.literals := (matches ? start.resize(countWidth) | tokens.count) - from
    step.covered := first ? tokens.covered | U(0)
    step.matches := matches
    step.length := length
    step.distance := tokens.distance.read(MuxOH.or(one, tokens.channel))
    step.last := ends && tokens.last
    step.limit := io.source.limit
    io.source.ready := step.ready && ends && !held
    io.begins := step.fire && opens
    when(step.fire) {
      first := ends
      begun := begun.andMask(!first) | one
      at := behind
      opens := step.last
    }
  }
  private val step = cut.step.m2sPipe()

  // A match lasts as long as windows are covered from their beginning, so it is known whole when the next one begins.
  private case class Open() extends Bundle {
    val literals, length = UInt(numberBits bits)
    val distance = UInt(positionWidth bits)
  }
  private val bank = Reg(UInt(log2Up(banks) bits)) init 0
  private val open = Reg(Open())
  private val isOpen, ending = RegInit(False)
  private val run = Reg(UInt(numberBits bits)) init 0 // literals since
  private val literals = Reg(UInt(numberBits bits)) init 0 // of the page
  private val closed = Flow(Open())
  closed.valid := False
  closed.literals := open.literals
  closed.distance := open.distance
  closed.length := open.length + step.covered.andMask(!ending)
  step.ready := step.valid && !ending && !step.last
  when(step.valid && !ending) {
    run := run + step.literals
    literals := literals + step.literals
    open.length := closed.length
    when(step.matches) {
      closed.valid := isOpen
      isOpen := True
      open.literals := run + step.literals
      open.length := step.length.resized
      open.distance := step.distance
      run := 0
    }
    ending := step.last
  }
  private val late = closed.m2sPipe()
  io.page.valid := ending && RegNext(ending).init(False) && !isOpen && !late.valid // its last row is written
  io.page.bank := bank
  io.page.literals := literals
  io.page.limit := step.limit
  when(ending) {
    closed.valid := isOpen
    isOpen := False
  }
  when(io.page.fire) {
    step.ready := True
    ending := False
    run := 0
    literals := 0
    bank := bank + 1
  }

  // What names the distance.
  private val naming = new Area {
    private val recent = Vec(ColdFormat.FIRST_OFFSETS.map(Reg(UInt(positionWidth + 1 bits)) init _))
    private val distance = late.distance +^ 1
    private val behindLiterals = late.literals =/= 0
    private val equal = recent.map(_ === distance)
    private val first = equal(0) && behindLiterals
    private val second = equal(1) && !first
    private val third = equal(2) && !first && !second
    private val less = !behindLiterals && distance === recent(0) - 1
    private val named = UInt(2 bits)
    named := (first ? U(0) | (second ? U(1) | U(2))) + behindLiterals.asUInt
    val offset = (first || second || third) ? named.resize(io.sequence.offset.getWidth) |
      (less ? U(3) | (distance.resize(io.sequence.offset.getWidth) + 3))
    val count = Reg(UInt(ColdEncoder.sequenceBits(parameter) bits)) init 0
    when(late.valid) {
      count := count + 1
      recent(0) := distance
      when(!first)(recent(1) := recent(0))
      when(!first && !second)(recent(2) := recent(1))
    }
    when(io.page.fire) {
      count := 0
      for ((register, at) <- recent.zip(ColdFormat.FIRST_OFFSETS)) register := at
    }
  }
  io.sequence.valid := late.valid
  io.sequence.literals := late.literals
  io.sequence.length := late.length
  io.sequence.offset := naming.offset
  io.sequenceAt := bank @@ naming.count
  io.page.sequences := naming.count

  // Literals, turned to where the row has got to.
  private val gather = new Area {
    private val lanes = StoredRow.bytes
    private val place = literals.resize(log2Up(lanes))
    private val turn = place - step.from.resize(log2Up(lanes))
    private val turned = new Lanes(lanes).turn(step.data.toSeq.padTo(lanes, B(0, 8 bits)), turn)
    private val behind = place +^ step.literals
    private val row = Vec.fill(lanes)(Reg(Bits(8 bits)))
    private val full = Vec((0 until lanes).map(lane => Mux(place <= lane, turned(lane), row(lane))))
    private val completes = step.valid && !ending && behind >= lanes
    when(step.valid && !ending)(row := Vec((0 until lanes).map(lane => Mux(behind >= lanes, turned(lane), full(lane)))))
    // A page's last row is written again, and whole, when its end is known.
    io.row.valid := RegNext(completes || ending && place =/= 0) init False
    io.row.row := RegNext(bank @@ literals(log2Up(pageBytes) - 1 downto log2Up(lanes)))
    io.row.data := RegNext(Mux(ending, row.asBits, full.asBits))
  }
}
