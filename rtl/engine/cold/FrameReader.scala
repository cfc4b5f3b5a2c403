// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.decompressor.{DecompressorConfig, StreamRow}
import pagepress.interface.ColdFormat

/** What a frame's headers say. */
case class Frame(config: DecompressorConfig, bufferBytes: Int) extends Bundle {
  val plan = PagePlan(config, bufferBytes)
  val coded = Bool() // the literals are, and lie in `streams`
  val streams = LiteralStreams(bufferBytes)
  val sequences = SequenceStream(bufferBytes)
}

/** Takes a stream to its end, hands it on to be stored, and reads its headers.
  *
  * Rows come while `room` is up. When the last has come, the headers' bytes are asked for with `at`; eleven cycles behind it `frame` says what
  * they hold: whether the page is refused, and why, or where its literals and sequences lie, each of them at least a byte long. The
  * next stream is taken once `done` has been up and `busy` is low. A stream longer than two pages is malformed.
  */
class FrameReader(config: DecompressorConfig, bufferBytes: Int) extends Component {
  private val addressBits = log2Up(bufferBytes) + 1
  val io = new Bundle {
    val row = slave(Flow(StreamRow(config)))
    val room = out Bool ()
    val limit = in UInt (config.engine.lengthWidth bits)
    val store = master(Flow(StoredRow(bufferBytes)))
    val at = out UInt (log2Up(bufferBytes) bits)
    val bytes = in(Vec(Bits(8 bits), StoredRow.bytes)) // from `at` two cycles ago on
    val frame = master(Flow(Frame(config, bufferBytes)))
    val done = in Bool ()
    val busy = in Bool ()
  }
  private val blockAt = ColdFormat.FRAME_START_BYTES
  private val contentAt = blockAt + ColdFormat.BLOCK_START_BYTES
  private val jumps = LiteralDecoder.streams - 1 // lengths of streams, 16 bits each

  private val reading = RegInit(True) // rows; else headers, or nothing
  private val rows = Reg(UInt(addressBits - 4 bits)) init 0
  private val total = Reg(UInt(addressBits bits)) // bytes of the stream
  private val endless = RegInit(False) // there were more
  private val step = Reg(UInt(4 bits)) init 15
  io.room := reading && !io.busy
  io.store.valid := io.row.valid && !rows.msb
  io.store.row := rows.resized
  io.store.data := io.row.bytes.asBits
  when(step =/= 15)(step := step + 1)
  when(io.row.valid) {
    when(!rows.msb)(rows := rows + 1)
    total := (rows << 4) + io.row.count
    endless := rows.msb && (endless || io.row.count =/= 0)
    when(io.row.last) {
      rows := 0
      reading := False
      step := 0
    }
  }
  when(io.done) {
    reading := True
    endless := False
  }

  private val literalsEnd = Reg(UInt(21 bits)) // the byte behind the literals; not always within the stream
  io.at := (step < 2) ? ((step === 0) ? U(0, io.at.getWidth bits) | U(blockAt, io.at.getWidth bits)) | literalsEnd.resized
  private def word(from: Vec[Bits], at: Int, bytes: Int): UInt = Vec((at until at + bytes).map(from(_))).asBits.asUInt

  private val starts = RegNextWhen(word(io.bytes, 0, blockAt) === ColdFormat.FRAME_START, step === 2)
  private val head = RegNextWhen(io.bytes, step === 3) // from the block's header on

