// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Counts each page's stream and ends it before it exceeds the limit.
  *
  * Parts pass until one would exceed it, or is known to: in its place comes an empty last piece with `refused`, and the
  * page's other parts are dropped. Parts without a byte are dropped too, unless they are the last. Latency one cycle,
  * never waits.
  */
class StreamLimiter(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Flow(DenseBytes(parameter)))
    val sink = master(Flow(Piece(parameter)))
  }

  case class Counted() extends Bundle {
    val part = DenseBytes(parameter)
    val before = UInt(config.lengthWidth bits)
    val total = UInt(config.lengthWidth bits)
  }

  val counted = {
    val before = Reg(UInt(config.lengthWidth bits)) init 0
    val counted = Flow(Counted())
    counted.valid := io.source.valid
    counted.part := io.source.payload
    counted.before := before
    counted.total := before + io.source.count
    when(io.source.valid)(before := Mux(io.source.end.last, U(0), counted.total))
    counted.m2sPipe()
  }

  val part = counted.part
  val dropping = Reg(Bool()) init False
  val over = part.end.refused || counted.total > part.end.limit
  when(counted.valid)(dropping := (dropping || over) && !part.end.last)

  io.sink.valid := counted.valid && !dropping && (over || part.end.last || part.count =/= 0)
  io.sink.data := part.data
  io.sink.count := Mux(over, U(0), part.count)
  io.sink.last := over || part.end.last
  io.sink.refused := over
  io.sink.length := Mux(over, counted.before, counted.total)
}
