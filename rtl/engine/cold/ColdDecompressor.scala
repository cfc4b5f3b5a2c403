// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.Engine
import pagepress.engine.decompressor.{DecompressorConfig, PageCopier}

/** Streams of the cold format (rtl/interface/cold.md) back to pages, at the border of PageDecompressor.
  *
  * Contract, page by page: one stream on `source`, one page on `sink` with exactly one `last`, one `result` after it. `limit` (at most
  * pageBytes) is the length the page must have; it stands from the stream's first word until the result. The stream is always taken to
  * its end, and never more than `limit` bytes come out, whatever it holds. Statuses and length are those of rtl/interface/cold_decompress.c:
  * SUCCESS, MALFORMED_STREAM, OUTPUT_OVERRUN, OUTPUT_UNDERRUN, and how many bytes were sunk, which are the page's beginning as far as it
  * was clear.
  *
  * Pages go to `parsers` in turn, whose tokens one copier takes, page after page: a parser has one page at a time, from its
  * first word to its last token.
  */
class ColdDecompressor(config: DecompressorConfig = DecompressorConfig(tokens = 1), parsers: Int = 2)
    extends Engine(config.engine) {
  private val parser = new ColdParsers(config, parsers)
  private val copier = new PageCopier(config)
  parser.io.source << io.source
  parser.io.limit := io.limit
  parser.io.enable := copier.io.room
  copier.io.group << parser.io.group
  copier.io.limit := io.limit
  io.sink << copier.io.sink
  io.result << copier.io.result
}
