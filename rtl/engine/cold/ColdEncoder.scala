// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.compressor.{CompressorParameter, WindowTokens}
import pagepress.engine.{ByteStream, EngineResult}
import pagepress.interface.ColdFormat

/** Writes windows of literals and matches as frames of the cold format (rtl/interface/cold.md), at the border of StreamEncoder.
  *
  *  - `source`: the windows of page after page, always taken; `limits(slot)` is its page's limit while a page's windows
  *    come, at most pageBytes.
  *  - `room`: a register; a window may come up to `lateWindows` cycles after one in which it was high.
  *  - `release`: one cycle high when a page's last window comes; its slot is free then.
  *  - `sink`, `result`: the frame, byte for byte that of sim/reference/cold_compress.c, ended by exactly one `last`; then SUCCESS and its
  *    length. INCOMPRESSIBLE, and an empty sink, when the frame would exceed `limit`. Blocks are always compressed: the model writes a
  *    raw one only where the limit is the page's bytes and nine or more, which no page of full length has.
  *
  * A page passes three stages, in a bank of its own; `banks` pages are under way at most:
  * {{{
  *   WindowTokens (queue) → SequenceCollector → LiteralEncoder (four), SequenceEncoder → FrameWriter
  * }}}
  * A page of w windows, l literals and s sequences whose frame has n bytes takes from w to w + 2 s cycles in the first, about
  * max(l/4 (of less than 256 literals l), s) in the second, n/8 in the third. Pages of at most 8 KiB: a sequence of a larger one may not fit a word.
  */
class ColdEncoder(parameter: CompressorParameter, lateWindows: Int = 8, banks: Int = 4) extends Component {
  import parameter._
  require(isPow2(banks) && banks > 1, s"banks must be a power of two from 2, not $banks")

  val io = new Bundle {
    val limits = in(Vec(UInt(config.lengthWidth bits), 2))
    val source = slave(Flow(WindowTokens(parameter)))
    val room = out(Bool())
    val release = out(Bool())
    val sink = master(ByteStream(streamBytes))
    val result = master(Stream(EngineResult(config.lengthWidth)))
  }
  private val WINDOW_DEPTH = 64
  private val bufferBytes = banks * pageBytes
  private val lengthBits = ColdEncoder.lengthBits(parameter)
  private val streams = LiteralDecoder.streams

  private val windows = StreamFifo(LimitedWindow(parameter), WINDOW_DEPTH)
  private val collector = new SequenceCollector(parameter, banks)
  private val literals = new StreamMemory(bufferBytes)
  private val literalEncoders = Seq.fill(streams)(new LiteralEncoder(bufferBytes, lengthBits))
  private val sequenceEncoder = new SequenceEncoder(parameter, banks, lengthBits)
  private val writer = new FrameWriter(parameter, banks)

  io.room := RegNext(windows.io.occupancy < WINDOW_DEPTH - lateWindows - 2) init False
  io.release := io.source.valid && io.source.last
  windows.io.push.valid := io.source.valid
  windows.io.push.tokens := io.source.payload
  windows.io.push.limit := io.limits(io.source.slot)
  collector.io.source << windows.io.pop.m2sPipe()

  // Banks are taken and given back in turn.
  private val used = Reg(UInt(log2Up(banks + 1) bits)) init 0
  used := used + collector.io.begins.asUInt - writer.io.frees.asUInt
  collector.io.room := used =/= banks

  // Literals, by words; sequences.
  literals.io.write << collector.io.row
  private val requests = StreamArbiterFactory().roundRobin.noLock.build(UInt(log2Up(bufferBytes) - 3 bits), streams)
  for ((input, encoder) <- requests.io.inputs.zip(literalEncoders)) input << encoder.io.request
  literals.io.request << requests.io.output.toFlow
  private val asker = RegNext(requests.io.chosen)
  for ((encoder, index) <- literalEncoders.zipWithIndex) {
    encoder.io.response.valid := literals.io.response.valid && asker === index
    encoder.io.response.payload := literals.io.response.payload
  }
  private val sequences = Mem(StoredSequence(pageBytes), banks << ColdEncoder.sequenceBits(parameter))
  sequences.addAttribute("no_rw_check") // a page's are read when all are there
  sequences.write(collector.io.sequenceAt, collector.io.sequence.payload, collector.io.sequence.valid)
  sequenceEncoder.io.sequence := sequences.readSync(sequenceEncoder.io.at)

