// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, EngineResult}

/** LZO1X and lzo-rle streams back to pages.
  *
  * Contract, page by page: one stream on `source`, one page on `sink` with exactly one `last`, one `result` after it.
  * `limit` (at most pageBytes) is the length the page must have; it stands from the stream's first word until the
  * result. The stream is always taken to its end, and never more than `limit` bytes come out, whatever it holds:
  *
  *  - SUCCESS: the stream is well formed and gave exactly `limit` bytes;
  *  - OUTPUT_OVERRUN: it asks for more; OUTPUT_UNDERRUN: its end mark came before;
  *  - MALFORMED_STREAM: a match reaches before the page, the stream is cut short, goes on behind its end mark, or
  *    holds an illegal instruction; or its header names a version above 1.
  *
  * `result.length` counts the bytes sunk; after a failure they are the page's beginning as far as it was clear.
  *
  * A stream of n bytes for a page of m takes at most n + m + 16 cycles in which neither side made it wait; real pages
  * take a cycle for each token or `copyBytes` bytes, and about ten more for the pipeline (parser, queue, issuer, copier,
  * finisher), which pages back to back share.
  */
class PageDecompressor(config: DecompressorConfig = DecompressorConfig()) extends Component {
  setDefinitionName("page_decompressor")
  val io = new Bundle {
    val source = slave(ByteStream(config.copyBytes))
    val limit = in UInt (config.engine.lengthWidth bits)
    val sink = master(ByteStream(config.copyBytes))
    val result = master(Stream(EngineResult(config.engine.lengthWidth)))
  }
  private val parser = new TokenParser(config)
  private val copier = new PageCopier(config)

  parser.io.source << io.source.s2mPipe()
  copier.io.group << parser.io.group.m2sPipe()
  copier.io.limit := io.limit
  io.sink << copier.io.sink
  io.result << copier.io.result
}
