// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Carries the match that reaches the end of a window into the windows after it, and so settles each window's path.
  *
  * How far a match goes on is read from history, one window ahead. Two reads are prepared for every window, so that the
  * loop from window to window holds no memory's latency beside a comparison:
  *  - the *local* one follows the window's likeliest last match, that of the path from its first byte;
  *  - the *running* one follows the match that already covers the window before, should it cover this one too.
  *
  * A last match that is neither goes on only as far as its key showed; the rest is found again as a new match.
  * Latency 3 cycles, one window a cycle.
  */
class MatchCarry(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val source = slave(Stream(WindowPlan(parameter)))
    val sink = master(Stream(WindowTokens(parameter)))
  }

  /** A plan, and how the next window continues the local match. */
  case class Continued() extends Bundle {
    val plan = WindowPlan(parameter)
    val local = Bits(windowBytes bits) // the matches that reach the end and have the local match's distance
    val localCount = UInt(countWidth bits)
  }

  def history(): PageMemory = {
    val memory = new PageMemory(parameter, windowBytes)
    memory.io.write << io.write
    memory
  }

  /** Bytes at the start of the next window that equal `data`. */
  def agreement(window: Window, data: Vec[Bits]): UInt = {
    val stop = (0 until windowBytes).map { index =>
      window.span(windowBytes + index) =/= data(index) || window.nextCount <= index
    } :+ True
    OHToUInt(OHMasking.first(Vec(stop))).resize(countWidth)
  }

  def localOffset(plan: WindowPlan): UInt = MuxOH.or(plan.path(0) & plan.reach, plan.offset)

  val local = history()
  local.io.enable := io.source.fire
  local.io.slot := io.source.window.slot
  local.io.position := io.source.window.position + windowBytes - localOffset(io.source)
  val fetched = io.source.m2sPipe()

  val compared = fetched.translateWith {
    val continued = Continued()
    continued.plan := fetched.payload
    continued.local := Vec(fetched.offset.map(_ === localOffset(fetched.payload))).asBits & fetched.reach
    continued.localCount := agreement(fetched.window, local.io.data)
    continued
  }

  val settled = compared.m2sPipe()
  val running = history()

  val settle = new Area {
    val plan = settled.plan
    val window = plan.window

    val covered = Reg(UInt(countWidth bits)) init 0 // bytes of this window that belong to the match before
    val offset = Reg(UInt(positionWidth bits)) // that match's distance

    val whole = covered === windowBytes
    val path = (0 until windowBytes).map(index => plan.path(index).andMask(covered === index)).reduce(_ | _)
    val exit = path & plan.reach
    val spill = (0 until windowBytes).map { index =>
      val beyond = Mux(plan.reach(index), plan.length(index) - (windowBytes - index), U(0, keyLengthWidth bits))
      Mux(beyond > windowBytes, U(windowBytes), beyond).resize(countWidth)
    }
    val nextOffset = Mux(whole, offset, MuxOH.or(exit, plan.offset))
    val nextCovered = UInt(countWidth bits)
    when(whole) {
      nextCovered := agreement(window, running.io.data)
    } elsewhen (exit & settled.local).orR {
      nextCovered := settled.localCount
    } otherwise {
      nextCovered := MuxOH.or(exit, spill)
    }
    when(settled.fire) {
      covered := Mux(window.last, U(0), nextCovered)
      offset := nextOffset
    }

    // The window now entering `settled` may turn out to be covered whole by the match of the window before it.
    running.io.enable := compared.fire
    running.io.slot := compared.plan.window.slot
    running.io.position := compared.plan.window.position + windowBytes - Mux(settled.fire, nextOffset, offset)
  }

  io.sink << settled.translateWith {
    val tokens = WindowTokens(parameter)
    val plan = settled.plan
    tokens.slot := plan.window.slot
    tokens.last := plan.window.last
    tokens.data := Vec(plan.window.span.take(windowBytes))
    tokens.count := plan.window.count
    tokens.covered := settle.covered
    tokens.starts := settle.path
    tokens.offset := plan.offset
    for (index <- 0 until windowBytes)
      tokens.length(index) := Mux(plan.reach(index), U(windowBytes - index), plan.length(index)).resized
    tokens
  }.m2sPipe()
}
