// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Decides which matches of a window would be taken, for each byte at which its own coding may start.
  *
  * A match is taken when it saves a byte and the next position has none that saves more. Following the matches taken
  * from every possible start gives the paths; which of them holds depends on the window before, and is settled later
  * by one multiplexer. Latency one cycle for every four positions, one window a cycle.
  */
class MatchPlanner(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Stream(WindowMatches(parameter)))
    val sink = master(Stream(WindowPlan(parameter)))
  }

  val POSITIONS_PER_STAGE = 4

  val start = io.source.translateWith {
    val plan = WindowPlan(parameter)
    val matches = io.source.matches
    plan.window := io.source.window
    for (index <- 0 until windowBytes) {
      val better = if (index + 1 < windowBytes) matches(index + 1).score > matches(index).score else False
      val taken = matches(index).score =/= 0 && !better
      // Not taken reads as length 1 from here on: the path moves to the next position.
      plan.length(index) := Mux(taken, matches(index).length, U(1))
      plan.offset(index) := matches(index).offset
      plan.reach(index) := taken && matches(index).length >= windowBytes - index
      plan.path(index) := 0
    }
    plan
  }.m2sPipe()

  /** A position's path is itself, if taken, and the path of the position its match ends at: last positions first. */
  val stages = (0 until windowBytes).reverse.grouped(POSITIONS_PER_STAGE)
  io.sink << stages.foldLeft(start) { (before, positions) =>
    before.translateWith {
      val plan = WindowPlan(parameter)
      plan.window := before.window
      plan.reach := before.reach
      plan.length := before.length
      plan.offset := before.offset
      val path = before.path.toArray
      for (index <- positions) {
        val length = before.length(index)
        val own = B(length =/= 1, 1 bits).resize(windowBytes) |<< index
        path(index) = own | (1 until windowBytes - index)
          .filter(step => (step == 1 || step >= minimumMatch) && step <= keyBytes)
          .map(step => path(index + step).andMask(length === step))
          .foldLeft(B(0, windowBytes bits))(_ | _)
      }
      plan.path := Vec(path.toSeq)
      plan
    }.m2sPipe()
  }
}
