// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Carries the match that reaches the end of a window into the windows after it, and so settles each window's path.
  *
  * How far it goes on is known for `aheadBytes`. Beyond that, one channel of each window, the *local* one, is followed:
  * the one that agrees in all of these bytes and the longest back into the window, which is nearly always the match
  * taken. Every window is compared with the page at three distances, so that none is needed in the cycle that decides
  * it: that of the local channel one window ago, of the one two windows ago, and of the match that already runs.
  *
  * `equal` and `known` come with `window`; `choice` and `plan` when MatchChooser and MatchPlanner have made them of
  * these. `tokens` come LATENCY cycles after `window`, two after `plan`. A window a cycle, at any time: whatever is kept goes by windows.
  */
class MatchCarry(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val window = slave(Flow(Window(parameter)))
    val equal = in(Vec(Bits(spanBytes bits), channels))
    val known = in(Channels(parameter))
    val choice = in(WindowChoice(parameter))
    val plan = in(WindowPlan(parameter))
    val local = out(Bits(windowBytes bits)) // the chosen match is the local channel's; a cycle before `plan`
    val tokens = master(Flow(WindowTokens(parameter)))
  }

  val DELAY = MatchCarry.LATENCY - 2
  val CHOICE_DELAY = MatchChooser.LATENCY

  /** Lengths back from the window's end that tell candidates for the local channel apart. */
  val BACK_LEVELS = Seq(1, 2, 4, 6, 8, 11, 14, 16).filter(_ <= windowBytes)

  def delayed(cycles: Int): Flow[Window] = {
    val window = Flow(Window(parameter))
    window.valid := Delay(io.window.valid, cycles, init = False)
    window.payload := Delay(io.window.payload, cycles)
    window
  }

  /** How many bytes of the next window each channel's match has, and which channel is local. */
  val ahead = io.equal.map(equal => Delay(leading(equal.drop(windowBytes)), 1))
  val local = new Area {
    val backs = io.equal.map { equal =>
      val through = RegNext(equal.drop(windowBytes).andR)
      val back = RegNext(Vec(BACK_LEVELS.map(level => equal(windowBytes - 1 downto windowBytes - level).andR)).asBits)
      back.andMask(through)
    }
    val most = backs.reduceBalancedTree(_ | _)
    val channel = Flow(UInt(log2Up(channels) bits))
    channel.valid := RegNext(most(0))
    channel.payload := RegNext(FirstSet.index(Vec(backs.map(back => (back | ~most).andR)).asBits))
    val offset = RegNext(Choose(io.known.offsets.map(offset => Delay(offset.asBits, 2)).toSeq, channel.payload).asUInt)
  }

  /** The window beside the page at a distance that is known before it arrives. */
  val CYCLES_TO_LOCAL = 3
  class Follower(offset: UInt) extends Area {
    val window = delayed(CYCLES_TO_LOCAL)
    val history = reader(window, offset)
    val bytes = RegNext(history.io.data)
    val equal = agreeing(bytes, delayed(CYCLES_TO_LOCAL + 2))
    val count = Delay(leading(equal), DELAY - CYCLES_TO_LOCAL - 3)
  }
  val previous = RegNextWhen(local.offset, delayed(CYCLES_TO_LOCAL).valid)
  val earlier = RegNextWhen(previous, delayed(CYCLES_TO_LOCAL).valid)
  val followers = Seq(new Follower(previous), new Follower(earlier))

  object Origin extends SpinalEnum {
    // covered by a number of bytes; by the local match of the last window, of the one before it, of an earlier one
    val COUNT, PREVIOUS, EARLIER, RUNNING = newElement()
  }

  val settle = new Area {
    val window = delayed(DELAY)
    val origin = Reg(Origin()) init Origin.COUNT
    val carried = Reg(UInt(countWidth bits)) init 0
    val offset = Reg(UInt(positionWidth bits)) // distance of the running match

    val aheads = Vec(io.choice.channel.map(Choose(ahead.map(count => Delay(count.asBits, CHOICE_DELAY - 1)).toSeq, _).asUInt))
    val beyond = Delay(aheads, DELAY - CHOICE_DELAY)
    val localChannel = Delay(local.channel, CHOICE_DELAY - 2)
    io.local := Delay(Vec(io.choice.channel.map(channel =>
      localChannel.valid && channel === localChannel.payload)).asBits, DELAY - CHOICE_DELAY - 1)

    val running = UInt(countWidth bits)
    val covered = origin.mux(
      Origin.COUNT -> carried,
      Origin.PREVIOUS -> followers(0).count,
      Origin.EARLIER -> followers(1).count,
      Origin.RUNNING -> running)
    val whole = covered.msb
    val start = covered.resize(log2Up(windowBytes))
    val exits = io.plan.exits(start) && !whole
    val exit = io.plan.exit.read(start)
    val follows = io.plan.follows(start) && !whole
    val takesLocal = follows && window.valid
    val localOffset = Delay(local.offset, DELAY - CYCLES_TO_LOCAL)
    when(window.valid) {
      carried := Mux(exits, beyond.read(exit).resize(countWidth), U(0))
      origin := Mux(follows, Origin.PREVIOUS(), Origin.COUNT())
      when(whole) {
        origin := origin.mux(
          Origin.COUNT -> Origin.COUNT(),
          Origin.PREVIOUS -> Origin.EARLIER(),
          Origin.EARLIER -> Origin.RUNNING(),
          Origin.RUNNING -> Origin.RUNNING())
      }
      when(window.last) {
        origin := Origin.COUNT
        carried := 0
      }
      when(follows)(offset := localOffset)
    }
  }

  /** The running match: its distance is asked for in the cycle that settles the third window before. */
  val run = new Area {
    val CYCLES = DELAY - 3
    // Both places are worked out before it is known which one counts.
    val history = reader(delayed(CYCLES), settle.offset, settle.localOffset, settle.takesLocal)
    val equal = agreeing(history.io.data, delayed(CYCLES + 1))
    settle.running := RegNext(leading(equal).resize(countWidth))
  }

  val result = new Area {
    val window = delayed(DELAY + 1)
    val covered = RegNext(settle.covered)
    val path = RegNext(io.plan.path).read(covered.resize(log2Up(windowBytes)))
    val tokens = Flow(WindowTokens(parameter))
    val BEHIND_CHOICE = DELAY + 1 - CHOICE_DELAY
    tokens.valid := window.valid
    tokens.slot := window.slot
    tokens.last := window.last
    tokens.data := Vec(window.span.take(windowBytes))
    tokens.count := window.count
    tokens.covered := covered
    tokens.starts := path.andMask(!covered.msb)
    for (index <- 0 until windowBytes) {
      val behind = MuxOH.or(io.choice.land(index),
        (0 until windowBytes).map(end => U((end - index) max 0, countWidth bits)))
      val length = Mux(io.choice.reach(index), U(windowBytes - index, countWidth bits), behind)
      tokens.length(index) := Delay(length, BEHIND_CHOICE)
      tokens.channel(index) := Delay(io.choice.channel(index), BEHIND_CHOICE)
    }
    tokens.distance := Delay(Vec(io.known.offsets.map(offset => RegNext(offset - 1))), CHOICE_DELAY + BEHIND_CHOICE - 1)
  }
  io.tokens.valid := RegNext(result.tokens.valid) init False
  io.tokens.payload := RegNext(result.tokens.payload)

  def reader(window: Flow[Window], offset: UInt): HistoryReader = reader(window, offset, offset, False)

  /** Reads at the `other` distance where `choose`. */
  def reader(window: Flow[Window], offset: UInt, other: UInt, choose: Bool): HistoryReader = {
    val history = new HistoryReader(parameter, windowBytes)
    history.io.write << io.write
    history.io.slot := window.slot
    val rows = Vec((0 until HistoryReader.rows(parameter, windowBytes)).map(window.row + _))
    history.io.place := Mux(choose, HistoryPlace(parameter, rows, other), HistoryPlace(parameter, rows, offset))
    history
  }

  /** A cycle later. */
  def agreeing(bytes: Vec[Bits], window: Flow[Window]): Bits =
    Vec((0 until windowBytes).map(index =>
      RegisteredEquality(bytes(index), window.span(index), window.present(index)))).asBits

  /** Number of ones before the first zero. */
  def leading(bits: Bits): UInt =
    FirstSet.index(True ## ~bits)
}

object MatchCarry {
  val LATENCY = MatchChooser.LATENCY + MatchPlanner.LATENCY + 2
}
