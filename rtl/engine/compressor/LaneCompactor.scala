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
  val STEP = 4
  val TABLE = 6 // gaps counted at once

  case class Moving() extends Bundle {
    val data = Vec(Bits(8 bits), laneCount)
    val enable = Bits(laneCount bits)
    val gaps = Vec(UInt(gapWidth bits), laneCount) // lanes to go
    val count = UInt(gapWidth bits)
    val end = PartEnd(parameter)
  }

  val counted = {
    val moving = Flow(Moving())
    moving.valid := io.source.valid
    moving.data := io.source.data
    moving.enable := io.source.enable
    moving.end := io.source.end
    // Gaps below each six lanes, then below each lane; and the other way round how many bytes there are.
    val empty = (0 until laneCount).map(lane => !io.source.enable(lane))
    val groups = (0 until laneCount).grouped(TABLE).toSeq
    val below = groups.map(lanes => SmallTable.count(lanes.map(empty(_))))
      .scanLeft(U(0, 1 bits))((before, gaps) => SmallTable.add(before, gaps, gapWidth))
    for ((lanes, before) <- groups zip below; lane <- lanes)
      moving.gaps(lane) := (if (lane == lanes.head) before.resize(gapWidth)
        else (before +^ SmallTable.count(empty.slice(lanes.head, lane))).resize(gapWidth))
    moving.count := groups.map(lanes => SmallTable.count(lanes.map(io.source.enable(_))))
      .reduceLeft((before, bytes) => SmallTable.add(before, bytes, gapWidth))
    moving.m2sPipe()
  }

  /** Each lane takes the byte that goes to it; at most one does. */
  def move(before: Moving, distances: Seq[Int], goes: (UInt, Int) => Bool): Moving = {
    val after = Moving()
    after.count := before.count
    after.end := before.end
    for (lane <- 0 until laneCount) {
      val from = distances.filter(lane + _ < laneCount)
      val chosen = from.map(distance => before.enable(lane + distance) && goes(before.gaps(lane + distance), distance))
      after.enable(lane) := chosen.orR
      after.data(lane) := pick(chosen, from.map(distance => before.data(lane + distance)))
      after.gaps(lane) := pick(chosen, from.map(distance => before.gaps(lane + distance).asBits)).asUInt
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

  val near = counted.map(move(_, 0 until STEP, (gaps, distance) => gaps(1 downto 0) === distance)).m2sPipe()
  val far = near.map(move(_, 0 until laneCount by STEP, (gaps, distance) => (gaps >> 2) === distance / STEP))
  io.sink.valid := far.valid
  io.sink.data := far.data
  io.sink.count := far.count
  io.sink.end := far.end
}
