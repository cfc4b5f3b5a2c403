// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.EngineConfig
import spinal.core._

/** Size and speed of a page compressor; none of it is visible at its border, nor changes what decoders accept.
  *
  * @param config      page size and border width
  * @param windowBytes bytes taken a cycle: 4, 8, 16 … up to streamBytes
  * @param keyBytes    bytes a table entry keeps of its page, a multiple of windowBytes: a match is known this far
  *                    without reading history
  * @param ways        tables looked up for every byte, a power of two; each window writes one of them in turn
  * @param banks       memories a way is split into, a power of two; positions of one window that fall into the same
  *                    bank share one look-up, so more banks find more matches
  * @param rows        entries a bank, a power of two
  */
case class CompressorParameter(
    config: EngineConfig = EngineConfig(),
    windowBytes: Int = 8,
    keyBytes: Int = 8,
    ways: Int = 2,
    banks: Int = 32,
    rows: Int = 128
) {
  for ((name, value) <- Seq("windowBytes" -> windowBytes, "ways" -> ways, "banks" -> banks, "rows" -> rows))
    require(isPow2(value), s"$name must be a power of two, not $value")
  require(windowBytes >= 4 && windowBytes <= config.streamBytes && windowBytes <= pieceBytes,
    s"windowBytes must be 4 to ${config.streamBytes min pieceBytes}, not $windowBytes")
  require(keyBytes >= 8 && keyBytes % windowBytes == 0,
    s"keyBytes must be a multiple of windowBytes and at least 8, not $keyBytes")
  require(banks > 1 && rows > 1, "banks and rows must be at least 2")

  def pageBytes: Int = config.pageBytes
  def streamBytes: Int = config.streamBytes

  /** Bytes a window is seen with: itself and all that its last byte's key needs, at least one more window. */
  def spanBytes: Int = windowBytes + keyBytes

  /** Most stream bytes the encoder makes in a cycle. */
  def pieceBytes: Int = config.streamBytes min 16

  /** Shorter matches never pay. */
  def minimumMatch: Int = 3

  /** Repetitions at these distances are found by direct comparison. */
  def directOffsets: Int = 8

  /** Matches beyond would need LZO's M4 token, which this encoder does not make. */
  def maximumOffset: Int = 16384 min (pageBytes - 1)

  def positionWidth: Int = log2Up(pageBytes) // a byte of the page, or a distance between two
  def matchWidth: Int = log2Up(pageBytes + 1) // a match or literal run
  def keyLengthWidth: Int = log2Up(keyBytes + 1) // a match inside one key
  def countWidth: Int = log2Up(windowBytes + 1) // bytes of one window

  /** A row is wiped after each page, so all are wiped before a generation number returns; 0 means wiped. */
  def generationWidth: Int = 8 max (log2Up(rows) + 1)
}
