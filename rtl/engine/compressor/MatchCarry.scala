// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Carries the match that reaches the end of a window into the windows after it, and so settles each window's path.
  *
  * How far it goes on is known for `aheadBytes`. Beyond that, one channel of each window, the *local* one, is followed:
  * the one that agrees in all of these bytes and the longest back into the window, which is nearly always the match
  * taken. Every window is compared with the page at five distances, so that none is needed in the cycle that decides
  * it: those of the local channel one to four windows ago, and that of the match that already runs.
  *
  * `equal` and `known` come with `window`; `choice` and `plan` when MatchChooser and MatchPlanner have made them of
  * these. `tokens` come LATENCY cycles after `window`, two after `plan`. A window a cycle, at any time: whatever is kept goes by windows.
  */
class MatchCarry(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val window = slave(Flow(Window(parameter)))
    val equal = in(Vec(EqualBytes(parameter), channels))
    val known = in(Channels(parameter))
    val choice = in(WindowChoice(parameter))
    val plan = in(WindowPlan(parameter))
    val local = out(Bits(windowBytes bits)) // the chosen match goes on behind the window, in the local channel
    val beyond = out(Vec(UInt(countWidth bits), windowBytes)) // or so far in another; both a cycle before `plan`
    val tokens = master(Flow(WindowTokens(parameter)))
  }

  val DELAY = MatchCarry.LATENCY - 2
  val CHOICE_DELAY = MatchChooser.LATENCY
  val CYCLES_TO_COUNT = 3

  /** Windows after its own in which a match of the local channel needs nothing that settles in between. */
  val FOLLOWED = CYCLES_TO_COUNT + 1

  /** Lengths back from the window's end that tell candidates for the local channel apart. */
  val BACK_LEVELS = Seq(1, 2, 4, 6, 8, 11, 14, 16).filter(_ <= windowBytes)

  def delayed(cycles: Int): Flow[Window] = {
    val window = Flow(Window(parameter))
    window.valid := Delay(io.window.valid, cycles, init = False)
    window.payload := Delay(io.window.payload, cycles)
    window
  }

  /** How many bytes of the next window each channel's match has, and which channel is local. */
  val ahead = io.equal.map(equal => Delay(leading(equal.bytes.drop(windowBytes)), 1))
  val local = new Area {
    val backs = io.equal.map { equal =>
      val through = RegNext(equal.run(windowBytes, aheadBytes))
      val back = RegNext(Vec(BACK_LEVELS.map(level => equal.run(windowBytes - level, level))).asBits)
      back.andMask(through)
    }
    val most = backs.reduceBalancedTree(_ | _)
    val best = RegNext(Vec(backs.map(back => (back | ~most).andR)).asBits)
    val channel = Flow(UInt(log2Up(channels) bits))
    channel.valid := Delay(most(0), 2)
    channel.payload := RegNext(FirstSet.index(best))
    val offset = RegNext(Choose(io.known.offsets.map(offset => Delay(offset.asBits, 3)).toSeq, channel.payload).asUInt)
  }

  /** How many bytes of each window go on at the distance of the local channel one window before, two before, and so on. */
  val CYCLES_TO_LOCAL = 4
  val localOffsets = Iterator.iterate(local.offset)(RegNextWhen(_, delayed(CYCLES_TO_LOCAL).valid)).slice(1, FOLLOWED + 1).toSeq
  val followed = localOffsets.map(offset => Delay(goesOn(offset, CYCLES_TO_LOCAL), DELAY - CYCLES_TO_LOCAL - CYCLES_TO_COUNT))

  /** What a match at each position has in the next window, unless it is the local channel's, which is followed. */
  val ends = new Area {
    val aheads = io.choice.channel.map(Choose(ahead.map(count => Delay(count.asBits, CHOICE_DELAY - 1)).toSeq, _).asUInt)
    val localChannel = Delay(local.channel, CHOICE_DELAY - 3)
    val isLocal = Vec(io.choice.channel.map(channel => localChannel.valid && channel === localChannel.payload)).asBits
    val TO_PLAN = DELAY - CHOICE_DELAY - 1
    io.local := Delay(RegNext(io.choice.reach & isLocal), TO_PLAN - 1)
    val elsewhere = RegNext(io.choice.reach & ~isLocal)
    io.beyond := Delay(Vec(aheads.zipWithIndex.map { case (count, index) =>
      RegNext(count).andMask(elsewhere(index)).resize(countWidth)
    }), TO_PLAN - 1)
  }

  val settle = new Area {
    val window = delayed(DELAY)
    val carried = Reg(UInt(countWidth bits)) init 0 // bytes covered, unless `age` tells
    val age = Reg(Bits(FOLLOWED + 1 bits)) init 0 // one-hot: how many windows ago the match began that runs; last: more
    val offset = Reg(UInt(positionWidth bits)) // distance of the running match, if one runs

    val running = UInt(countWidth bits)
    val covered = (followed :+ running).zip(age.asBools).map { case (count, here) => count.andMask(here) }
      .foldLeft(carried)(_ | _)
    val whole = covered.msb
    val start = covered.resize(log2Up(windowBytes))
    val next = Choose((0 until windowBytes).map(index => io.plan.follows(index) ## io.plan.carried(index)), start)
    val follows = next.msb && !whole
    when(window.valid) {
      carried := Mux(whole, U(0), next.resize(countWidth).asUInt)
      val older = (age << 1).resize(FOLLOWED + 1) | age & B(BigInt(1) << FOLLOWED)
      age := older.andMask(whole) | follows.asBits.resized
      when(window.last) {
        carried := 0
        age := 0
      }
      when(!whole)(offset := Delay(local.offset, DELAY - CYCLES_TO_LOCAL))
    }
  }

  /** The running match: its distance is asked for in the cycle after the one that settles the window FOLLOWED + 1 before. */
  settle.running := RegNext(goesOn(settle.offset, DELAY - FOLLOWED))

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

  /** How many bytes the window that came `cycles` before has, from its first on, that are equal to those `offset` before;
    * CYCLES_TO_COUNT later.
    */
  def goesOn(offset: UInt, cycles: Int): UInt = {
    val history = new HistoryReader(parameter, windowBytes)
    val asking = delayed(cycles)
    val answered = delayed(cycles + 2)
    val rows = Vec((0 until HistoryReader.rows(parameter, windowBytes)).map(asking.row + _))
    history.io.write << io.write
    history.io.slot := asking.slot
    history.io.place := HistoryPlace(parameter, rows, offset)
    leading(RegNext(Vec((0 until windowBytes).map(index =>
      RegisteredEquality.atOnce(history.io.data(index), answered.span(index), answered.present(index)))).asBits))
  }

  /** Number of ones before the first zero. */
  def leading(bits: Bits): UInt =
    FirstSet.index(True ## ~bits)
}

object MatchCarry {
  val LATENCY = MatchChooser.LATENCY + MatchPlanner.LATENCY + 2
}
