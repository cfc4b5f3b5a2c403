// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

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

  /** The first positions of each kind, one bit each; two cycles for timing. */
  val half = tableOffsets / 2
  def firsts(source: Bits): Seq[Bits] = {
    val (early, rest) = take(source, half)
    val (late, _) = take(RegNext(rest), tableOffsets - half)
    early.map(Delay(_, 2)) ++ late.map(RegNext(_))
  }
  def take(source: Bits, count: Int): (Seq[Bits], Bits) =
    (0 until count).foldLeft((Seq.empty[Bits], source)) { case ((taken, left), _) =>
      val first = FirstSet.mask(left)
      (taken :+ first, left & ~first)
    }

  val offsets = Delay(Vec(io.source.map(_.payload)), 4)
  val twice = firsts(named.twice)
  val once = firsts(named.once)
  for (index <- 0 until tableOffsets) {
    val select = Mux(twice(index).orR, twice(index), once(tableOffsets - 1 - index))
    io.sink(index).valid := Delay(select.orR, 2)
    io.sink(index).payload := RegNext(offsets.read(RegNext(OHToUInt(select))))
  }
}

object OffsetSelector {
  val LATENCY = 5
}