  /** The literals' header, whichever it is. */
  private case class Header() extends Bundle {
    val bytes = UInt(3 bits)
    val count, section = UInt(20 bits) // literals; bytes that they are in
    val right = Bool() // of its kinds and no longer than need be
    val coded, four = Bool()
    val lengths = Vec(UInt(16 bits), jumps)
  }
  private val content = ColdFormat.BLOCK_START_BYTES
  private val block = word(head, 0, content)
  private val raw = block(2 downto 0) === ColdFormat.BLOCK_RAW
  private val header = RegNext {
    val header = Header()
    val value = word(head, content, 5)
    val kind = value(1 downto 0)
    val format = value(3 downto 2)
    def jump(index: Int): UInt = {
      def from(bytes: Int): UInt = word(head, content + bytes + 2 * index, 2)
      format.mux(2 -> from(4), 3 -> from(5), default -> from(3))
    }
    for (index <- 0 until jumps) header.lengths(index) := jump(index)
    header.coded := kind === ColdFormat.LITERALS_TREELESS
    header.four := header.coded && format =/= 0
    when(kind === ColdFormat.LITERALS_RAW) {
      header.bytes := format.mux(1 -> U(2), 3 -> U(3), default -> U(1)).resized
      header.count := format.mux(1 -> value(15 downto 4).resize(20), 3 -> value(23 downto 4), default -> value(7 downto 3).resize(20))
      header.section := header.count
      header.right := format.mux(1 -> (header.count >= (1 << 5)), 3 -> (header.count >= (1 << 12)), default -> True)
    } otherwise {
      val shortest = header.count < ColdFormat.FOUR_STREAMS
      header.bytes := format.mux(2 -> U(4), 3 -> U(5), default -> U(3)).resized
      header.count := format.mux(2 -> value(17 downto 4).resize(20), 3 -> value(21 downto 4).resize(20), default -> value(13 downto 4).resize(20))
      header.section := format.mux(2 -> value(31 downto 18).resize(20), 3 -> value(39 downto 22).resize(20), default -> value(23 downto 14).resize(20))
      header.right := header.coded && header.count =/= 0 && shortest === (format === 0) &&
        format.mux(2 -> (header.count >= (1 << 10)), 3 -> (header.count >= (1 << 14)), default -> True)
    }
    when(raw) {
      header.bytes := 0
      header.count := (total - contentAt).resized
      header.section := header.count
      header.right := True
      header.coded := False
      header.four := False
    }
    header
  }
  // In a cycle each, one behind the other.
  private val literalsAt = RegNext(header.bytes + U(contentAt, 4 bits))
  literalsEnd := (literalsAt +^ header.section).resized
  private val sound = RegNext(starts && !endless && total >= literalsAt && header.right && (block >> 3) === total - contentAt &&
    (raw || block(2 downto 0) === ColdFormat.BLOCK_COMPRESSED))
  private val fits = RegNext(header.count <= io.limit)
  private val bounds = Vec.fill(jumps + 2)(Reg(UInt(21 bits)))
  bounds(0) := (literalsAt +^ U(2 * jumps).andMask(header.four)).resized
  for (index <- 0 until jumps) bounds(index + 1) := bounds(index) + header.lengths(index)
  bounds.last := literalsEnd
  private val streams = RegNext(literalsEnd <= total &&
    (!header.coded || (header.four ? (header.lengths.map(_ =/= 0).andR && bounds(jumps) < bounds.last) | (header.section =/= 0))))

  private val counts = RegNextWhen(io.bytes, step === 9)
  private val long = counts(0).msb
  private val none = counts(0) === 0
  private val modes = long ? counts(2) | counts(1)
  private val count = long ? (counts(0)(6 downto 0) ## counts(1)).asUInt | counts(0).asUInt.resize(15)
  private val begin = RegNext(literalsEnd + (long ? U(3, 2 bits) | U(2, 2 bits)))
  private val sequences = RegNext(none ? (total === literalsEnd + 1) |
    (modes === ColdFormat.SEQUENCE_MODES && !(long && count < 128) && counts(0) =/= 0xff))
  private val room = RegNext(none || total > begin)

  private val frame = io.frame
  frame.valid := step === 11
  frame.plan.overrun := sound && !fits
  frame.plan.malformed := !sound || fits && !(streams && (raw || sequences && room))
  frame.plan.literals := header.count.resized
  frame.plan.at := header.coded ? U(0) | literalsAt.resize(frame.plan.at.getWidth)
  frame.plan.four := header.four
  frame.plan.sequences := !raw && !none
  frame.coded := header.coded && !frame.plan.overrun && !frame.plan.malformed
  frame.streams.four := header.four
  frame.streams.count := header.count.resized
  for ((bound, from) <- frame.streams.bounds.zip(bounds)) bound := from.resized
  frame.sequences.begin := begin.resized
  frame.sequences.end := total
  frame.sequences.count := count
}
