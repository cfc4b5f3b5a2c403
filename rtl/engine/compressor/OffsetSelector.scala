// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Chooses the distances a window is compared at from those the table knows for its positions.
  *
  * Neighbours mostly name the same distance, as a match is longer than its key; one that nobody else names is likelier
  * a short match or a chance. So the distances named by two neighbours come first, in order of position; where
  * fewer than `tableOffsets` are, the others fill the channels from the last on. Direct distances are left out.
  * LATENCY cycles, a window a cycle.
  */
class OffsetSelector(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = in(Vec(Flow(UInt(positionWidth bits)), windowBytes))
    val sink = out(Vec(Flow(UInt(positionWidth bits)), tableOffsets))
  }

  /** Positions so near are compared; two that are further apart may choose a distance twice. */
  val NEIGHBOURS = 2

  val named = new Area {
    val useful = io.source.map(offset => offset.valid && directOffsets.map(offset.payload =/= _).reduce(_ && _))
    def same(one: Int, other: Int) = useful(one) && useful(other) && io.source(one).payload === io.source(other).payload

    private val again = (0 until windowBytes).map(index => ((index - NEIGHBOURS) max 0 until index)
      .map(same(_, index)).foldLeft(False)(_ || _))
    private val supported = (0 until windowBytes).map(index => (index + 1 to ((index + NEIGHBOURS) min windowBytes - 1))
      .map(same(index, _)).foldLeft(False)(_ || _))
    private val first = (0 until windowBytes).map(index => useful(index) && !again(index))
    val twice = RegNext(Vec(first.zip(supported).map { case (one, other) => one && other }).asBits)
    val once = RegNext(Vec(first.zip(supported).map { case (one, other) => one && !other }).asBits)
  }

  /** Of one kind of positions the first `tableOffsets`: whether there are so many, and which they are; two cycles later. */
  def firsts(positions: Bits): Seq[Flow[UInt]] = {
    val GROUP = 4
    val countWidth = log2Up(tableOffsets + 1) // counts stop at tableOffsets
    val groups = (0 until windowBytes).grouped(GROUP).toSeq
    val counts = groups.map(group => SmallTable.count(group.map(positions(_))).resize(countWidth))
    val before = U(0, countWidth bits) +: (1 to groups.size).map(number => RegNext(counts.take(number).reduceBalancedTree(
      SmallTable.of(_, _, countWidth)((some, more) => some + more min tableOffsets))))
    val here = RegNext(positions)
    for (number <- 0 until tableOffsets) yield {
      val place = Vec(for ((group, first) <- groups.zip(before); index <- group) yield {
        val inGroup = here(index downto group.head).asUInt // numbers of set bits, of which this one is the last
        SmallTable.of(first, inGroup, 1) { (before, bits) =>
          val mine = (bits >> (inGroup.getWidth - 1)) == 1
          if (mine && before + Integer.bitCount(bits) == number + 1) 1 else 0
        }.lsb
      }).asBits
      val flow = Flow(UInt(log2Up(windowBytes) bits))
      flow.valid := RegNext(before.last > number)
      flow.payload := RegNext(OHToUInt(place))
      flow
    }
  }

  val offsets = Delay(Vec(io.source.map(_.payload)), 3)
  val twice = firsts(named.twice)
  val once = firsts(named.once)
  for (index <- 0 until tableOffsets) {
    val other = once(tableOffsets - 1 - index)
    io.sink(index).valid := RegNext(twice(index).valid || other.valid)
    val place = Mux(twice(index).valid, twice(index).payload, other.payload)
    io.sink(index).payload := RegNext(Choose(offsets.map(_.asBits).toSeq, place).asUInt)
  }
}

object OffsetSelector {
  val LATENCY = 4
}
