// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** The page bytes one cycle works on, with their surroundings.
  *
  * A page is a run of windows; all are full but the one with `last`, which may hold fewer bytes, or none.
  */
case class Window(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val position = UInt(positionWidth bits) // of the window's first byte in the page
  val slot = UInt(1 bits) // which of the two pages in flight
  val span = Vec(Bits(8 bits), spanBytes) // the window's bytes, then those that follow in the page
  val available = UInt(log2Up(spanBytes + 1) bits) // how many of `span` belong to the page
  val before = Vec(Bits(8 bits), directOffsets) // the bytes before the window, the nearest last
  val history = UInt(log2Up(directOffsets + 1) bits) // how many of `before` belong to the page
  val last = Bool()

  /** Bytes of the page in this window. */
  def count: UInt = clamp(available, windowBytes)

  /** Bytes of the page in the next window. */
  def nextCount: UInt = Mux(available > windowBytes, clamp(available - windowBytes, windowBytes), U(0, countWidth bits))

  private def clamp(value: UInt, most: Int): UInt = Mux(value > most, U(most), value).resize(countWidth)
}

/** The best match found to start at one position; `score` 0 when there is none worth a token. */
case class Match(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val length = UInt(keyLengthWidth bits) // as far as the key shows; more may follow
  val offset = UInt(positionWidth bits) // distance back
  val score = UInt(log2Up(keyBytes) bits) // bytes saved
}

/** A window and the best match at each of its positions. */
case class WindowMatches(parameter: CompressorParameter) extends Bundle {
  val window = Window(parameter)
  val matches = Vec(Match(parameter), parameter.windowBytes)
}

/** A window and the matches that would be taken, for every byte at which its own coding may start.
  *
  * `path(s)` marks where matches start when the first `s` bytes already belong to an earlier match. At most one match
  * of a path reaches the end of the window (`reach`).
  */
case class WindowPlan(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val window = Window(parameter)
  val path = Vec(Bits(windowBytes bits), windowBytes)
  val reach = Bits(windowBytes bits)
  val length = Vec(UInt(keyLengthWidth bits), windowBytes)
  val offset = Vec(UInt(positionWidth bits), windowBytes)
}

/** What a window adds to the page's sequences: `covered` bytes to the match open before it, then the matches that
  * start at `starts` with `length` bytes inside this window, and literals between. The next window covers what the
  * last of them has beyond.
  *
  * Every match has 3 bytes at least, and 4 at least when its offset exceeds 2048; windows may share them.
  */
case class WindowTokens(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val slot = UInt(1 bits)
  val last = Bool()
  val data = Vec(Bits(8 bits), windowBytes) // the window's bytes
  val count = UInt(countWidth bits)
  val covered = UInt(countWidth bits)
  val starts = Bits(windowBytes bits)
  val length = Vec(UInt(countWidth bits), windowBytes)
  val offset = Vec(UInt(positionWidth bits), windowBytes)
}

/** A match and the literals that follow it: everything its token needs to know. The page's first sequence has
  * `matchLength` 0, and every page has exactly one sequence with `last`.
  */
case class Sequence(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val slot = UInt(1 bits)
  val last = Bool()
  val matchLength = UInt(matchWidth bits)
  val offset = UInt(positionWidth bits)
  val literals = UInt(matchWidth bits)
}

/** Up to `pieceBytes` bytes of the stream. The piece with `last` ends it and carries the result. */
case class Piece(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val data = Bits(pieceBytes * 8 bits)
  val count = UInt(log2Up(pieceBytes + 1) bits)
  val last = Bool()
  val status = Bits(8 bits)
  val length = UInt(config.lengthWidth bits) // bytes of the whole stream, with this piece
}
