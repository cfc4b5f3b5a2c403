// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, EngineResult}
import pagepress.engine.decompressor.{DecompressorConfig, PageCopier, TokenGroup}

/** Streams of the cold format (rtl/interface/cold.md) back to pages, at the border of PageDecompressor.
  *
  * Contract, page by page: one stream on `source`, one page on `sink` with exactly one `last`, one `result` after it. `limit` (at most
  * pageBytes) is the length the page must have; it stands from the stream's first word until the result. The stream is always taken to
  * its end, and never more than `limit` bytes come out, whatever it holds. Statuses and length are those of sim/reference/cold_decompress.c:
  * SUCCESS, MALFORMED_STREAM, OUTPUT_OVERRUN, OUTPUT_UNDERRUN, and how many bytes were sunk, which are the page's beginning as far as it
  * was clear.
  *
  * Pages go to `parsers` in turn, whose tokens one copier takes, page after page: a parser has one page at a time, from its
  * first word to its last token.
  */
class ColdDecompressor(config: DecompressorConfig = DecompressorConfig(tokens = 1), parsers: Int = 2) extends Component {
  require(isPow2(parsers), s"parsers must be a power of two, not $parsers")
  val io = new Bundle {
    val source = slave(ByteStream(config.engine.streamBytes))
    val limit = in UInt (config.engine.lengthWidth bits)
    val sink = master(ByteStream(config.sinkWidth))
    val result = master(Stream(EngineResult(config.engine.lengthWidth)))
  }
  private val each = Seq.fill(parsers)(new ColdParser(config))
  private val copier = new PageCopier(config)

  private val (taking, giving) = (Reg(UInt(log2Up(parsers) bits)) init 0, Reg(UInt(log2Up(parsers) bits)) init 0)
  private val sources = StreamDemux(io.source, taking, parsers)
  private val group = Flow(TokenGroup(config))
  for ((parser, index) <- each.zipWithIndex) {
    parser.io.source << sources(index)
    parser.io.limit := io.limit
    parser.io.enable := copier.io.room && giving === index
  }
  group.valid := each.map(_.io.group.valid).orR
  group.payload := MuxOH.or(Vec(each.map(_.io.group.valid)), each.map(_.io.group.payload))
  // A parser that has ended its page begins no other before the next one has had its turn.
  when(io.source.fire && io.source.last)(taking := (taking + 1).resized)
  when(group.valid && group.pageEnd)(giving := (giving + 1).resized)

  copier.io.group << group
  copier.io.limit := io.limit
  io.sink << copier.io.sink
  io.result << copier.io.result
}
