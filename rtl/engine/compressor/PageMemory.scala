// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** One window's bytes on their way into the page memories; `position` is a multiple of the window's size. */
case class PageWrite(parameter: CompressorParameter) extends Bundle {
  val slot = UInt(1 bits)
  val position = UInt(parameter.positionWidth bits)
  val data = Bits(parameter.windowBytes * 8 bits)
}

/** The two pages in flight, readable at any byte.
  *
  * One memory a byte lane, so that bytes from any address on come out together. `read` gives `readBytes` bytes in the
  * cycle after `enable` and holds them until the next `enable`; bytes beyond the end of a page are undefined.
  */
class PageMemory(parameter: CompressorParameter, readBytes: Int) extends Component {
  import parameter._
  require(isPow2(readBytes) && readBytes >= windowBytes)

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val enable = in(Bool())
    val slot = in(UInt(1 bits))
    val position = in(UInt(positionWidth bits))
    val data = out(Vec(Bits(8 bits), readBytes))
  }

  val laneWidth = log2Up(readBytes)
  val windowWidth = log2Up(windowBytes)
  val row = io.position >> laneWidth
  val lane = io.position(laneWidth - 1 downto 0)
  val writeRow = io.write.slot @@ (io.write.position >> laneWidth)
  val writeGroup = io.write.position(laneWidth - 1 downto 0) >> windowWidth

  val read = for (index <- 0 until readBytes) yield new Area {
    val memory = Mem(Bits(8 bits), 2 * pageBytes / readBytes)
    val mine = writeGroup === index / windowBytes
    memory.write(writeRow, io.write.data(index % windowBytes * 8, 8 bits), io.write.valid && mine)
    // Lanes below the first byte's hold the bytes of the next row.
    val data = memory.readSync(io.slot @@ (row + (lane > index).asUInt), io.enable)
  }
  val rotation = RegNextWhen(lane, io.enable)
  io.data := Vec(read.map(_.data)).asBits.rotateRight(rotation << 3).subdivideIn(8 bits)
}
