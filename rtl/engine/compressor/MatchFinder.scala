// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Finds the matches of a page, window by window.
  *
  *  - `write`: the windows' bytes as WindowSource gives them.
  *  - `source`: windows; one a cycle while `room` is high, but for the wiping of the match table, after reset and once in
  *    some thousand pages.
  *  - `sink`: their tokens, LATENCY cycles later, `room` or not.
  *
  * A window is compared with the page at a few distances, its channels, byte for byte: those the table names for its
  * bytes, that of the match some windows ago, and some small ones. So a match needs the table at one of its
  * positions only, is found from its first byte on, and goes on where it runs into the next window. Every position is
  * looked up and entered, whether a match covers it or not; nothing before MatchCarry waits for decisions.
  *
  * Nothing inside waits for anything: a window enters only when there is a place for its tokens behind.
  */
class MatchFinder(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val source = slave(Stream(Window(parameter)))
    val room = in(Bool())
    val sink = master(Flow(WindowTokens(parameter)))
  }

  val table = new MatchTable(parameter)
  val window = io.source.haltWhen(!io.room || table.io.wiping).toFlow
  table.io.window << window

  val selector = new OffsetSelector(parameter)
  selector.io.source := table.io.offsets

  def delayed(cycles: Int): Flow[Window] = {
    val later = Flow(Window(parameter))
    later.valid := Delay(window.valid, cycles, init = False)
    later.payload := Delay(window.payload, cycles)
    later
  }
  val TO_COMPARER = MatchFinder.TO_COMPARER
  val TO_CHOOSER = MatchFinder.TO_CHOOSER

  val comparer = new OffsetComparer(parameter, lead = TO_COMPARER)
  val channels = Channels(parameter)
  comparer.io.write << io.write
  comparer.io.early := window.payload
  comparer.io.window := delayed(TO_COMPARER).payload
  comparer.io.named := Vec(selector.io.sink.map(_.payload))
  comparer.io.offset := channels.offset

  val chooser = new MatchChooser(parameter)
  val known = Delay(channels, OffsetComparer.LATENCY)
  chooser.io.equal := comparer.io.equal
  chooser.io.offset := Vec(known.offset.map(_.payload))

  val planner = new MatchPlanner(parameter)
  planner.io.choice := chooser.io.choice

  val carry = new MatchCarry(parameter)
  carry.io.write << io.write
  carry.io.window << delayed(TO_CHOOSER)
  carry.io.equal := comparer.io.equal
  carry.io.known := known
  carry.io.choice := chooser.io.choice
  planner.io.local := carry.io.local
  planner.io.beyond := carry.io.beyond
  carry.io.plan := planner.io.plan

  /** The distance of the last match that began in each window or before it. */
  val recent = new Area {
    val memory = Mem(UInt(positionWidth bits), recentDelay)
    val tokens = carry.io.tokens

    /** Of some positions in order whether a match begins at one, and the channel of the last that does. */
    def last(positions: Seq[(Bool, UInt)]): (Bool, UInt) = positions.reduceLeft { (before, here) =>
      (before._1 || here._1, Mux(here._1, here._2, before._2))
    }

    /** Found in fours, then of these: a choice by which of sixteen is the last takes more logic, and more levels. */
    val fours = tokens.starts.asBools.zip(tokens.channel).grouped(4).map(four => last(four.toSeq)).toSeq
    val (begin, latest) = last(fours.map { case (begin, channel) => (RegNext(begin), RegNext(channel)) })
    val begun = RegNext(begin && (RegNext(tokens.valid) init False)) init False
    val begins = RegNext(Choose(RegNext(tokens.distance).map(_.asBits).toSeq, latest)).asUInt + 1
    val ended = Delay(tokens.valid && tokens.last, 2, init = False)
    val held = Reg(UInt(positionWidth bits)) init 0
    val current = Mux(begun, begins, held)
    held := Mux(ended, U(0), current)
    val valid = Delay(tokens.valid, 2, init = False)
    val number = Reg(UInt(log2Up(recentDelay) bits)) init 0
    when(valid)(number := Mux(ended, U(0), number + 1))
    memory.write(number, current, valid)

    // The window so long before has just been written.
    val asking = delayed(TO_COMPARER)
    val asked = memory.readAsync(asking.row.resize(log2Up(recentDelay)))
    val there = asking.row >= recentDelay && asking.available =/= 0
  }

  channels.offset := Vec(selector.io.sink.map(RegNext(_)) ++ Seq(recentChannel))
  def recentChannel: Flow[UInt] = {
    val flow = Flow(UInt(positionWidth bits))
    flow.valid := recent.there && recent.asked =/= 0
    flow.payload := recent.asked
    flow
  }

  io.sink << carry.io.tokens
}

object MatchFinder {
  private val TO_COMPARER = MatchTable.LATENCY + OffsetSelector.LATENCY + 1 // where the table's distances lie
  private val TO_CHOOSER = TO_COMPARER + OffsetComparer.LATENCY

  /** Cycles from a window to its tokens. */
  val LATENCY = TO_CHOOSER + MatchCarry.LATENCY
}
