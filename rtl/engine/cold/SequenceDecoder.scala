// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.compressor.FirstSet

/** Where the sequences lie in the frame, and how many there are, at least one. */
case class SequenceStream(bufferBytes: Int) extends Bundle {
  val begin, end = UInt(log2Up(bufferBytes) + 1 bits) // its first byte; the byte behind its last
  val count = UInt(15 bits)
}

/** A sequence as the stream has it. */
case class ColdSequence() extends Bundle {
  val literals, length, offset = UInt(CodeTable.valueBits bits) // its literals, its match, and what names the match's distance
  val cut = Bool() // the stream ends before it: nothing else counts
  val last = Bool()
  val uneven = Bool() // with `last`: bits are left behind it
}

/** Decodes a page's sequences, one every two cycles.
  *
  * `start` begins; then sequences come, up to a last one, or to one that is `cut`, behind which whatever comes means nothing. `stop` ends
  * it at any time; `idle` tells when the next may start.
  *
  * The loop takes two cycles: `values` knows of the three states how many bits of values and of next states follow, and passes the
  * former; `states` has the latter in its window, and reads the next states out of their tables, which are block memories. What the
  * values are is worked out behind the loop.
  */
class SequenceDecoder(bufferBytes: Int) extends Component {
  import CodeTable._

  /** Most bits of values of a sequence: of an offset, a match length, a literal length. */
  private val (mostOffset, mostMatch) = (offset.extras.max, matchLength.extras.max)
  private val width = mostOffset + mostMatch + literalLength.extras.max
  val io = new Bundle {
    val write = slave(Flow(StoredRow(bufferBytes)))
    val start = slave(Flow(SequenceStream(bufferBytes)))
    val stop = in Bool ()
    val idle = out Bool ()
    val sequence = master(Stream(ColdSequence()))
  }
  private val memory = new StreamMemory(bufferBytes)
  private val bits = new BackwardBits(width, bufferBytes)
  memory.io.write << io.write
  memory.io.request << bits.io.request.toFlow
  bits.io.response << memory.io.response
  bits.io.open.valid := io.start.valid
  bits.io.open.payload := io.start.end

  private object Mode extends SpinalEnum(binaryOneHot) {
    val idle, open, first, values, states = newElement()
  }
  private val mode = RegInit(Mode.idle)
  private val begin = Reg(cloneOf(io.start.begin))
  private val left = Reg(cloneOf(io.start.count))
  private val window = bits.io.window
  private def next(count: Int, from: Int = 0): Bits = window(width - 1 - from downto width - from - count)

  // States.
  private val literalNext, matchNext, offsetNext = UInt(stateBits bits)
  private val reads = Bool()
  private val literalState = RegNextWhen(literalLength.state(literalNext), reads)
  private val matchState = RegNextWhen(matchLength.state(matchNext), reads)
  private val offsetState = RegNextWhen(offset.state(offsetNext), reads)
  private val valueBits = offsetState.extra +^ matchState.extra + literalState.extra.resize(extraBits + 1)
  private val literalMatchBits = literalState.bits +^ matchState.bits
  private val moreBits = literalMatchBits +^ offsetState.bits

  // What is between the two cycles: how far each state's bits are from the end of a field that is long enough, and which of it they are.
  private val (literalField, matchField, offsetField) = (literalLength.log, literalLength.log + matchLength.log,
    literalLength.log + matchLength.log + offset.log)
  private val step = new Area {
    val take = Reg(UInt(5 bits))
    val literalPlace = Reg(UInt(4 bits))
    val matchPlace, offsetPlace = Reg(UInt(5 bits))
    val matchMask, offsetMask = Reg(Bits(stateBits bits))
    val literalBase, matchBase, offsetBase = Reg(UInt(stateBits bits))
    when(mode === Mode.values) {
      take := moreBits.resized
      literalPlace := U(literalField, 4 bits) - literalState.bits
      matchPlace := (U(matchField, 5 bits) - literalMatchBits).resized
      offsetPlace := (U(offsetField, 5 bits) - moreBits).resized
      matchMask := SequenceDecoder.ones(matchState.bits)
      offsetMask := SequenceDecoder.ones(offsetState.bits)
      literalBase := literalState.next
      matchBase := matchState.next
      offsetBase := offsetState.next
    }
  }
  private def more(field: Int, place: UInt): Bits = (next(field) >> place).resize(stateBits)
  when(mode === Mode.first) {
    literalNext := next(literalLength.log).asUInt.resized
    offsetNext := next(offset.log, literalLength.log).asUInt.resized
    matchNext := next(matchLength.log, literalLength.log + offset.log).asUInt.resized
  } otherwise {
    literalNext := step.literalBase | more(literalField, step.literalPlace).asUInt
    matchNext := step.matchBase | (more(matchField, step.matchPlace) & step.matchMask).asUInt
    offsetNext := step.offsetBase | (more(offsetField, step.offsetPlace) & step.offsetMask).asUInt
  }

