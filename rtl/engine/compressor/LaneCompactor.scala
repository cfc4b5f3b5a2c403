// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Closes the gaps between bytes: each moves down by as many lanes as are empty below it.
  *
  * The move is made in steps of one to three lanes, then of multiples of four; two bytes never meet on the way, because
  * there are fewer gaps between them than lanes. Latency 2 cycles and some gates; bytes from `count` on are undefined.
  */
class LaneCompactor(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Flow(SparseBytes(parameter)))
    val sink = master(Flow(DenseBytes(parameter)))
  }

  val gapWidth = log2Up(laneCount + 1)
  val STEP = 4 // as add() below has it

  case class Moving(distanceWidth: Int) extends Bundle {
    val data = Vec(Bits(8 bits), laneCount)
    val enable = Bits(laneCount bits)
    val distance = Vec(UInt(distanceWidth bits), laneCount) // what a byte is still to move, in lanes or in steps
    val end = PartEnd(parameter)
  }

  val groups = (0 until laneCount).grouped(STEP).toSeq

  case class Counted() extends Bundle {
    val moving = Moving(log2Up(STEP))
    val before = Vec(UInt(gapWidth bits), groups.size) // gaps below each four lanes
    val last = UInt(log2Up(STEP + 1) bits) // gaps in the last of these
  }

  case class Near() extends Bundle {
    val moving = Moving(gapWidth - log2Up(STEP))
    val count = UInt(gapWidth bits)
  }

  /** Gaps below each lane, modulo STEP: what is needed first. */
  val counted = {
    val counted = Flow(Counted())
    counted.valid := io.source.valid
    counted.moving.data := io.source.data
    counted.moving.enable := io.source.enable
    counted.moving.end := io.source.end
    val empty = (0 until laneCount).map(lane => !io.source.enable(lane))
    val gaps = groups.map(lanes => SmallTable.count(lanes.map(empty(_))))
    // In gates: tables of two bits mapping tools take for state machines.
    def add(one: UInt, other: UInt): UInt =
      ((one(1) ^ other(1) ^ (one(0) && other(0))) ## (one(0) ^ other(0))).asUInt
    def modulo(lanes: Seq[Int]): UInt =
      if (lanes.isEmpty) U(0, 2 bits) else lanes.map(empty(_).asUInt.resize(2)).reduceBalancedTree(add)
    for ((lanes, group) <- groups.zipWithIndex) {
      counted.before(group) := (if (group == 0) U(0, gapWidth bits)
        else gaps.take(group).reduceBalancedTree(SmallTable.add(_, _, gapWidth)).resize(gapWidth))
      val before = if (group == 0) U(0, 2 bits) else groups.take(group).map(modulo).reduceBalancedTree(add)
      for (lane <- lanes) counted.moving.distance(lane) := add(before, modulo(lanes.filter(_ < lane)))
    }
    counted.last := gaps.last
    counted.m2sPipe()
  }

  /** Each lane takes the byte that goes to it; at most one does. */
  def move(before: Moving, distances: Seq[Int], next: Vec[UInt]): Moving = {
    val after = Moving(next.head.getWidth)
    after.end := before.end
    for (lane <- 0 until laneCount) {
      val from = distances.filter(lane + _ < laneCount)
      val chosen = from.map(distance => before.enable(lane + distance) &&
        before.distance(lane + distance) === distance / distances(1))
      after.enable(lane) := chosen.orR
      after.data(lane) := pick(chosen, from.map(distance => before.data(lane + distance)))
      after.distance(lane) := pick(chosen, from.map(distance => next(lane + distance).asBits)).asUInt
    }
    after
  }

  /** As a multiplexer with a number, so that four choices take one table a bit. */
  def pick(chosen: Seq[Bool], values: Seq[Bits]): Bits = {
    val index = (0 until log2Up(chosen.size)).map { bit =>
      chosen.indices.filter(choice => (choice >> bit & 1) == 1).map(chosen(_)).foldLeft(False)(_ || _)
    }
    if (index.isEmpty) values.head
    else Vec(values ++ Seq.fill((1 << index.size) - values.size)(values.head)).read(Vec(index).asBits.asUInt)
  }

  /** Moved by these, and the steps that are left. */
  val near = counted.map { counted =>
    val near = Near()
    val steps = for ((lanes, before) <- groups zip counted.before; lane <- lanes) yield {
      val more = if (lane == lanes.head) U(0, 1 bits) // a step more than before the four
        else SmallTable.of(before.resize(log2Up(STEP)), counted.moving.enable(lane - 1 downto lanes.head).asUInt, 1) {
          (rest, bytes) => (rest + (lane - lanes.head) - Integer.bitCount(bytes)) / STEP
        }
      val steps = (before >> log2Up(STEP)).asBools
      Vec(steps.indices.map(bit => steps(bit) ^ steps.take(bit).foldLeft(more.lsb)(_ && _))).asBits.asUInt
    }
    near.moving := move(counted.moving, 0 until STEP, Vec(steps))
    near.count := U(laneCount, gapWidth bits) - counted.before.last - counted.last
    near
  }.m2sPipe()
  val far = move(near.moving, 0 until laneCount by STEP, near.moving.distance)
  io.sink.valid := near.valid
  io.sink.data := far.data
  io.sink.count := near.count
  io.sink.end := far.end
}
