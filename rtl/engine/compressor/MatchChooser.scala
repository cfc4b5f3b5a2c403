// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Chooses the best match at each position of a window from what its channels' bytes agree in.
  *
  * A match is weighed by the bytes it saves: its length less its token, two bytes, or three if it is long or far. Of
  * equals the first channel's wins. A match is taken when it saves a byte and the next position has none that saves
  * more. LATENCY cycles, a window a cycle.
  */
class MatchChooser(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val equal = in(Vec(Bits(spanBytes bits), channels))
    val offset = in(Vec(UInt(positionWidth bits), tableOffsets + 1))
    val choice = out(WindowChoice(parameter))
  }

  /** Shortest matches of each level of the score, near and far; long ones are told apart coarsely. */
  val NEAR_LEVELS = Seq(3, 4, 5, 6, 7, 8, 11, 14, 18)
  val FAR_LEVELS = Seq(4, 5, 6, 7, 8, 11, 11, 14, 18)

  /** Outer index channel, inner index position: one bit for each level reached. */
  val scores = for ((equal, channel) <- io.equal.zipWithIndex) yield {
    def run(length: Int, index: Int): Bool =
      if (index + length > spanBytes) False else equal(index + length - 1 downto index).andR
    val far = if (channel < io.offset.size) io.offset(channel) > LzoFormat.SHORT_MAXIMUM_OFFSET else False
    for (index <- 0 until windowBytes) yield RegNext(Vec(NEAR_LEVELS.zip(FAR_LEVELS).map { case (nearest, farthest) =>
      Mux(far, run(farthest, index), run(nearest, index))
    }).asBits)
  }

  val best = for (index <- 0 until windowBytes) yield scores.map(_(index)).reduceBalancedTree(_ | _)
  val winning = for (index <- 0 until windowBytes) yield
    RegNext(Vec(scores.map(own => (own(index) | ~best(index)).andR)).asBits)
  val highest = best.map(RegNext(_))

  val chosen = new Area {
    val channel = RegNext(Vec(winning.map(OHMasking.first(_))))
    val taken = RegNext(Vec((0 until windowBytes).map { index =>
      val better = if (index + 1 < windowBytes) (highest(index + 1) & ~highest(index)).orR else False
      highest(index)(0) && !better
    }).asBits)
  }

  val equal = Delay(io.equal, 3)
  io.choice.taken := RegNext(chosen.taken)
  io.choice.channel := RegNext(chosen.channel)
  for (index <- 0 until windowBytes) {
    val taken = chosen.taken(index)
    def equals(byte: Int): Bool = Vec((0 until channels).map(channel =>
      chosen.channel(index)(channel) && equal(channel)(byte))).reduce(_ || _)
    val behind = index + minimumMatch until windowBytes // where the match may end
    val differs = Vec(behind.map(!equals(_))).asBits
    val ends = if (behind.isEmpty) B(0, windowBytes bits)
      else (OHMasking.first(differs) << behind.head).resize(windowBytes)
    val next = if (index + 1 < windowBytes) B(BigInt(1) << (index + 1), windowBytes bits) else B(0, windowBytes bits)
    io.choice.land(index) := RegNext(Mux(taken, ends, next))
    io.choice.reach(index) := RegNext(taken && (if (behind.isEmpty) True else !differs.orR))
  }
}

object MatchChooser {
  val LATENCY = 4
}
