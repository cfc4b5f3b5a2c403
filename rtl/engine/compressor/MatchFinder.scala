// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Finds the best match at each position of a window, of those near by and those in the table.
  *
  * Every position of the page is looked up and entered, whether a match covers it or not, so nothing here waits for
  * decisions taken later. Latency 5 cycles, one window a cycle.
  */
class MatchFinder(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Stream(Window(parameter)))
    val sink = master(Stream(WindowMatches(parameter)))
  }

  /** A table answer beside the matches near by. */
  case class Found() extends Bundle {
    val answer = TableAnswer(parameter)
    val nearLength = Vec(UInt(keyLengthWidth bits), windowBytes)
    val nearOffset = Vec(UInt(positionWidth bits), windowBytes)
  }

  val way = Reg(UInt((log2Up(ways) max 1) bits)) init 0
  when(io.source.fire) {
    way := (if (ways == 1) U(0) else way + 1)
    when(io.source.last)(way := 0)
  }

  val lookup = io.source.translateWith {
    val lookup = TableLookup(parameter)
    lookup.window := io.source.payload
    lookup.way := way
    val starts = (0 until windowBytes).map(index => io.source.span.slice(index, index + minimumMatch).toSeq)
    val hashes = starts.map(KeyHash(parameter, _))
    val banksAsked = hashes.map(_.take(log2Up(banks)).asUInt)
    val complete = (0 until windowBytes).map(index => io.source.available >= index + minimumMatch)
    for (index <- 0 until windowBytes) {
      val earlier = (0 until index).map(other => complete(other) && banksAsked(other) === banksAsked(index))
      lookup.requests(index).granted := complete(index) && !earlier.foldLeft(False)(_ || _)
      lookup.requests(index).bank := banksAsked(index)
      lookup.requests(index).row := hashes(index).drop(log2Up(banks)).asUInt
    }
    lookup
  }

  val table = new MatchTable(parameter)
  table.io.source << lookup.m2sPipe()

  val repeats = new RepeatFinder(parameter)
  repeats.io.window := table.io.sink.window
  val found = table.io.sink.translateWith {
    val found = Found()
    found.answer := table.io.sink.payload
    found.nearLength := repeats.io.length
    found.nearOffset := repeats.io.offset
    found
  }.m2sPipe()

  io.sink << found.translateWith {
    val result = WindowMatches(parameter)
    val window = found.answer.window
    result.window := window
    for (index <- 0 until windowBytes) {
      val here = window.position | U(index, positionWidth bits)
      val room = Mux(window.available > index, window.available - index, U(0))
      val near = candidate(found.nearLength(index), found.nearOffset(index))
      val far = found.answer.hits(index).map { hit =>
        val length = Mux(hit.length > room, room, hit.length).resize(keyLengthWidth)
        candidate(length, here - hit.position)
      }
      result.matches(index) := (near +: far).reduceBalancedTree((a, b) => Mux(b.score > a.score, b, a))
    }
    result
  }.m2sPipe()

  /** A match weighed by what its token costs: two bytes, or three if it is long or far. */
  def candidate(length: UInt, offset: UInt): Match = {
    val candidate = Match(parameter)
    val short = length <= LzoFormat.SHORT_MAXIMUM_LENGTH && offset <= LzoFormat.SHORT_MAXIMUM_OFFSET
    val usable = length >= minimumMatch && (if (maximumOffset < pageBytes - 1) offset <= maximumOffset else True)
    candidate.length := length
    candidate.offset := offset
    candidate.score := Mux(usable, Mux(short, length - 2, length - 3), U(0)).resized
    candidate
  }
}
