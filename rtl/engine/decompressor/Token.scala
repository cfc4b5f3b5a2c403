// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import pagepress.engine.EngineConfig

/** Shape of a PageDecompressor, invisible outside it but for `verifies`; streams are engine.streamBytes wide.
  *
  * @param copyBytes bytes of the page written a cycle at most
  * @param tokens tokens handed from parser to copier a cycle at most, 1 or 2
  * @param tokenDepth groups of tokens that may wait between parsing and copying, so that short tokens are parsed while
  *                   a long match is still being copied
  * @param verifies  it is given the page that each stream should give, in words of copyBytes, and holds the one against the other instead of
  *                   writing a page of its own. The streams are our own compressor's, whatever it was made with: what LzoFormat does not have
  *                   is a fault of that compressor, and refused as malformed
  */
case class DecompressorConfig(
    engine: EngineConfig = EngineConfig(),
    copyBytes: Int = 32,
    tokens: Int = 2,
    tokenDepth: Int = 16,
    verifies: Boolean = false
) {
  require(isPow2(copyBytes) && copyBytes >= literalBytes,
    s"copyBytes must be a power of two from $literalBytes, not $copyBytes")
  require(tokens == 1 || tokens == 2, s"tokens must be 1 or 2, not $tokens")
  require(engine.pageBytes <= 65536, "LZO1X reaches back 48 KiB: larger pages gain nothing and are not supported")

  /** Literals one token carries at most. */
  def literalBytes: Int = 16

  /** Two tokens a cycle are copied in pairs. */
  def pairs: Boolean = tokens == 2

  /** It takes what any compressor writes of LZO1X and lzo-rle; else LzoFormat's tokens alone: no M1, no M4 but the end mark, no version header
    * and so no runs of zeros. */
  def everyToken: Boolean = !verifies

  /** Bits of a number of bytes in one cycle, 0 to copyBytes. */
  def countBits: Int = log2Up(copyBytes + 1)

  /** Bytes of the stream the parser prepares at once. */
  def rowBytes: Int = 16

  /** The second of two tokens starts at most so many bytes behind the first. */
  def pairReach: Int = 8

  /** Rows kept between preparing and parsing. */
  def rows: Int = 16

  /** Bits of a match or run length before it is held against the page: the longest zero run and every length that
    * could fit a page are exact, longer ones stay at `saturation` or above. */
  def lengthBits: Int = log2Up(4 * saturation)
  def saturation: Int = 2 * (engine.pageBytes max 2048)
}

object DecompressorConfig {

  /** The decompressor of a lane. One token a cycle seldom has more bytes than a copier of half the width takes. */
  def of(engine: EngineConfig): DecompressorConfig =
    DecompressorConfig(engine, copyBytes = 16 * engine.decompressorTokens, tokens = engine.decompressorTokens)
}

/** What the parser tells the copier: copy a match, then put literals behind it; either may be missing, not both.
  *
  * A match without literals of its own takes the literal run behind it into the same token, so `literals` goes up to
  * literalBytes whether there is a match or not: that saves a tenth of the tokens of real pages.
  * A literal run longer than one token can carry comes as several tokens; each says in `runLength` how much of the run
  * is left, itself included, so that the first one already shows whether the run fits the page.
  */
case class Token(config: DecompressorConfig) extends Bundle {
  val valid = Bool()
  val zeroRun = config.everyToken generate Bool() // the match is `matchLength` zero bytes; `distance` means nothing
  val matchLength = UInt(config.lengthBits bits) // 0: a literal run's token
  val distance = UInt(16 bits) // match: bytes back from the current end of the page, 1 and up
  val runLength = UInt(config.lengthBits bits) // literals left in the run, these included; behind a match always `literals`
  val literals = UInt(log2Up(config.literalBytes + 1) bits) // literal bytes in this token, 0 only behind a match
  val bytes = Bits(config.literalBytes * 8 bits) // first literal in the low bits; undefined from `literals` on
}

/** The tokens of one cycle, in stream order; `tokens(0)` is valid in every group but the page's last.
  *
  * Exactly one `pageEnd` a page closes it: none of its tokens is valid then, and it says whether the stream was well
  * formed.
  */
case class TokenGroup(config: DecompressorConfig) extends Bundle {
  val pageEnd = Bool()
  val malformed = Bool() // with pageEnd: the stream breaks the format's grammar
  val tokens = Vec(Token(config), config.tokens)
}
