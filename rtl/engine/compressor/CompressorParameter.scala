// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.EngineConfig
import spinal.core._

/** Size and speed of a page compressor; none of it is visible at its border, nor changes what decoders accept.
  *
  * @param config       page size and border width
  * @param windowBytes  bytes taken a cycle: 4, 8 or 16, at most streamBytes
  * @param banks        memories the match table is split into, a power of two; positions of one window that fall into
  *                     the same bank share one look-up, so more banks find more matches
  * @param rows         entries a bank, a power of two
  * @param tableOffsets distances from the table that a window is compared at; each costs a copy of the page
  */
case class CompressorParameter(
    config: EngineConfig = EngineConfig(),
    windowBytes: Int = 16,
    banks: Int = 32,
    rows: Int = 256,
    tableOffsets: Int = 5
) {
  for ((name, value) <- Seq("windowBytes" -> windowBytes, "banks" -> banks, "rows" -> rows))
    require(isPow2(value), s"$name must be a power of two, not $value")
  require(windowBytes >= 4 && windowBytes <= (config.streamBytes min 16),
    s"windowBytes must be 4 to ${config.streamBytes min 16}, not $windowBytes")
  require(banks > 1 && rows > 1, "banks and rows must be at least 2")
  require(tableOffsets > 0, s"tableOffsets must be at least 1, not $tableOffsets")

  def pageBytes: Int = config.pageBytes
  def streamBytes: Int = config.streamBytes

  /** Bytes behind a window that its matches are seen to go on. With 13, and 3 for any alignment, two rows are read. */
  def aheadBytes: Int = 13 min windowBytes

  /** Bytes a window is seen with. */
  def spanBytes: Int = windowBytes + aheadBytes

  /** Bytes that are looked up in the table: matches of fewer are found where they stand beside longer ones. */
  def keyBytes: Int = 4

  /** Shorter matches never pay. */
  def minimumMatch: Int = 3

  /** Distances every window is compared at: runs, and neighbours in arrays of numbers and pointers. */
  def directOffsets: Seq[Int] = Seq(1, 4, 8, 16)

  /** After so many windows the distance of a match is tried again, for structures that repeat at one stride. */
  def recentDelay: Int = 16

  /** All distances a window is compared at: those of the table, the recent one, the direct ones. */
  def channels: Int = tableOffsets + 1 + directOffsets.size

  /** Matches beyond would need LZO's M4 token, which this encoder does not make. */
  def maximumOffset: Int = 16384 min (pageBytes - 1)

  def positionWidth: Int = log2Up(pageBytes) // a byte of the page, or a distance between two
  def rowWidth: Int = log2Up(pageBytes / windowBytes) // a window of the page
  def matchWidth: Int = log2Up(pageBytes + 1) // a match or literal run
  def countWidth: Int = log2Up(windowBytes + 1) // bytes of one window
  def distanceWidth: Int = positionWidth min 14 // an offset less one
  def zerosWidth: Int = log2Up(pageBytes / LzoFormat.EXTENSION_STEP + 1) max countWidth // zero bytes in a number

  /** A window in threes: at most one match starts in each. */
  def triples: Int = (windowBytes + 2) / 3

  /** Zero bytes of a run's length for which there is a place beside the window's literals. */
  def inlineZeros: Int = 2

  /** Places for the stream bytes of one window: a run's token, one for each byte, and either the end of a token that
    * begins in the last bytes, the literals that a run's length displaces, or the end mark.
    */
  def laneCount: Int = 1 + windowBytes + 3

  /** What besides bank and row an entry keeps of its key's hash. */
  def tagWidth: Int = 2

  /** Pages between two wipings of the whole table, less one. */
  def generationWidth: Int = 12
}

object CompressorParameter {

  /** The compressor of a lane: as its configuration says, or the largest one, no wider than its border. A narrower one that is asked for is to
    * be small, so its table and the distances it compares shrink with its window.
    */
  def of(config: EngineConfig): CompressorParameter = config.compressorBytes match {
    case 4 => CompressorParameter(config, windowBytes = 4, banks = 8, rows = 64, tableOffsets = 1)
    case 8 => CompressorParameter(config, windowBytes = 8, tableOffsets = 3)
    case _ => CompressorParameter(config, windowBytes = 16 min config.streamBytes)
  }
}