  /** What is left to work out of a sequence. */
  private case class Raw() extends Bundle {
    val window = Bits(width bits)
    val offsetBits, matchBits, literalBits = UInt(extraBits bits)
    val offsetPlace, matchPlace, literalPlace = UInt(6 bits) // from the end of a field that is long enough to their last bits
    val matchCode, literalCode = UInt(codeBits bits)
    val at = UInt(BackwardBits.pointerBits(bufferBytes) bits) // where the values end
    val endless = Bool()
    val last = Bool()
  }
  private val raw = Stream(Raw())
  private val endless = next(8) === 0 && mode === Mode.open
  raw.valid := bits.io.valid && (mode === Mode.values || endless)
  raw.window := window
  raw.offsetBits := offsetState.extra
  raw.matchBits := matchState.extra
  raw.literalBits := literalState.extra
  raw.offsetPlace := U(mostOffset, 6 bits) - offsetState.extra
  raw.matchPlace := (U(mostOffset + mostMatch, 6 bits) - (offsetState.extra +^ matchState.extra)).resized
  raw.literalPlace := (U(width, 6 bits) - valueBits).resized
  raw.matchCode := matchState.code
  raw.literalCode := literalState.code
  raw.at := bits.io.at - valueBits
  raw.endless := endless
  raw.last := left === 1

  bits.io.take.valid := False
  bits.io.take.payload := mode.mux(
    Mode.open -> (FirstSet.index(next(8).reversed).resize(bits.io.take.payload.getWidth) + 1),
    Mode.first -> U(literalField + offset.log + matchLength.log, bits.io.take.payload.getWidth bits),
    Mode.values -> valueBits.resize(bits.io.take.payload.getWidth),
    default -> step.take.resize(bits.io.take.payload.getWidth))
  reads := False
  bits.io.close := io.stop
  switch(mode) {
    is(Mode.open) {
      when(bits.io.valid && !endless) {
        bits.io.take.valid := True
        mode := Mode.first
      }
      when(raw.fire) { mode := Mode.idle }
    }
    is(Mode.first) {
      when(bits.io.valid) {
        bits.io.take.valid := True
        reads := True
        mode := Mode.values
      }
    }
    is(Mode.values) {
      when(raw.fire) {
        bits.io.take.valid := True
        left := left - 1
        mode := raw.last ? Mode.idle | Mode.states
      }
    }
    is(Mode.states) {
      when(bits.io.valid) {
        bits.io.take.valid := True
        reads := True
        mode := Mode.values
      }
    }
  }
  when(io.stop)(mode := Mode.idle)
  when(io.start.valid) {
    mode := Mode.open
    begin := io.start.begin
    left := io.start.count
  }
  io.idle := mode === Mode.idle && bits.io.idle

  // Behind the loop: the values' own bits, then what their codes add.
  private case class Parts() extends Bundle {
    val offset = UInt(CodeTable.valueBits bits)
    val matchMore, matchBase, literalMore, literalBase = UInt(CodeTable.valueBits bits)
    val cut, last, uneven = Bool()
  }
  private val held = raw.throwWhen(io.stop).m2sPipe(flush = io.stop)
  private val parts = held.map { raw =>
    def number(field: Int, place: UInt, count: UInt): UInt =
      ((raw.window(width - 1 downto width - field) >> place).resize(CodeTable.valueBits) & SequenceDecoder.ones(count, CodeTable.valueBits)).asUInt
    val parts = Parts()
    val above = (raw.at - (begin << 3)).asSInt // of bits left
    parts.offset := number(mostOffset, raw.offsetPlace, raw.offsetBits) | (U(1, CodeTable.valueBits bits) |<< raw.offsetBits)
    parts.matchMore := number(mostOffset + mostMatch, raw.matchPlace, raw.matchBits)
    parts.matchBase := matchLength.base(raw.matchCode)
    parts.literalMore := number(width, raw.literalPlace, raw.literalBits)
    parts.literalBase := literalLength.base(raw.literalCode)
    parts.cut := raw.endless || above.sign
    parts.last := raw.last
    parts.uneven := above =/= 0
    parts
  }.m2sPipe(flush = io.stop)
  io.sequence.arbitrationFrom(parts)
  io.sequence.literals := parts.literalBase + parts.literalMore
  io.sequence.length := parts.matchBase + parts.matchMore
  io.sequence.offset := parts.offset
  io.sequence.cut := parts.cut
  io.sequence.last := parts.last
  io.sequence.uneven := parts.uneven
}

object SequenceDecoder {
  /** The lowest `count` bits. */
  def ones(count: UInt, width: Int = CodeTable.stateBits): Bits = Vec((0 until width).map(count > _)).asBits
}
