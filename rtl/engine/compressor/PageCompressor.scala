// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.{ByteStream, EngineResult}
import spinal.core._
import spinal.lib._

/** LZO1X compressor: a page in, a stream out that liblzo2 and the kernel decode.
  *
  *  - `source`: pages of 0 to pageBytes bytes, back to back.
  *  - `limit`: most bytes the page's stream may have; read when the page's first word is taken.
  *  - `sink`: the stream, always ended by exactly one `last`.
  *  - `result`: one for each page, after the sink's last word: SUCCESS, or INCOMPRESSIBLE when the stream would exceed
  *    `limit`; the sink then carries a part of it, at most `limit` bytes, and the rest of the page is read and dropped.
  *    `length` is what the sink carried.
  *
  * A page passes, each step a stream with back-pressure:
  * {{{
  *   words → WindowSource → windows → MatchFinder → the window's matches
  *         → SequenceBuilder → match + literals → TokenEncoder → pieces of the stream → BytePacker → words
  * }}}
  * Up to windowBytes bytes enter a cycle; a window in which several matches start takes a cycle for each, so no page
  * takes more than a cycle for every three bytes and for every `pieceBytes` of a long literal run. Two pages may be in
  * flight. The table of matches is wiped after reset: the first page waits `rows` cycles. A page's stream depends on
  * the page alone: not on stalls, and not on pages before it.
  */
class PageCompressor(parameter: CompressorParameter = CompressorParameter()) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(ByteStream(streamBytes))
    val limit = in(UInt(config.lengthWidth bits))
    val sink = master(ByteStream(streamBytes))
    val result = master(Stream(EngineResult(config.lengthWidth)))
  }

  /** Sequences that may wait while a long literal run is written. */
  val SEQUENCE_DEPTH = 32

  val windows = new WindowSource(parameter)
  val finder = new MatchFinder(parameter)
  val builder = new SequenceBuilder(parameter)
  val encoder = new TokenEncoder(parameter)
  val packer = new BytePacker(parameter)

  windows.io.source << io.source
  windows.io.limit := io.limit
  windows.io.release := encoder.io.release
  finder.io.write << windows.io.write
  encoder.io.write << windows.io.write
  encoder.io.limits := windows.io.limits

  finder.io.source << windows.io.sink
  builder.io.source << finder.io.sink
  encoder.io.source << builder.io.sink.queue(SEQUENCE_DEPTH)
  packer.io.source << encoder.io.sink
  io.sink << packer.io.sink
  io.result << packer.io.result
}
