// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Follows the matches of a window from every position on at once: which path holds depends on the window before.
  *
  * Spans of positions are joined two by two: a path through the first goes on in the second where it lands there.
  * LATENCY cycles, a window a cycle. `local` and `beyond` come a cycle before the plan: whether the match chosen at a position
  * goes on in the next window as the local channel's, else how many bytes of that it has.
  */
class MatchPlanner(parameter: CompressorParameter) extends Component {
  import parameter._
  require(windowBytes <= 16)

  val io = new Bundle {
    val choice = in(WindowChoice(parameter))
    val local = in(Bits(windowBytes bits))
    val beyond = in(Vec(UInt(countWidth bits), windowBytes))
    val plan = out(WindowPlan(parameter))
  }

  /** Paths from each position of a span to its end, and where they land behind it. */
  case class Span(from: Int, path: Seq[Bits], land: Seq[Bits]) {
    def join(next: Span): Span = {
      val size = path.size + next.path.size
      def through(land: Bits, of: Seq[Bits]): Bits = of.zipWithIndex
        .map { case (value, index) => value.andMask(land(next.from + index)) }.reduceBalancedTree(_ | _)
      val behind = B((BigInt(1) << windowBytes) - (BigInt(1) << (from + size)), windowBytes bits)
      Span(from,
        path.zip(land).map { case (own, landed) => own | through(landed, next.path) } ++ next.path,
        land.map(landed => (landed | through(landed, next.land)) & behind) ++ next.land)
    }
    def registered: Span = Span(from, path.map(RegNext(_)), land.map(RegNext(_)))
  }

  val positions = for (index <- 0 until windowBytes) yield Span(index,
    Seq((io.choice.taken(index).asBits << index).resize(windowBytes)), Seq(io.choice.land(index)))

  def pairs(spans: Seq[Span]): Seq[Span] = spans.grouped(2).map(pair => pair(0).join(pair(1))).toSeq
  val fours = pairs(pairs(positions)).map(_.registered)
  val joined = Iterator.iterate(fours)(pairs(_).map(_.registered)).find(_.size == 1).get.head

  val SPAN_STEPS = log2Up(windowBytes) - 1
  val path = Delay(Vec(joined.path), MatchPlanner.LATENCY - 1 - SPAN_STEPS)
  io.plan.path := RegNext(path)
  for (index <- 0 until windowBytes) {
    // One match of a path at most goes on.
    io.plan.follows(index) := RegNext((path(index) & io.local).orR)
    io.plan.carried(index) := RegNext((index until windowBytes).map(start =>
      io.beyond(start).andMask(path(index)(start))).reduceBalancedTree(_ | _))
  }
}

object MatchPlanner {

  /** That of windows of 16 bytes; smaller ones wait. */
  val LATENCY = 4
}
