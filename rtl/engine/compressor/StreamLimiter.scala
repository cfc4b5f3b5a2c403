// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Counts each page's stream and ends it before it exceeds the limit.
  *
  * Parts pass until one would exceed it, or is known to: in its place comes a piece with `refused`, and the
  * page's other parts are dropped. Parts without a byte are dropped too, unless they are the last. Combinational,
  * never waits.
  */
class StreamLimiter(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Flow(DenseBytes(parameter)))
    val sink = master(Flow(Piece(parameter)))
  }

  val part = io.source.payload
  val first = Reg(Bool()) init True // the page begins
  val before = Reg(UInt(config.lengthWidth bits)) init 0 // bytes written
  val left = Reg(UInt(config.lengthWidth bits)) // bytes that may still be, unless dropping
  val total = before + part.count
  val room = Mux(first, part.end.limit, left)

  val dropping = Reg(Bool()) init False
  val over = part.end.refused || part.count > room
  when(io.source.valid) {
    first := part.end.last
    before := Mux(part.end.last, U(0), total)
    left := room - part.count
    dropping := (dropping || over) && !part.end.last
  }

  io.sink.valid := io.source.valid && !dropping && (over || part.end.last || part.count =/= 0)
  io.sink.data := part.data
  io.sink.count := part.count
  io.sink.last := part.end.last
  io.sink.refused := over
  io.sink.length := Mux(over, before, total)
}
