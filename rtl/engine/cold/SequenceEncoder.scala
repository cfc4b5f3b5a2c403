// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.compressor.CompressorParameter
import pagepress.interface.ColdFormat

/** Encodes a page's sequences, one a cycle, the last one first.
  *
  * `start` begins, with the number of the last sequence in their memory and how many there are, at least one; `at` asks the memory, which
  * answers in the next cycle. `busy` falls when the last word of the stream has left, and `bytes` is the stream's length then.
  *
  * The loop from a state to the next is a block memory's output to its own address: a code's entries, chosen by the upper bits of
  * the state it comes from.
  */
class SequenceEncoder(parameter: CompressorParameter, banks: Int, lengthBits: Int) extends Component {
  import parameter.pageBytes
  private val addressBits = log2Up(banks) + ColdEncoder.sequenceBits(parameter)
  val io = new Bundle {
    val start = slave(Flow(SequenceRun(addressBits)))
    val at = out UInt (addressBits bits)
    val sequence = in(StoredSequence(pageBytes))
    val word = master(Flow(Bits(64 bits)))
    val busy = out Bool ()
    val bytes = out UInt (lengthBits bits)
  }
  private val left, at = Reg(UInt(addressBits bits)) init 0
  private val running, first, ends = RegInit(False) // `ends`: the states that a decoder begins with
  io.at := at
  when(left =/= 0) {
    left := left - 1
    at := at - 1
    first := False
    ends := left === 1
  }
  when(ends)(ends := False)
  when(io.start.valid) {
    left := io.start.count
    at := io.start.last
    first := True
    running := True
  }

  /** How an item passes: a sequence, a page's first, or what comes behind its last. */
  private case class Kind() extends Bundle {
    val first, ends = Bool()
  }
  private case class Item[T <: Data](body: HardType[T]) extends Bundle {
    val kind = Kind()
    val literals, matches, offset = body()
  }
  private def each[A <: Data, B <: Data](from: Flow[Item[A]], body: HardType[B])(make: (CodeTable, A) => B): Flow[Item[B]] =
    from.map { item =>
      val made = Item(body)
      made.kind := item.kind
      made.literals := make(CodeTable.literalLength, item.literals)
      made.matches := make(CodeTable.matchLength, item.matches)
      made.offset := make(CodeTable.offset, item.offset)
      made
    }.m2sPipe()

  private val valueBits = io.sequence.offset.getWidth max io.sequence.length.getWidth
  private val values = Flow(Item(HardType(UInt(valueBits bits))))
  values.valid := RegNext(left =/= 0 || ends) init False
  values.kind.first := RegNext(first)
  values.kind.ends := RegNext(ends)
  values.literals := io.sequence.literals.resized
  values.matches := io.sequence.length.resized
  values.offset := io.sequence.offset.resized

  private case class Coded() extends Bundle {
    val value = UInt(valueBits bits)
    val code = UInt(CodeTable.codeBits bits)
  }
  private val coded = each(values, HardType(Coded())) { (table, value) =>
    val coded = Coded()
    coded.value := value
    coded.code := table.codeOf(value)
    coded
  }
  private case class Known() extends Bundle {
    val more = Bits(valueBits bits) // above the code's smallest value
    val extra = UInt(CodeTable.extraBits bits)
    val least = UInt(4 bits)
    val place, begin = UInt(10 bits) // in the memory of transitions
  }
  private val known = each(coded, HardType(Known())) { (table, coded) =>
    val known = Known()
    known.more := (coded.value - table.base(coded.code)).asBits.resized
    known.extra := table.extra(coded.code)
    known.least := table.least(coded.code)
    known.place := table.place(coded.code).resized
    known.begin := table.begin(coded.code).resized
    known
  }

