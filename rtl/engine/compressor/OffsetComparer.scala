// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Compares a window with the page at the distances of its channels: bit n of `equal(channel).bytes` says that byte n of
  * `span` is of the page and equals the byte so far before it, which is of the page too.
  *
  * `window` and `offset` come together; LATENCY cycles, a window a cycle. `early` is the same window `lead` cycles before:
  * what needs no `offset` is compared then. `named` are the table's distances a cycle before `offset`: the addresses of
  * their bytes, which many memories take, come from registers.
  */
class OffsetComparer(parameter: CompressorParameter, lead: Int) extends Component {
  import parameter._

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val early = in(Window(parameter))
    val window = in(Window(parameter))
    val named = in(Vec(UInt(positionWidth bits), tableOffsets))
    val offset = in(Vec(Flow(UInt(positionWidth bits)), tableOffsets + 1))
    val equal = out(Vec(EqualBytes(parameter), channels))
  }

  val beyondWidth = log2Up(spanBytes + 1) // of a distance's bytes before the page; more than the span's: all
  val window = Delay(io.window, 2)
  val present = RegNext(io.window).present

  /** Distances that come with the window: the bytes are read from history. */
  def place(row: UInt, offset: UInt): HistoryPlace =
    HistoryPlace(parameter, Vec((0 until HistoryReader.rows(parameter, spanBytes)).map(row + _)), offset)
  val soon = Delay(io.early.row, lead - 1)
  val places = io.named.map(offset => RegNext(place(soon, offset))) :+ place(io.window.row, io.offset.last.payload)
  val read = for ((channel, place) <- io.offset.zip(places)) yield new Area {
    val history = new HistoryReader(parameter, spanBytes)
    history.io.write << io.write
    history.io.slot := io.window.slot
    history.io.place := place

    // A distance never reaches more than a window's bytes beyond the page's start.
    val nowhere = U((1 << beyondWidth) - 1, beyondWidth bits)
    val beyond = RegNext(Mux(!channel.valid, nowhere, Mux(channel.payload > io.window.position,
      (channel.payload - io.window.position).resize(beyondWidth), U(0))))
    val inside = RegNext(Vec((0 until spanBytes).map(index => beyond <= index && present(index))).asBits)
    // Joined to bytes and fours in this cycle, which has no more than a choice of four and a comparison besides; the next has all runs.
    val equal = EqualBytes.registered(parameter, Vec((0 until spanBytes).map(index =>
      RegisteredEquality.atOnce(history.io.data(index), window.span(index), inside(index)))).asBits)
  }

  /** Distances every window is compared at: the bytes stand beside it. */
  val earlyPresent = RegNext(io.early).present // how many bytes there are is known late in a cycle: joined to what was compared
  val direct = for (offset <- directOffsets) yield {
    val bytes = (io.early.before ++ io.early.span).drop(directOffsets.max - offset)
    val equal = for (index <- 0 until spanBytes) yield {
      val rowsBack = (((offset - index) max 0) + windowBytes - 1) / windowBytes
      val inside = if (rowsBack > 0) io.early.row >= rowsBack else True
      RegisteredEquality(bytes(index), io.early.span(index), inside) && earlyPresent(index)
    }
    EqualBytes.registered(parameter, Delay(Vec(equal).asBits, lead + 1))
  }

  io.equal := Vec(read.map(_.equal) ++ direct)
}

object OffsetComparer {
  val LATENCY = 3
}
