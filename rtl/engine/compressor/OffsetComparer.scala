// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Compares a window with the page at the distances of its channels: bit n of `equal(channel)` says that byte n of
  * `span` is of the page and equals the byte so far before it, which is of the page too.
  *
  * `window` and `offset` come together; LATENCY cycles, a window a cycle.
  */
class OffsetComparer(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val window = in(Window(parameter))
    val offset = in(Vec(Flow(UInt(positionWidth bits)), tableOffsets + 1))
    val equal = out(Vec(Bits(spanBytes bits), channels))
  }

  val window = Delay(io.window, 2)

  /** Distances that come with the window: the bytes are read from history. */
  val read = for (channel <- io.offset) yield new Area {
    val history = new HistoryReader(parameter, spanBytes)
    history.io.write << io.write
    history.io.slot := io.window.slot
    val rows = Vec((0 until HistoryReader.rows(parameter, spanBytes)).map(io.window.row + _))
    history.io.place := HistoryPlace(parameter, rows, channel.payload)

    // A distance never reaches more than a window's bytes beyond the page's start.
    val beyond = RegNext(Mux(channel.payload > io.window.position,
      (channel.payload - io.window.position).resize(countWidth), U(0)))
    val valid = RegNext(channel.valid)
    val inside = RegNext(Vec((0 until spanBytes).map(index => valid && beyond <= index)).asBits)
    val equal = compare(RegNext(history.io.data)) & inside
  }

  /** Distances every window is compared at: the bytes stand beside it. */
  val direct = for (offset <- directOffsets) yield {
    val bytes = (window.before ++ window.span).slice(directOffsets.max - offset, directOffsets.max - offset + spanBytes)
    val inside = (0 until spanBytes).map(index => if (index < offset) window.position + index >= offset else True)
    compare(Vec(bytes)) & Vec(inside).asBits
  }

  val present = RegNext(RegNext(io.window).present)
  io.equal := RegNext(Vec((read.map(_.equal) ++ direct).map(_ & present)))

  def compare(bytes: Vec[Bits]): Bits = Vec(bytes.zip(window.span).map { case (one, other) => one === other }).asBits
}

object OffsetComparer {
  val LATENCY = 3
}