  // The loop.
  private case class Written() extends Bundle {
    val state = Bits(CodeTable.stateBits bits) // bits of the state it comes from, and how many
    val count = UInt(4 bits)
    val more = Bits(valueBits bits)
    val extra = UInt(CodeTable.extraBits bits)
  }
  private val moves = known.valid && !known.kind.ends
  private val kind = RegNext(known.kind)
  private class Loop(table: CodeTable, known: Known) extends Area {
    val entry = Bits(CodeTable.stateBits + 1 bits)
    val state = entry(CodeTable.stateBits - 1 downto 0)
    private val upper = (state >> known.least).resize(table.transitionBits)
    entry := RegNextWhen(table.transition(
      (SequenceEncoder.this.known.kind.first ? known.begin.resize(table.transitionBits) | (known.place.resize(table.transitionBits) | upper.asUInt))), moves)
    private val least = RegNext(known.least)
    private val from = RegNext(state)
    val written = Written()
    written.count := kind.first ? U(0) | (least + entry.msb.asUInt)
    written.state := from & SequenceDecoder.ones(written.count)
    written.more := RegNext(known.more)
    written.extra := RegNext(known.extra)
  }
  private val loops = Seq(CodeTable.literalLength -> known.literals, CodeTable.matchLength -> known.matches, CodeTable.offset -> known.offset)
    .map { case (table, known) => new Loop(table, known) }
  private val written = Flow(Item(HardType(Written())))
  written.valid := RegNext(known.valid) init False
  written.kind := kind
  for ((to, loop) <- Seq(written.literals, written.matches, written.offset).zip(loops)) to := loop.written
  when(kind.ends) {
    // In the order match, offset, literals.
    for ((to, loop, table) <- Seq((written.offset, loops(1), CodeTable.matchLength), (written.matches, loops(2), CodeTable.offset),
      (written.literals, loops(0), CodeTable.literalLength))) {
      to.state := loop.state
      to.count := table.log
      to.more := 0
      to.extra := 0
    }
  }

  // All of it in one number: the states' bits, of offset, match and literals; then the values', the other way round.
  private val most = SequenceEncoder.mostBits(pageBytes)
  private case class Parts(widths: Seq[Int]) extends Bundle {
    val last = Bool()
    val parts = Vec(widths.map(PackedBits(_)))
  }
  private def join(low: PackedBits, high: PackedBits): PackedBits = {
    val joined = PackedBits(low.most + high.most)
    joined.value := low.value.resize(joined.most) | (high.value.resize(joined.most) |<< low.count)
    joined.count := (low.count +^ high.count).resized
    joined
  }
  private def state(written: Written): PackedBits = {
    val bits = PackedBits(CodeTable.stateBits)
    bits.value := written.state
    bits.count := written.count
    bits
  }
  private def value(written: Written, table: CodeTable, largest: Int): PackedBits = {
    val bits = PackedBits(table.mostExtra(largest))
    bits.value := written.more.resized
    bits.count := written.extra.resized
    bits
  }
  private def pack(from: Flow[_ <: Data], last: Bool, parts: Seq[PackedBits]): Flow[Parts] = {
    val flow = Flow(Parts(parts.map(_.most)))
    flow.valid := from.valid
    flow.last := last
    for ((to, part) <- flow.parts.zip(parts)) to := part
    flow.m2sPipe()
  }
  private val pairs = pack(written, written.kind.ends, Seq(
    join(state(written.offset), state(written.matches)),
    join(state(written.literals), value(written.literals, CodeTable.literalLength, pageBytes)),
    join(value(written.matches, CodeTable.matchLength, pageBytes), value(written.offset, CodeTable.offset, pageBytes + ColdFormat.FIRST_OFFSETS.size))))
  private val halves = pack(pairs, pairs.last, Seq(join(pairs.parts(0), pairs.parts(1)), pairs.parts(2)))
  private val whole = pack(halves, halves.last, Seq(join(halves.parts(0), halves.parts(1))))

  private val packer = new BitPacker(most, lengthBits)
  packer.io.bits.valid := whole.valid
  packer.io.bits.last := whole.last
  packer.io.bits.fragment.value := whole.parts(0).value.resized
  packer.io.bits.fragment.count := whole.parts(0).count.resized
  io.word << packer.io.word
  io.bytes := packer.io.bytes
  when(packer.io.done)(running := False)
  io.busy := running
}

/** Which sequences to encode: `count` of them up to number `last`. */
case class SequenceRun(addressBits: Int) extends Bundle {
  val last, count = UInt(addressBits bits)
}

object SequenceEncoder {
  /** Most bits of a sequence of a page: what its match covers are neither literals before it nor bytes that it reaches back over. */
  def mostBits(pageBytes: Int): Int = {
    import CodeTable._
    val values = for ((covered, extra) <- matchLength.bases.zip(matchLength.extras) if covered < pageBytes) yield {
      val before = pageBytes - covered
      literalLength.mostExtra(before) + extra + offset.mostExtra(before + ColdFormat.FIRST_OFFSETS.size)
    }
    literalLength.log + matchLength.log + offset.log + values.max
  }
}
