// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.Engine
import pagepress.engine.decompressor.{DecompressorConfig, PageCopier, TokenGroup, TokenParser}

/** Streams of LZO1X and lzo-rle, and of the cold format, back to pages in their order: the parsers of PageDecompressor and of ColdDecompressor
  * before one copier. Each page is judged as the one or the other would; `io.cold` says which.
  *
  * LZO's parser may hold many pages, and their tokens leave as soon as they can. So its turn is whenever it has a page: cold ones are parsed
  * meanwhile, but their tokens wait, and no page enters it while there is a cold one. Between pages of one format nothing waits.
  */
class MixedDecompressor(config: DecompressorConfig, parsers: Int = 2)
    extends Engine(config.engine, mixed = true, pageBytes = Option.when(config.verifies)(config.copyBytes)) {
  definitionName = "mixed_decompressor" + (if (config.verifies) s"_${config.copyBytes}" else "") // numbered where a design has both
  private val lzo = new TokenParser(config)
  private val cold = new ColdParsers(config, parsers)
  private val copier = new PageCopier(config)

  private val turns = new Area {
    private val isCold = io.cold.get
    private val first = RegInit(True) // word of a page
    /** Pages that have begun on the source, and whose end the copier has not been told. */
    private val lzoPages = Reg(UInt(5 bits)) init 0
    private val coldPages = Reg(UInt(log2Up(ColdParsers.pages(parsers) + 1) bits)) init 0
    private val source = io.source.haltWhen(first && !isCold && (coldPages =/= 0 || lzoPages.andR))
    private val begins = source.fire && first
    private def ends(group: Flow[TokenGroup]): UInt = (group.valid && group.pageEnd).asUInt
    when(source.fire)(first := source.last)
    lzoPages := lzoPages + (begins && !isCold).asUInt - ends(lzo.io.group)
    coldPages := coldPages + (begins && isCold).asUInt - ends(cold.io.group)
    val sources = StreamDemux(source, isCold.asUInt, 2)
    val coldMayGo = lzoPages === 0
  }
  lzo.io.source << turns.sources(0)
  lzo.io.enable := copier.io.room
  cold.io.source << turns.sources(1)
  cold.io.limit := io.limit
  cold.io.enable := copier.io.room && turns.coldMayGo
  copier.io.group.valid := lzo.io.group.valid || cold.io.group.valid
  copier.io.group.payload := cold.io.group.valid ? cold.io.group.payload | lzo.io.group.payload
  copier.io.limit := io.limit
  for ((page, from) <- copier.io.page.zip(io.page)) page << from
  io.sink << copier.io.sink
  io.result << copier.io.result
}
