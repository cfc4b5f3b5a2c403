// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Lays the stream bytes of a window's part into lanes, in their order.
  *
  * Lane 0 holds a run's token, lane 1 + i what comes of byte i: a literal stays where it is, a match's token lies on its
  * bytes, the token of the run behind it too. A run's extended token has a few bytes more than there is place for: the
  * literals behind it move up as many lanes, which are free, as the run lasts to the window's end. Latency 2 cycles.
  */
class TokenLanes(parameter: CompressorParameter) extends Component {
  import parameter._
  import LzoFormat._

  val io = new Bundle {
    val source = slave(Flow(WindowPart(parameter)))
    val sink = master(Flow(SparseBytes(parameter)))
  }

  /** A match's token and the token of the run behind it, from the lane of its start on. */
  case class TokenBytes() extends Bundle {
    val bytes = Vec(Bits(8 bits), 4)
    val start = Vec(Bits(3 bits), 4) // for each byte that is written: the start, one-hot
  }

  case class Choice() extends Bundle {
    val data = Vec(Bits(8 bits), windowBytes)
    val plain = Bits(windowBytes bits) // literals in their own lanes
    val moved = Vec(Bits(windowBytes bits), inlineZeros + 1) // literals one lane up, or more
    val restLane = Bits(windowBytes + inlineZeros bits)
    val rest = Bits(8 bits)
    val zero = Bits(windowBytes + inlineZeros bits)
    val tokens = Vec(TokenBytes(), triples)
    val hasHeader = Bool()
    val header = Bits(8 bits)
    val endMark = Bool()
    val end = PartEnd(parameter)
  }

  val chosen = {
    val part = io.source.payload
    val window = part.window
    val continuation = part.continuation
    val choice = Flow(Choice())
    choice.valid := io.source.valid

    val extended = window.opensRun && continuation.runExtended
    val firstOfRun = window.run & ~(window.run |<< 1)
    choice.data := window.data
    choice.plain := window.literal.andMask(part.head) | window.run.andMask(part.tail && !extended)
    val inline = (0 to inlineZeros).map { zeros => // in this part, before the rest
      val so = Mux(continuation.runLong, U(0), continuation.runZeros).resize(2) === zeros
      part.tail && extended && so
    }
    def above(lanes: Bits, by: Int): Bits = (lanes << by).resize(windowBytes + inlineZeros)
    val begin = inline.map(firstOfRun.andMask(_))
    choice.moved := Vec(inline.map(window.run.andMask(_)))
    choice.restLane := begin.zipWithIndex.map { case (first, zeros) => above(first, zeros) }.reduce(_ | _)
    choice.rest := continuation.runRest
    choice.zero := (for ((first, zeros) <- begin.zipWithIndex; zero <- 0 until zeros) yield above(first, zero))
      .foldLeft(Vec((0 until windowBytes).map(part.zeros > _)).asBits.resize(windowBytes + inlineZeros))(_ | _)

    val leadingRun = window.opensRun && !window.lastMatch.orR
    choice.hasHeader := part.head && (window.header.orR || leadingRun && continuation.hasHeader)
    choice.header := Mux(leadingRun, continuation.header, window.header)
    choice.endMark := part.tail && window.last
    choice.end.last := part.tail && window.last
    choice.end.refused := continuation.refused && (window.lastMatch.orR || window.opensRun)
    choice.end.limit := window.limit

    for ((placed, triple) <- window.matches.zipWithIndex) {
      val own = window.lastMatch(triple) // the continuation's match
      val token = choice.tokens(triple)
      val field = Mux(own, continuation.field, placed.field)
      val brief = placed.distance < SHORT_MAXIMUM_OFFSET && Mux(own, continuation.brief, placed.brief)
      val runFollows = Mux(own, window.opensRun, True)
      val state = Mux(own, continuation.state, placed.state).asBits
      val header = Mux(own, continuation.header, placed.header.asBits.resize(8))
      val hasHeader = Mux(own, window.opensRun && continuation.hasHeader, placed.header.orR)
      val cut = own && continuation.matchExtended
      val distance = placed.distance.asBits.resize(14)

      when(brief) {
        token.bytes(0) := (field + (LONG_BASE_LENGTH - 1))(2 downto 0).asBits ## distance(2 downto 0) ## state
        token.bytes(1) := distance(10 downto 3)
        token.bytes(2) := header
      } otherwise {
        token.bytes(0) := Mux(cut && part.tail, continuation.matchRest, B(LONG_MARK >> 5, 3 bits) ## field)
        token.bytes(1) := distance(5 downto 0) ## state
        token.bytes(2) := distance(13 downto 6)
      }
      token.bytes(3) := header
      val begun = Mux(cut, part.tail, part.head) // past the length
      token.start(0) := placed.lane.andMask(part.head || cut && part.tail)
      token.start(1) := placed.lane.andMask(begun)
      token.start(2) := placed.lane.andMask(begun && (!brief || hasHeader))
      token.start(3) := placed.lane.andMask(begun && !brief && hasHeader)
    }
    choice.m2sPipe()
  }

  val laid = Flow(SparseBytes(parameter))
  laid.valid := chosen.valid
  laid.end := chosen.end
  laid.data(0) := chosen.header
  laid.enable(0) := chosen.hasHeader
  for (lane <- 0 until windowBytes + 3) {
    val literals = for ((choices, offset) <- (chosen.plain +: chosen.moved.toSeq).zipWithIndex;
                        index = lane - offset if index >= 0 && index < windowBytes)
      yield chosen.data(index).andMask(choices(index)) -> choices(index)
    val tokens = for (place <- 0 to 3; start = lane - place if start >= 0 && start < windowBytes;
                      token = chosen.tokens(start / 3))
      yield token.bytes(place).andMask(token.start(place)(start % 3)) -> token.start(place)(start % 3)
    val rest = if (lane < windowBytes + inlineZeros) Seq(chosen.rest.andMask(chosen.restLane(lane)) -> chosen.restLane(lane),
      B(0, 8 bits) -> chosen.zero(lane)) else Nil
    val mark = if (lane >= windowBytes)
      Seq(B(END_MARK(lane - windowBytes), 8 bits).andMask(chosen.endMark) -> chosen.endMark) else Nil
    val all = literals ++ tokens ++ rest ++ mark
    laid.data(1 + lane) := all.map(_._1).reduce(_ | _)
    laid.enable(1 + lane) := all.map(_._2).reduce(_ || _)
  }
  io.sink << laid.m2sPipe()
}
