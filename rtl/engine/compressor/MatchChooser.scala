// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Chooses the best match at each position of a window from what its channels' bytes agree in.
  *
  * A match is weighed by its length; one that costs what it saves, of three bytes and far, does not count. Of equals
  * the first channel's wins. A match is taken when it counts and the next position has none of more weight. LATENCY
  * cycles, a window a cycle.
  */
class MatchChooser(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val equal = in(Vec(EqualBytes(parameter), channels))
    val offset = in(Vec(UInt(positionWidth bits), tableOffsets + 1))
    val choice = out(WindowChoice(parameter))
  }

  /** Shortest matches of each level of the score; long ones are told apart coarsely. */
  val LEVELS = Seq(3, 4, 5, 7, 9, 13, 18)

  /** How many levels are reached; who reaches one has reached those before it. */
  def level(reached: Bits): UInt = {
    def number(reached: Seq[Bool]): Bits =
      if (reached.isEmpty) B(0, 0 bits)
      else {
        val half = reached.size / 2
        reached(half) ## Mux(reached(half), number(reached.drop(half + 1)), number(reached.take(half)))
      }
    number(reached.asBools.toList).asUInt
  }

  /** Scores: one bit for each level reached. Outer index channel, inner index position. */
  val scores = for ((equal, channel) <- io.equal.zipWithIndex) yield {
    def run(length: Int, index: Int): Bool = if (index + length > spanBytes) False else equal.run(index, length)
    // A far match of three bytes costs what it saves.
    val far = if (channel < io.offset.size) io.offset(channel) > LzoFormat.SHORT_MAXIMUM_OFFSET else False
    for (index <- 0 until windowBytes) yield {
      RegNext(Vec(LEVELS.map { length =>
        run(length, index) && (if (length == minimumMatch) !far || run(length + 1, index) else True)
      }).asBits)
    }
  }

  val best = for (index <- 0 until windowBytes) yield scores.map(_(index)).reduceBalancedTree(_ | _)
  val winning = for (index <- 0 until windowBytes) yield
    RegNext(Vec(scores.map(own => (own(index) | ~best(index)).andR)).asBits)
  val highest = best.map(reached => RegNext(level(reached)))

  val chosen = new Area {
    val channel = RegNext(Vec(winning.map(FirstSet.index(_))))

    /** Whether a match is taken whose level is one of those, by its own level and the next position's. */
    private def taken(index: Int, levels: Range): Bool = {
      val next = if (index + 1 < windowBytes) highest(index + 1) else U(0, 3 bits)
      RegNext(SmallTable(next @@ highest(index), 1)(both => if (levels.contains(both % 8) && both / 8 <= both % 8) 1 else 0).lsb)
    }
    val any = Vec((0 until windowBytes).map(taken(_, 1 to LEVELS.size))).asBits
    val at = for (index <- 0 until windowBytes) yield // each level whose shortest match ends in the window
      (1 to LEVELS.size).takeWhile(level => LEVELS(level - 1) < windowBytes - index).map(level => taken(index, level to level))
    val beyond = Vec(at.zipWithIndex.map { case (inside, index) => taken(index, inside.size + 1 to LEVELS.size) }).asBits
  }

  val equal = io.equal.map(equal => Delay(equal.bytes, 3))
  io.choice.taken := RegNext(chosen.any)
  io.choice.channel := RegNext(chosen.channel)
  for (index <- 0 until windowBytes) {
    val room = windowBytes - index
    val goesOn = (minimumMatch until room).map(length => // the match has more bytes than that
      length -> Choose(equal.map(_(index + length).asBits).toSeq, chosen.channel(index)).lsb).toMap
    def all(lengths: Range): Bool = lengths.map(goesOn(_)).foldLeft(True)(_ && _)

    // A match's level tells its length but for a few bytes, which alone are looked at: all before are equal, and one of them differs.
    val land = B(0, windowBytes bits)
    var reach = chosen.beyond(index)
    for ((here, (from, next)) <- chosen.at(index).zip(LEVELS.zip(LEVELS.tail :+ Int.MaxValue))) {
      for (length <- from until (next min room)) {
        val ends = if (length == next - 1) True else !goesOn(length)
        land(index + length) := here && all(from until length) && ends
      }
      if (next > room) reach = reach || here && all(from until room)
    }
    if (room > 1) land(index + 1) := !chosen.any(index)
    io.choice.land(index) := RegNext(land)
    io.choice.reach(index) := RegNext(reach)
  }
}

object MatchChooser {
  val LATENCY = 4
}