  // The second stage.
  private val page = collector.io.page.queue(banks)
  page.ready := False
  private val running = RegInit(False)
  private val busy = literalEncoders.map(_.io.busy).orR || sequenceEncoder.io.busy
  private val starts = page.valid && !running && !busy
  private val started = RegNext(starts) init False
  private val four = page.literals >= ColdFormat.FOUR_STREAMS
  private val quarter = LiteralDecoder.quarter(page.literals)
  for ((encoder, index) <- literalEncoders.zipWithIndex) {
    val before = (quarter * U(index, 2 bits)).resize(page.literals.getWidth)
    encoder.io.start.valid := starts && (if (index == 0) page.literals =/= 0 else four)
    encoder.io.start.begin := page.bank @@ before.resize(log2Up(pageBytes))
    encoder.io.start.count := (if (index == 0) four ? quarter | page.literals
      else if (index == streams - 1) page.literals - before else quarter).resized
  }
  sequenceEncoder.io.start.valid := starts && page.sequences =/= 0
  sequenceEncoder.io.start.last := page.bank @@ (page.sequences - 1)
  sequenceEncoder.io.start.count := page.sequences.resized
  private val encoded = Stream(EncodedPage(parameter, banks))
  encoded.valid := running && !started && !busy
  encoded.page := page.payload
  for ((bytes, (encoder, index)) <- encoded.literalBytes.zip(literalEncoders.zipWithIndex))
    bytes := encoder.io.bytes.andMask(if (index == 0) page.literals =/= 0 else four)
  encoded.sequenceBytes := sequenceEncoder.io.bytes.andMask(page.sequences =/= 0)
  when(starts)(running := True)
  when(encoded.fire) {
    running := False
    page.ready := True
  }
  writer.io.page << encoded.queue(banks)

  // What they write waits for the third.
  private def kept(word: Flow[Bits], words: Int): Bits = {
    val memory = Mem(Bits(64 bits), banks * words)
    memory.addAttribute("no_rw_check")
    val at = Reg(UInt(log2Up(words) + 1 bits)) // behind the last of a bank: what would be there is not wanted
    when(starts)(at := 0)
    when(word.valid && !at.msb)(at := at + 1)
    memory.write(page.bank @@ at.resize(log2Up(words)), word.payload, word.valid && !at.msb)
    memory.readSync((writer.io.at >> log2Up(pageBytes / 8)) @@ writer.io.at.resize(log2Up(words)), writer.io.reads)
  }
  for ((word, encoder) <- writer.io.words.zip(literalEncoders)) word := kept(encoder.io.word, pageBytes / 16)
  writer.io.words(streams) := kept(sequenceEncoder.io.word, pageBytes / 8)

  // Raw ones are read from a copy.
  private val raw = Mem(Bits(128 bits), bufferBytes / StoredRow.bytes)
  raw.addAttribute("no_rw_check")
  raw.write(collector.io.row.row, collector.io.row.data, collector.io.row.valid)
  private val row = raw.readSync(writer.io.at >> 1, writer.io.reads)
  writer.io.words.last := RegNextWhen(writer.io.at.lsb, writer.io.reads) ? row(127 downto 64) | row(63 downto 0)
  io.result << writer.io.result
  io.sink << writer.io.sink
}

object ColdEncoder {
  /** Bits of a number of sequences of a page, each of three bytes at least. */
  def sequenceBits(parameter: CompressorParameter): Int = log2Up(parameter.pageBytes / parameter.minimumMatch + 1)

  /** Bits of a stream's length, however badly it compresses. */
  def lengthBits(parameter: CompressorParameter): Int = log2Up(parameter.pageBytes / parameter.minimumMatch * 64 / 8 + 64)
}
