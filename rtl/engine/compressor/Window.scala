// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

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
  val before = Vec(Bits(8 bits), directOffsets.max) // the bytes before the window, the nearest last
  val last = Bool()

  /** The window's number in its page. */
  def row: UInt = position >> log2Up(windowBytes)

  /** Bytes of the page in this window. */
  def count: UInt = Mux(available > windowBytes, U(windowBytes), available).resize(countWidth)

  /** For each byte of `span`, whether it belongs to the page. */
  def present: Bits = Vec((0 until spanBytes).map(index => available > index)).asBits
}

/** For each distance a window is compared at: whether there is one, and which. Table, recent, then direct. */
case class Channels(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val offset = Vec(Flow(UInt(positionWidth bits)), tableOffsets + 1)

  /** Distances of all channels, with the direct ones. */
  def offsets: Seq[UInt] = offset.map(_.payload).toSeq ++ directOffsets.map(U(_, positionWidth bits))
}

/** The best match at each position of a window; what a position says counts only where it starts a match. */
case class WindowChoice(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val taken = Bits(windowBytes bits) // a match should start here, if none covers the position
  val channel = Vec(UInt(log2Up(channels) bits), windowBytes) // that match's distance
  val land = Vec(Bits(windowBytes bits), windowBytes) // the position behind the match, or the next if not taken
  val reach = Bits(windowBytes bits) // the match goes on to the end of the window, if not further
}

/** A window's tokens before it is known how many bytes of it belong to the match before. */
case class WindowPlan(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val path = Vec(Bits(windowBytes bits), windowBytes) // where matches start when coding starts at each position
  val follows = Bits(windowBytes bits) // for each start: a match of its path goes on behind the window, in the local channel
  val carried = Vec(UInt(countWidth bits), windowBytes) // or so far in another
}

/** What a window adds to the page's sequences: `covered` bytes to the match open before it, then the matches that
  * start at `starts` with `length` bytes inside this window, at the distance of their `channel`, and literals between.
  * The next window covers what the last of them has beyond.
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
  val channel = Vec(UInt(log2Up(channels) bits), windowBytes)
  val distance = Vec(UInt(positionWidth bits), channels) // offset less one
}
