// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._

/** What a lane needs to know of its surroundings; the engines' own parameters stand beside each engine.
  *
  * @param pageBytes   bytes of a full page, a power of two
  * @param streamBytes width of every ByteStream at the lane's border, a power of two from 8 to 64
  * @param watchdogCycles cycles of the lane's clock without any progress of an engine that holds work, while nobody
  *                    outside makes it wait, after which the lane gives the page up as ENGINE_FAULT
  * @param coldFormat  lanes know the cold format (rtl/interface/cold.md), besides LZO1X
  * @param compressorBytes bytes a cycle of a compressor, 4, 8 or 16; 0: as many as there are, with the largest match table
  * @param decompressorTokens tokens a cycle of a decompressor, and of the one that verifies a compressor's streams, 1 or 2
  */
case class EngineConfig(
    pageBytes: Int = 4096,
    streamBytes: Int = 16,
    watchdogCycles: Int = 1 << 16,
    coldFormat: Boolean = false,
    compressorBytes: Int = 0,
    decompressorTokens: Int = 2
) {
  require(isPow2(pageBytes) && pageBytes >= 256, s"pageBytes must be a power of two from 256, not $pageBytes")
  require(isPow2(streamBytes) && streamBytes >= 8 && streamBytes <= 64,
    s"streamBytes must be 8, 16, 32 or 64, not $streamBytes")
  require(!coldFormat || pageBytes <= EngineConfig.COLD_PAGE_BYTES,
    s"the cold format is for pages of at most ${EngineConfig.COLD_PAGE_BYTES} bytes, not $pageBytes")
  require(Seq(0, 4, 8, 16).contains(compressorBytes) && compressorBytes <= streamBytes,
    s"compressorBytes is $compressorBytes: use 4, 8 or 16, at most the bus's $streamBytes, or 0 for what there is")
  require(decompressorTokens == 1 || decompressorTokens == 2, s"decompressorTokens is $decompressorTokens: use 1 or 2")
  require(!coldFormat || compressorBytes == 0 && decompressorTokens == 2,
    "the cold format is for the largest engines: take it, or compressorBytes and decompressorTokens")

  /** Bits of a length in bytes: an input stream may be as long as two pages. */
  def lengthWidth: Int = log2Up(2 * pageBytes + 1)
}

object EngineConfig {
  /** Most bytes of a page where there is the cold format: a sequence of a larger one and the end mark may not fit a word of its encoder. */
  val COLD_PAGE_BYTES = 8192
}
