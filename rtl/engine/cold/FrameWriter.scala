// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.compressor.CompressorParameter
import pagepress.engine.{ByteStream, EngineResult, StreamWidth}
import pagepress.interface.{ColdFormat, Interface}

/** A page whose streams of bits are all in memory. */
case class EncodedPage(parameter: CompressorParameter, banks: Int) extends Bundle {
  val page = CollectedPage(parameter, banks)
  val literalBytes = Vec(UInt(ColdEncoder.lengthBits(parameter) bits), LiteralDecoder.streams) // of each stream; 0 where there is none
  val sequenceBytes = UInt(ColdEncoder.lengthBits(parameter) bits) // 0 where there are no sequences
}

/** Chooses raw or coded literals, writes the headers and puts a page's frame together, eight bytes a cycle.
  *
  * `page` is taken when its frame has left and its result has been given. Memories answer a word's number in the next cycle. A page
  * whose frame would exceed its limit is refused: its sink is empty. `frees` is up for one cycle when nothing of a page is needed any more.
  */
class FrameWriter(parameter: CompressorParameter, banks: Int) extends Component {
  private val lengthBits = ColdEncoder.lengthBits(parameter)
  private val wordBytes = 8
  private val pageWordBits = log2Up(parameter.pageBytes / wordBytes)
  private val streams = LiteralDecoder.streams
  private val memories = streams + 2 // the streams of literals, the sequences, and raw literals
  val io = new Bundle {
    val page = slave(Stream(EncodedPage(parameter, banks)))
    val at = out UInt (log2Up(banks) + pageWordBits bits)
    val reads = out Bool ()
    val words = in(Vec(Bits(wordBytes * 8 bits), memories))
    val frees = out Bool ()
    val sink = master(ByteStream(parameter.streamBytes))
    val result = master(Stream(EngineResult(parameter.config.lengthWidth)))
  }
  private val page = io.page.page
  private val literals = page.literals.resize(20)

  // What the headers say, worked out in some cycles.
  private val sizes = new Area {
    val four = page.literals >= ColdFormat.FOUR_STREAMS
    private val jumps = U(2 * (streams - 1)).andMask(four)
    val total = RegNext((io.page.literalBytes(0) +^ io.page.literalBytes(1)) +^ (io.page.literalBytes(2) +^ io.page.literalBytes(3)) + jumps)
    val coded = RegNext(total < page.literals)
    private def header(bytes: Seq[(Int, Int)]): UInt = // of the literals: from so many on, so many bytes
      bytes.foldLeft(U(0, 3 bits)) { case (fewer, (from, size)) => Mux(literals >= from, U(size, 3 bits), fewer) }
    val literalHeader = RegNext(coded ? header(Seq(0 -> 3, (1 << 10) -> 4, (1 << 14) -> 5)) | header(Seq(0 -> 1, (1 << 5) -> 2, (1 << 12) -> 3)))
    val sequenceHeader = (page.sequences === 0) ? U(1, 2 bits) | ((page.sequences < 128) ? U(2, 2 bits) | U(3, 2 bits))
    val content = RegNext((coded ? total | page.literals.resize(total.getWidth)) +^ io.page.sequenceBytes + literalHeader + sequenceHeader)
    val length = RegNext(content + (ColdFormat.FRAME_START_BYTES + ColdFormat.BLOCK_START_BYTES))
    val refused = RegNext(length > page.limit)
  }
  private val SETTLED = 6

  /** The frame's parts, in their order; of a part from a memory its number follows from that. */
  private val (start, headers, jumps, raw, firstStream, counts, sequences, over) = (0, 1, 2, 3, 4, 4 + streams, 5 + streams, 6 + streams)
  private val settling = Reg(UInt(log2Up(SETTLED + 1) bits)) init 0
  private val part = Reg(UInt(log2Up(over + 1) bits)) init over
  private val left = Reg(UInt(lengthBits bits)) // bytes of the part
  private val word = Reg(UInt(pageWordBits bits))
  private val owed, ended = RegInit(False) // a result; its sink has ended

