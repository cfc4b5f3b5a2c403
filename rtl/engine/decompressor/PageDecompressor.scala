// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Engine

/** LZO1X and lzo-rle streams back to pages.
  *
  * Contract, page by page: one stream on `source`, one page on `sink` with exactly one `last`, one `result` after it.
  * `limit` (at most pageBytes) is the length the page must have; it stands from the stream's first word until the
  * result. The stream is always taken to its end, and never more than `limit` bytes come out, whatever it holds:
  *
  *  - SUCCESS: the stream is well formed and gave exactly `limit` bytes;
  *  - OUTPUT_OVERRUN: it asks for more; OUTPUT_UNDERRUN: its end mark came before;
  *  - MALFORMED_STREAM: a match reaches before the page, the stream is cut short, goes on behind its end mark, or
  *    holds an illegal instruction; or its header names a version above 1. Of one that `verifies`, it has any header, or a token
  *    that LzoFormat does not have.
  *
  * `result.length` counts the bytes sunk; after a failure they are the page's beginning as far as it was clear.
  *
  * A stream of n bytes for a page of m takes at most 15/7 n + m + 40 cycles in which neither side made it wait. Real pages
  * take a cycle for every `tokens` tokens (a literal run right behind a match belongs to its token) or `copyBytes` bytes;
  * the pipeline before and behind, 30 cycles, is shared by pages back to back.
  *
  * One that `verifies` is given the page on `page`, and has one empty word on `sink`: SUCCESS says that the stream gives that page, of exactly
  * `limit` bytes, which is pageBytes. VERIFY_FAILED is its status where only the bytes differ, or the page has another length.
  */
class PageDecompressor(config: DecompressorConfig = DecompressorConfig())
    extends Engine(config.engine, pageBytes = Option.when(config.verifies)(config.copyBytes)) {
  definitionName = "page_decompressor" + (if (config.verifies) s"_${config.copyBytes}" else "") // numbered where a design has both
  private val parser = new TokenParser(config)
  private val copier = new PageCopier(config)

  parser.io.source << io.source
  parser.io.enable := copier.io.room
  copier.io.group << parser.io.group
  copier.io.limit := io.limit
  for ((page, from) <- copier.io.page.zip(io.page)) page << from
  io.sink << copier.io.sink
  io.result << copier.io.result
}
