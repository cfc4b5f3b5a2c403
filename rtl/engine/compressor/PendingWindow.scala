// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** A match beside what its token must say, as far as its own window knows; of the window's last match only `lane` and
  * `distance` count, the rest is in its Continuation.
  */
case class PlacedMatch(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val lane = Bits(3 bits) // which of three neighbouring bytes it starts at, one-hot; none: no match
  val distance = UInt(distanceWidth bits) // offset less one
  val field = UInt(5 bits) // length less LONG_BASE_LENGTH
  val brief = Bool() // short enough for the short token
  val state = UInt(2 bits) // literals after it, when the token counts them
  val header = UInt(countWidth bits) // literal run's token after it, 0: none
}

/** What is known of a window when its sequences are marked.
  *
  * Literals that are counted only after this window has passed, because their run is still open at its end, are marked
  * in `run` if the run begins here, else (its token is in an earlier window) in `literal` as all others.
  */
case class WindowMarks(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val data = Vec(Bits(8 bits), windowBytes)
  val literal = Bits(windowBytes bits)
  val tail = Bits(windowBytes bits) // literals after which no match starts
  val matches = Vec(PlacedMatch(parameter), triples)
  val lastMatch = Bits(triples bits) // one-hot; none: no match starts here
  val lastLength = UInt(countWidth bits) // its bytes in this window
  val covered = UInt(countWidth bits)
  val leading = UInt(countWidth bits) // literals before the first match, or all
  val trailing = UInt(countWidth bits) // literals after the last match
  val last = Bool()
  val limit = UInt(config.lengthWidth bits)
}

/** A window that waits to be written. */
case class PendingWindow(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val data = Vec(Bits(8 bits), windowBytes)
  val literal = Bits(windowBytes bits) // written as they are
  val run = Bits(windowBytes bits) // literals of the run that begins here and is open at the end
  val opensRun = Bool() // there are such
  val matches = Vec(PlacedMatch(parameter), triples)
  val lastMatch = Bits(triples bits)
  val header = Bits(8 bits) // token of the run that begins with the window and ends in it, 0: none
  val opensSequence = Bool() // its Continuation must be there
  val last = Bool()
  val limit = UInt(config.lengthWidth bits)
}

/** What the windows behind it tell of the sequence that is open at a window's end: its match's length and its number of
  * literals, as the token wants them.
  */
case class Continuation(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val brief = Bool()
  val field = UInt(5 bits) // 0 when extended
  val matchExtended = Bool()
  val matchLong = Bool() // extended by zeros
  val matchZeros = UInt(zerosWidth bits)
  val matchRest = Bits(8 bits)
  val state = UInt(2 bits)
  val hasHeader = Bool()
  val header = Bits(8 bits) // 0 when extended
  val runExtended = Bool()
  val runLong = Bool() // extended by more than `inlineZeros` zeros, and not refused
  val runZeros = UInt(zerosWidth bits)
  val runRest = Bits(8 bits)
  val refused = Bool() // more literals than the stream may have bytes
}

/** Part of a window, to be written at once: `head` is all but what comes after an extended number's zeros, `tail` that,
  * and `zeros` such bytes alone.
  */
case class WindowPart(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val window = PendingWindow(parameter)
  val continuation = Continuation(parameter)
  val head = Bool()
  val tail = Bool()
  val zeros = UInt(countWidth bits)
}

/** Bytes of the stream in their order, with gaps: `enable` says which are there. */
case class SparseBytes(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val data = Vec(Bits(8 bits), laneCount)
  val enable = Bits(laneCount bits)
  val end = PartEnd(parameter)
}

/** Up to `laneCount` bytes of the stream. */
case class DenseBytes(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val data = Vec(Bits(8 bits), laneCount)
  val count = UInt(log2Up(laneCount + 1) bits)
  val end = PartEnd(parameter)
}

/** What the limiter must know of each part. */
case class PartEnd(parameter: CompressorParameter) extends Bundle {
  val last = Bool() // of the page
  val refused = Bool() // already known to exceed the limit
  val limit = UInt(parameter.config.lengthWidth bits)
}

/** Up to `laneCount` bytes of the stream, within its limit. The piece with `last` ends it and carries the result; one with `refused`
  * does too, and has no bytes, whatever it says.
  */
case class Piece(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val data = Vec(Bits(8 bits), laneCount)
  val count = UInt(log2Up(laneCount + 1) bits)
  val last = Bool()
  val refused = Bool()
  val length = UInt(config.lengthWidth bits) // bytes of the whole stream, with this piece
}
