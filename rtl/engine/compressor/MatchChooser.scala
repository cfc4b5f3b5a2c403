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
    val taken = RegNext(Vec((0 until windowBytes).map { index =>
      val next = if (index + 1 < windowBytes) highest(index + 1) else U(0, 3 bits)
      SmallTable(next @@ highest(index), 1)(both => if (both % 8 > 0 && both / 8 <= both % 8) 1 else 0).lsb
    }).asBits)
  }

  val equal = io.equal.map(equal => Delay(equal.bytes, 3))
  io.choice.taken := RegNext(chosen.taken)
  io.choice.channel := RegNext(chosen.channel)
  for (index <- 0 until windowBytes) {
    val taken = chosen.taken(index)
    def equals(byte: Int): Bool = Choose(equal.map(_(byte).asBits).toSeq, chosen.channel(index)).lsb
    val behind = index + minimumMatch until windowBytes // where the match may end
    val differs = Vec(behind.map(!equals(_))).asBits
    val ends = if (behind.isEmpty) B(0, windowBytes bits)
      else (FirstSet.mask(differs) << behind.head).resize(windowBytes)
    val next = if (index + 1 < windowBytes) B(BigInt(1) << (index + 1), windowBytes bits) else B(0, windowBytes bits)
    io.choice.land(index) := RegNext(Mux(taken, ends, next))
    io.choice.reach(index) := RegNext(taken && (if (behind.isEmpty) True else !differs.orR))
  }
}

object MatchChooser {
  val LATENCY = 4
}
