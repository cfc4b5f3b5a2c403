// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.ByteStream
import spinal.core._
import spinal.lib._

/** Cuts pages into windows, each with the bytes around it, and admits at most two pages at a time.
  *
  *  - `source`: pages, back to back.
  *  - `limit`: read when a page's first word is taken, shown as `limits(slot)` while the page is in flight.
  *  - `write`: every window's bytes, no later than the window *before* it leaves at `sink`; memories that take them hold
  *    the two pages in flight.
  *  - `release`: one cycle high when a page has left the compressor.
  *  - `sink`: windows; a window waits until the bytes that follow it are offered or the page has ended. They go into it
  *    as they come.
  */
class WindowSource(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(ByteStream(streamBytes))
    val limit = in(UInt(config.lengthWidth bits))
    val release = in(Bool())
    val limits = out(Vec(UInt(config.lengthWidth bits), 2))
    val write = master(Flow(PageWrite(parameter)))
    val sink = master(Stream(Window(parameter)))
  }

  case class Slice() extends Bundle {
    val data = Vec(Bits(8 bits), windowBytes)
    val count = UInt(countWidth bits)
    val last = Bool()
    val slot = UInt(1 bits)
    val position = UInt(positionWidth bits)
  }

  /** The word cut into slices, one a cycle. */
  val slices = Stream(Slice())
  val cut = new Area {
    val parts = streamBytes / windowBytes
    slices.valid := io.source.valid
    if (parts == 1) {
      slices.data := io.source.data.subdivideIn(8 bits)
      slices.count := io.source.count
      slices.last := io.source.last
      io.source.ready := slices.ready
    } else {
      val index = Reg(UInt(log2Up(parts) bits)) init 0
      val start = index << log2Up(windowBytes)
      val left = io.source.count - start
      val ends = left <= windowBytes
      slices.data := io.source.data.subdivideIn(windowBytes * 8 bits).read(index).subdivideIn(8 bits)
      slices.count := Mux(ends, left, U(windowBytes)).resized
      slices.last := ends && io.source.last
      val wordEnds = index === parts - 1 || slices.last
      io.source.ready := slices.ready && wordEnds
      when(slices.fire)(index := Mux(wordEnds, U(0), index + 1))
    }
  }

  val page = new Area {
    val slot = Reg(UInt(1 bits)) init 0
    val position = Reg(UInt(positionWidth bits)) init 0
    val first = Reg(Bool()) init True
    slices.slot := slot
    slices.position := position
    when(slices.fire) {
      first := slices.last
      position := Mux(slices.last, U(0), position + windowBytes)
      slot := slot + slices.last.asUInt
    }
  }

  /** Both slots taken: the next page waits. */
  val flight = new Area {
    val pages = Reg(UInt(2 bits)) init 0
    val full = page.first && pages === 2
    val enter = slices.fire && page.first
    pages := pages + enter.asUInt - io.release.asUInt
    val limits = Vec.fill(2)(Reg(UInt(config.lengthWidth bits)))
    when(enter)(limits(page.slot) := io.limit)
    io.limits := limits
  }

  val next = slices.haltWhen(flight.full)

  io.write.valid := next.fire && next.count =/= 0
  io.write.slot := next.slot
  io.write.position := next.position
  io.write.data := next.data.asBits

  val assemble = new Area {
    val current = Reg(Slice())
    val valid = RegInit(False)
    val before = Vec.fill(directOffsets.max)(Reg(Bits(8 bits)))
    next.ready := !valid || io.sink.ready // a window that is not its page's last leaves when the next slice comes
    when(io.sink.fire) {
      valid := False
      before := Vec((before ++ current.data).takeRight(directOffsets.max))
    }
    when(next.fire) {
      valid := True
      current := next.payload
    }

    val window = io.sink.payload
    io.sink.valid := valid && (current.last || next.valid)
    window.position := current.position
    window.slot := current.slot
    window.span := Vec((current.data ++ next.data).take(spanBytes))
    val through = SmallTable(next.count, window.available.getWidth)(count => windowBytes + (count min aheadBytes))
    window.available := Mux(current.last, current.count.resized, through) // only a page's last window is not full
    window.before := before
    window.last := current.last
  }
}
