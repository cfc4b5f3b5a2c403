// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Where a HistoryReader finds the bytes at a distance before a window: in words of four bytes, each with its own row. */
case class HistoryPlace(parameter: CompressorParameter, sets: Int) extends Bundle {
  import parameter._

  val wordRows = Vec(Vec(UInt(rowWidth bits), windowBytes / HistoryReader.WORD_BYTES), sets)
  val first = UInt((log2Up(windowBytes / HistoryReader.WORD_BYTES) max 1) bits) // the word of the first byte
  val shift = UInt(log2Up(HistoryReader.WORD_BYTES) bits) // that byte in its word
}

object HistoryPlace {

  /** `offset` before the window of row `windowRows(0)`; `windowRows(n)` is to be that + n, so that it can come from a
    * register.
    */
  def apply(parameter: CompressorParameter, windowRows: Vec[UInt], offset: UInt): HistoryPlace = {
    import parameter._
    val place = HistoryPlace(parameter, windowRows.size)
    val inRow = U(0, log2Up(windowBytes) bits) - offset.resize(log2Up(windowBytes))
    val aligned = inRow === 0
    place.first := (inRow >> log2Up(HistoryReader.WORD_BYTES)).resized
    place.shift := inRow.resized
    // Words before the first byte's are of the next row, which is also where an aligned offset begins.
    val back = (offset >> log2Up(windowBytes)).resize(rowWidth)
    val rows = (windowRows.head + ~back) +: windowRows.map(_ - back) // from the first byte's on
    for ((words, set) <- place.wordRows.zipWithIndex; (word, number) <- words.zipWithIndex)
      word := Mux(aligned || place.first > number, rows(set + 1), rows(set))
    place
  }
}

/** A copy of the two pages in flight, read at a distance before a window.
  *
  * Two cycles after `place`, `data` holds the `readBytes` bytes from there on, a choice of four behind registers. Bytes
  * outside the page are undefined.
  */
class HistoryReader(parameter: CompressorParameter, readBytes: Int) extends Component {
  import HistoryReader.WORD_BYTES
  import parameter._

  val lanes = windowBytes / WORD_BYTES
  val sets = HistoryReader.rows(parameter, readBytes)

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val slot = in(UInt(1 bits))
    val place = in(HistoryPlace(parameter, sets))
    val data = out(Vec(Bits(8 bits), readBytes))
  }

  val words = for (set <- 0 until sets) yield for (lane <- 0 until lanes) yield {
    val memory = Mem(Bits(WORD_BYTES * 8 bits), 2 * pageBytes / windowBytes)
    // The bytes that count were written some cycles before they are read: what a row gives that is written just now is
    // of no page, or not used. Mapping tools need not look after it.
    memory.addAttribute("no_rw_check")
    memory.write(io.write.slot @@ (io.write.position >> log2Up(windowBytes)),
      io.write.data.subdivideIn(WORD_BYTES * 8 bits)(lane), io.write.valid)
    memory.readSync(io.slot @@ io.place.wordRows(set)(lane))
  }

  // Every choice of four fits one LUT. Neighbours that went by the same select would have halves in common, of which
  // mapping tools make LUTs of their own, and more of them: so no two such neighbours do. Block RAM is slow to answer:
  // one choice and no more stands between it and a register.
  val ordered = for (index <- 0 until (readBytes + 2 + WORD_BYTES) / WORD_BYTES) yield
    RegNext(Choose(words(index / lanes), RegNext(io.place.first + index % lanes)))
  val bytes = ordered.flatMap(_.subdivideIn(8 bits))
  val shift = Delay(io.place.shift, 2)
  val shiftInverted = RegNext(~RegNext(io.place.shift))
  for (index <- 0 until readBytes) {
    val neighbours = bytes.slice(index, index + WORD_BYTES)
    io.data(index) := (if (index % 2 == 0) Choose(neighbours, shift) else Choose(neighbours.reverse, shiftInverted))
  }
}

object HistoryReader {
  val WORD_BYTES = 4

  /** Rows that the bytes read may lie in, whatever their alignment to words. */
  def rows(parameter: CompressorParameter, readBytes: Int): Int =
    (readBytes + 2 + parameter.windowBytes) / parameter.windowBytes
}