  private val block = (sizes.content.resize(21) ## B(ColdFormat.BLOCK_COMPRESSED, 3 bits)).resize(24)
  private val literalHeader = {
    val raw = Mux(page.literals < (1 << 5), (page.literals.resize(5) ## B(ColdFormat.LITERALS_RAW, 3 bits)).resize(40),
      (literals ## (literals >= (1 << 12)) ## True ## B(ColdFormat.LITERALS_RAW, 2 bits)).resize(40))
    def coded(format: UInt, bits: Int): Bits =
      (sizes.total.resize(bits) ## page.literals.resize(bits) ## format ## B(ColdFormat.LITERALS_TREELESS, 2 bits)).resize(40)
    val short = sizes.four.asUInt.resize(2)
    Mux(!sizes.coded, raw, Mux(literals >= (1 << 14), coded(U(3, 2 bits), 18), Mux(literals >= (1 << 10), coded(U(2, 2 bits), 14), coded(short, 10))))
  }
  private val modes = B(ColdFormat.SEQUENCE_MODES, 8 bits)
  private val count = page.sequences.resize(15).asBits
  private val sequenceHeader = Mux(page.sequences < 128, (modes ## count(7 downto 0)).resize(24), modes ## count(7 downto 0) ## True ## count(14 downto 8))

  /** Bytes of each part, and those of the parts that are in no memory. */
  private val frameStart = B(ColdFormat.FRAME_START, 48 bits)
  private val bytes = Vec((0 until over).map {
    case `start` => U(wordBytes, lengthBits bits)
    case `headers` => (sizes.literalHeader +^ 1).resize(lengthBits)
    case `jumps` => U(2 * (streams - 1), lengthBits bits).andMask(sizes.coded && sizes.four)
    case `raw` => page.literals.resize(lengthBits).andMask(!sizes.coded)
    case `counts` => sizes.sequenceHeader.resize(lengthBits)
    case `sequences` => io.page.sequenceBytes
    case stream => io.page.literalBytes(stream - firstStream).andMask(sizes.coded)
  })
  private val immediate = Vec((0 until 1 << log2Up(over + 1)).map {
    case `start` => block(15 downto 0) ## frameStart
    case `headers` => (literalHeader ## block(23 downto 16)).resize(64)
    case `jumps` => Vec(io.page.literalBytes.init.map(_.resize(16).asBits)).asBits.resize(64)
    case _ => sequenceHeader.resize(64)
  })

  private case class Piece() extends Bundle {
    val part = UInt(log2Up(over + 1) bits)
    val immediate = Bits(wordBytes * 8 bits)
    val count = UInt(log2Up(wordBytes + 1) bits)
    val last = Bool()
  }
  private val piece = Stream(Piece())
  private val ends = left <= wordBytes
  private val lastPart = Mux(page.sequences === 0, part === counts, part === sequences)
  piece.valid := part =/= over && (left =/= 0 || sizes.refused)
  piece.part := part
  piece.immediate := immediate(part)
  piece.count := sizes.refused ? U(0) | (ends ? left.resize(log2Up(wordBytes + 1)) | U(wordBytes))
  piece.last := sizes.refused || ends && lastPart
  io.page.ready := False
  when(io.page.valid && part === over && !owed) {
    settling := settling + 1
    when(settling === SETTLED) {
      settling := 0
      part := start
      left := bytes(start)
      word := 0
      owed := True
    }
  }
  when(piece.fire) {
    left := ends ? U(0) | (left - wordBytes)
    word := word + 1
  }
  when(part =/= over && (piece.fire && ends || left === 0 && !sizes.refused)) {
    part := part + 1
    left := bytes((part + 1).resize(log2Up(over)))
    word := 0
  }
  when(piece.fire && piece.last)(part := over)
  io.frees := piece.fire && piece.last
  io.at := page.bank @@ word
  io.reads := piece.ready

  private val fetched = piece.m2sPipe()
  private val found = Vec((0 until 1 << log2Up(over + 1)).map {
    case `raw` => io.words(streams + 1)
    case `sequences` => io.words(streams)
    case stream if stream >= firstStream && stream < firstStream + streams => io.words(stream - firstStream)
    case _ => fetched.immediate
  }).read(fetched.part)

  // Pieces to full words.
  private val packed = ByteStream(wordBytes)
  private val pack = new Area {
    private val held = Reg(UInt(log2Up(wordBytes) bits)) init 0
    private val rest = Reg(Bits(wordBytes * 8 bits))
    private val tail = RegInit(False) // the last bytes have no word yet
    private val total = held +^ fetched.count
    private val moved = (found.resize(2 * wordBytes * 8) |<< (held << 3)).subdivideIn(8 bits)
    private val low = Vec((0 until wordBytes).map(lane => Mux(held > lane, rest.subdivideIn(8 bits)(lane), moved(lane)))).asBits
    private val full = total >= wordBytes
    packed.valid := tail || fetched.valid && (full || fetched.last)
    packed.last := tail || fetched.last && total <= wordBytes
    packed.fragment.data := tail ? rest | low
    packed.fragment.count := tail ? held.resize(log2Up(wordBytes + 1)) | (full ? U(wordBytes) | total.resize(log2Up(wordBytes + 1)))
    fetched.ready := !tail && (packed.ready || !(full || fetched.last))
    when(fetched.fire) {
      held := total.resize(log2Up(wordBytes))
      rest := full ? Vec(moved.drop(wordBytes)).asBits | low
      tail := fetched.last && total > wordBytes
      when(fetched.last && total <= wordBytes)(held := 0)
    }
    when(tail && packed.ready) {
      tail := False
      held := 0
    }
  }
  io.sink << StreamWidth.adapt(packed, wordBytes, parameter.streamBytes)

  when(io.sink.fire && io.sink.last)(ended := True)
  io.result.valid := ended
  io.result.status := sizes.refused ? B(Interface.STATUS_INCOMPRESSIBLE, 8 bits) | B(Interface.STATUS_SUCCESS, 8 bits)
  io.result.length := sizes.length.resize(parameter.config.lengthWidth).andMask(!sizes.refused)
  when(io.result.fire) {
    ended := False
    owed := False
    io.page.ready := True
  }
}
