// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import spinal.core._
import spinal.lib._

/** A clock buffer with an enable: UltraScale+'s BUFGCE, and for simulation what it does. `run` belongs to the rising edge of `clk`, and the
  * edge that ends its cycle is passed on. Another technology's cell goes into this module. Of several cores in one design the first brings it.
  */
class ClockBuffer extends BlackBox {
  setDefinitionName("lane_clock")
  val io = new Bundle {
    val clk, run = in Bool ()
    val gated = out Bool ()
  }
  noIoPrefix()
  setInlineVerilog(
    """`ifndef PAGEPRESS_LANE_CLOCK
      |`define PAGEPRESS_LANE_CLOCK
      |module lane_clock (input wire clk, input wire run, output wire gated);
      |`ifdef SYNTHESIS
      |  BUFGCE buffer (.I(clk), .CE(run), .O(gated));
      |`else
      |  reg open = 1'b1;
      |  always @(negedge clk) open <= run;
      |  assign gated = clk & open;
      |`endif
      |endmodule
      |`endif
      |""".stripMargin)
}

/** Stops a lane's clock while it is not wanted. It stands on the clock that it stops.
  *
  * `run`       the lane's clock runs in this cycle. Whoever lets nothing enter or leave the lane in others may stop it at any moment: it stands
  *             still with all that is in it
  * `wanted`    by the unit's clock; followed a cycle later on the same clock, on another one four of its cycles
  * `laneReset` where the lane has another clock: it runs for some cycles of a reset
  */
case class LaneClock(unitClock: ClockDomain, laneClock: Option[ClockDomain]) extends Component {
  setDefinitionName("lane_clock_stop")
  val io = new Bundle {
    val wanted, laneReset = in Bool ()
    val run, gated = out Bool ()
  }
  private val wanted = laneClock match {
    case None => io.wanted
    case Some(_) => unitClock(RegNext(io.wanted) init True)
  }
  private val run = laneClock match {
    case None => unitClock(RegNext(wanted) init True)
    case Some(clock) => clock.withBootReset()(RegNext(BufferCC(wanted, True) || io.laneReset && !Delay(io.laneReset, resetCycles, init = False)) init True)
  }
  io.run := run
  private val buffer = new ClockBuffer
  buffer.io.clk := laneClock.getOrElse(unitClock).readClockWire
  buffer.io.run := run
  io.gated := buffer.io.gated

  /** A lane needs one. */
  private def resetCycles = 4
}
