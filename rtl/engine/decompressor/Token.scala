// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import pagepress.engine.EngineConfig

/** Shape of a PageDecompressor, invisible outside it.
  *
  * @param copyBytes bytes parsed and bytes written a cycle at most; must equal the border's streamBytes
  * @param tokenDepth tokens that may wait between parsing and copying, so that short tokens are parsed while a long
  *                   match is still being copied
  */
case class DecompressorConfig(engine: EngineConfig = EngineConfig(), copyBytes: Int = 16, tokenDepth: Int = 8) {
  require(isPow2(copyBytes) && copyBytes >= 8, s"copyBytes must be a power of two from 8, not $copyBytes")
  require(copyBytes == engine.streamBytes, s"copyBytes ($copyBytes) must equal streamBytes (${engine.streamBytes})")
  require(engine.pageBytes <= 65536, "LZO1X reaches back 48 KiB: larger pages gain nothing and are not supported")

  /** Bits of a match or run length before it is held against the page: the longest zero run and every length that
    * could fit a page are exact, longer ones stay at `saturation` or above. */
  def lengthBits: Int = log2Up(4 * saturation)
  def saturation: Int = 2 * (engine.pageBytes max 2048)
}

/** What the parser tells the copier, in stream order: copy a match, then a few literals. Exactly one `pageEnd` a page
  * closes it and carries nothing else but `malformed`.
  *
  * A literal run longer than one transfer comes as several tokens; each says in `length` how much of the run is left,
  * itself included, so that the first one already shows whether the run fits the page.
  */
case class Token(config: DecompressorConfig) extends Bundle {
  val pageEnd = Bool()
  val malformed = Bool() // with pageEnd: the stream breaks the format's grammar
  val literalRun = Bool() // no match, `length` counts literals
  val zeroRun = Bool() // the match is `length` zero bytes; no distance
  val length = UInt(config.lengthBits bits) // of the match; 0: none
  val distance = UInt(16 bits) // match: bytes back from the current end of the page, 1 and up
  val literals = UInt(log2Up(config.copyBytes + 1) bits) // literal bytes in this token
  val skip = UInt(3 bits) // bytes of `bytes` before the first literal
  val bytes = Bits(config.copyBytes * 8 bits) // the stream from this token's start
}
