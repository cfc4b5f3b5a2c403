// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** A copy of the two pages in flight, read at a distance before a window.
  *
  * In the cycle after `offset`, `data` holds the `readBytes` bytes that follow the byte `offset` before the window
  * `rows(0)` of page `slot`; `rows(n)` is to be `rows(0)` + n, an input so that it can come from a register. Bytes
  * outside the page are undefined. Memories are words of four bytes, each with an address of its own.
  */
class HistoryReader(parameter: CompressorParameter, readBytes: Int) extends Component {
  import parameter._

  val WORD_BYTES = 4
  val lanes = windowBytes / WORD_BYTES
  val sets = HistoryReader.rows(parameter, readBytes)

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val slot = in(UInt(1 bits))
    val rows = in(Vec(UInt(rowWidth bits), sets))
    val offset = in(UInt(positionWidth bits))
    val data = out(Vec(Bits(8 bits), readBytes))
  }

  val laneWidth = log2Up(lanes)
  val inRow = (U(0, log2Up(windowBytes) bits) - io.offset.resize(log2Up(windowBytes)))
  val aligned = inRow === 0
  val firstLane = (inRow >> log2Up(WORD_BYTES)).resize(laneWidth max 1)

  /** Lanes before the first byte's hold words of the next row, which is also where an aligned offset begins. */
  val words = for (set <- 0 until sets) yield {
    val below = io.rows(set) + ~(io.offset >> log2Up(windowBytes)).resize(rowWidth)
    val above = io.rows(set) - (io.offset >> log2Up(windowBytes)).resize(rowWidth)
    for (lane <- 0 until lanes) yield {
      val memory = Mem(Bits(WORD_BYTES * 8 bits), 2 * pageBytes / windowBytes)
      memory.write(io.write.slot @@ (io.write.position >> log2Up(windowBytes)),
        io.write.data.subdivideIn(WORD_BYTES * 8 bits)(lane), io.write.valid)
      memory.readSync(io.slot @@ Mux(aligned || firstLane > lane, above, below))
    }
  }

  val first = RegNext(firstLane)
  val ordered = for (index <- 0 until (readBytes + 2 + WORD_BYTES) / WORD_BYTES) yield {
    val set = words(index / lanes)
    if (lanes == 1) set.head else Vec(set).read((first + index % lanes).resize(laneWidth))
  }
  val bytes = ordered.flatMap(_.subdivideIn(8 bits))
  val shift = RegNext(inRow.resize(log2Up(WORD_BYTES)))
  for (index <- 0 until readBytes) io.data(index) := Vec(bytes.slice(index, index + WORD_BYTES)).read(shift)
}

object HistoryReader {

  /** Rows that the bytes read may lie in, whatever their alignment to words. */
  def rows(parameter: CompressorParameter, readBytes: Int): Int =
    (readBytes + 2 + parameter.windowBytes) / parameter.windowBytes
}
