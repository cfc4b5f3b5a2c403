// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.{ByteStream, EngineResult}
import spinal.core._
import spinal.lib._

/** Packs pieces of any size into full words, and gives the page's result after its last word.
  *
  * Bytes beyond a last word's count are zero. One piece a cycle; a last piece that does not fit the word it ends in
  * takes two. A page's last word waits until the result before it has been taken.
  */
class BytePacker(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Stream(Piece(parameter)))
    val sink = master(ByteStream(streamBytes))
    val result = master(Stream(EngineResult(config.lengthWidth)))
  }

  case class Word() extends Bundle {
    val data = Bits(streamBytes * 8 bits)
    val count = UInt(log2Up(streamBytes + 1) bits)
    val last = Bool()
    val result = EngineResult(config.lengthWidth)
  }

  val held = Reg(UInt(log2Up(streamBytes) bits)) init 0 // bytes waiting for their word to fill
  val bytes = Vec.fill(streamBytes)(Reg(Bits(8 bits)))
  val flushing = Reg(Bool()) init False // the last piece's remainder is all of `bytes`

  val piece = io.source.payload
  val total = held +^ piece.count
  val fills = total >= streamBytes
  val spills = total > streamBytes
  // Lanes from `held` on belong to this word, those below to the next.
  val turned = piece.data.resize(streamBytes * 8).rotateLeft(held << 3).subdivideIn(8 bits)
  val merged = Vec((0 until streamBytes).map(index => Mux(held > index, bytes(index), turned(index))))

  val words = Stream(Word())
  val ends = flushing || piece.last && !spills
  val count = Mux(flushing, held.resize(total.getWidth), Mux(fills, U(streamBytes), total))
  val whole = Mux(flushing, bytes, merged)
  words.valid := flushing || io.source.valid && (fills || piece.last)
  words.count := count.resized
  words.last := ends
  words.data := Vec((0 until streamBytes).map(index => whole(index).andMask(count > index))).asBits
  words.result.status := piece.status
  words.result.length := piece.length

  // A spilling last piece stays until its remainder is out.
  val accept = io.source.valid && !flushing && (words.ready || !words.valid)
  io.source.ready := Mux(flushing, words.ready, (words.ready || !(fills || piece.last)) && !(piece.last && spills))
  when(accept) {
    bytes := Mux(fills, turned, merged)
    held := total.resized
    flushing := piece.last && spills
    when(piece.last && !spills)(held := 0)
  }
  when(flushing && words.ready) {
    flushing := False
    held := 0
  }

  val output = words.m2sPipe()
  val pending = Reg(Bool()) init False
  val result = RegNextWhen(output.result, io.sink.fire && io.sink.last)
  pending.clearWhen(io.result.ready)
  pending.setWhen(io.sink.fire && io.sink.last)
  io.result.valid := pending
  io.result.payload := result

  io.sink << output.haltWhen(pending && output.last).translateWith {
    val word = Fragment(pagepress.engine.PackedBytes(streamBytes))
    word.data := output.data
    word.count := output.count
    word.last := output.last
    word
  }
}
