// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Works out what a window's own tokens tell: which bytes are literals, and for every match but the last how many
  * literals follow it.
  *
  * At most one match starts in three neighbouring bytes, so all is done for each three. Latency 2 cycles, a window a
  * cycle, never waits.
  */
class WindowMarker(parameter: CompressorParameter) extends Component {
  import parameter._
  import LzoFormat._

  val io = new Bundle {
    val source = slave(Flow(WindowTokens(parameter)))
    val limit = in(UInt(config.lengthWidth bits)) // of the page of `source`
    val sink = master(Flow(WindowMarks(parameter)))
  }

  case class Start() extends Bundle {
    val lane = Bits(3 bits)
    val position = UInt(log2Up(windowBytes) bits)
    val length = UInt(countWidth bits)
    val end = UInt(countWidth bits) // the byte after it, or the window's end
    val distance = UInt(distanceWidth bits)
  }

  case class Gathered() extends Bundle {
    val starts = Vec(Start(), triples)
    val present = Bits(triples bits) // a match starts there
    val behind = Bits(triples bits) // and one behind, in the second half of the window
    val next = Vec(UInt(log2Up(windowBytes) bits), triples) // where the first match behind does
    val first = UInt(log2Up(windowBytes) bits) // where the window's first match begins
    val data = Vec(Bits(8 bits), windowBytes)
    val count = UInt(countWidth bits)
    val covered = UInt(countWidth bits)
    val last = Bool()
    val limit = UInt(config.lengthWidth bits)
  }

  val lanes = (0 until windowBytes).grouped(3).toSeq

  /** Whether a match starts behind a triple: what starts from this one on is gathered, what starts before it is added a cycle later.
    * Over all starts at once mapping tools make a long chain. */
  val HALF = triples / 2

  val gathered = {
    val tokens = io.source.payload
    val gathered = Flow(Gathered())
    gathered.valid := io.source.valid
    for ((group, triple) <- lanes.zipWithIndex) {
      val start = gathered.starts(triple)
      val here = Vec(group.map(tokens.starts(_)))
      start.lane := here.asBits.resized
      start.position := MuxOH.or(here, group.map(U(_, log2Up(windowBytes) bits)))
      start.length := MuxOH.or(here, group.map(tokens.length(_)))
      start.end := start.position + start.length
      start.distance := Choose(tokens.distance.map(_.asBits).toSeq,
        MuxOH.or(here, group.map(tokens.channel(_)))).asUInt.resized
    }
    def startsFrom(triple: Int): Bits = tokens.starts & B((1 << windowBytes) - (1 << (3 * triple min windowBytes)), windowBytes bits)
    for (triple <- 0 until triples) {
      gathered.present(triple) := gathered.starts(triple).lane.orR
      gathered.behind(triple) := startsFrom(triple + 1 max HALF).orR
      gathered.next(triple) := FirstSet.index(startsFrom(triple + 1))
    }
    gathered.first := FirstSet.index(tokens.starts)
    gathered.data := tokens.data
    gathered.count := tokens.count
    gathered.covered := tokens.covered
    gathered.last := tokens.last
    gathered.limit := io.limit
    gathered.m2sPipe()
  }

  val marked = Flow(WindowMarks(parameter))
  val starts = gathered.starts
  val present = gathered.present
  val closed = Vec((0 until triples).map(triple => present.asBools.slice(triple + 1, HALF).foldLeft(gathered.behind(triple))(_ || _)))

  marked.valid := gathered.valid
  for (triple <- 0 until triples) {
    val literals = gathered.next(triple).resize(countWidth) - starts(triple).end
    val placed = marked.matches(triple)
    placed.lane := starts(triple).lane
    placed.distance := starts(triple).distance
    placed.field := SmallTable(starts(triple).length, 5)(_ - LONG_BASE_LENGTH)
    placed.brief := starts(triple).length.resize(5) <= SHORT_MAXIMUM_LENGTH
    placed.state := SmallTable(literals, 2)(count => if (count <= STATE_LITERALS) count else 0)
    placed.header := SmallTable(literals, countWidth)(count => if (count <= STATE_LITERALS) 0 else count - RUN_BASE)
  }
  marked.lastMatch := present & ~closed.asBits
  marked.lastLength := MuxOH.or(marked.lastMatch, starts.map(_.length))

  for ((group, triple) <- lanes.zipWithIndex; index <- group) {
    val matched = (0 to triple).map { other =>
      val begun = if (other < triple) present(other) else starts(triple).lane(index - group.head downto 0).orR
      begun && starts(other).end > index
    }
    val startsLater = closed(triple) || (starts(triple).lane >> (index - group.head + 1)).orR
    marked.literal(index) := !(gathered.covered > index || matched.orR) && gathered.count > index
    marked.tail(index) := marked.literal(index) && !startsLater
  }
  marked.data := gathered.data
  marked.covered := gathered.covered
  marked.leading := Mux(present(0) || closed(0), gathered.first.resize(countWidth), gathered.count) - gathered.covered
  marked.trailing := gathered.count - MuxOH.or(marked.lastMatch, starts.map(_.end))
  marked.last := gathered.last
  marked.limit := gathered.limit
  io.sink << marked.m2sPipe()
}
