// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, EmptyLast, EngineResult, PackedBytes, StreamWidth}

/** A word of the page on its way out; `status` and `length` count with `last`. */
case class PageWord(config: DecompressorConfig) extends Bundle {
  val bytes = PackedBytes(config.copyBytes)
  val last = Bool()
  val status = Bits(8 bits)
  val length = UInt(config.engine.lengthWidth bits)
}

/** Turns words into the page's ByteStream, as wide as the border, and announces its result once the last word has left. */
class PageFinisher(config: DecompressorConfig) extends Component {
  val io = new Bundle {
    val word = slave(Stream(PageWord(config)))
    val sink = master(ByteStream(config.engine.streamBytes))
    val result = master(Stream(EngineResult(config.engine.lengthWidth)))
  }
  // A last word is let in only when the result before it is gone, so one result register is enough.
  private val result = Reg(io.result.payloadType())
  private val ending, ended = RegInit(False)
  private val word = io.word.haltWhen(io.word.last && ending)

  private val words = ByteStream(config.copyBytes)
  words.arbitrationFrom(word)
  words.fragment := word.bytes
  words.last := word.last
  io.sink << StreamWidth.adapt(EmptyLast.merge(words), config.copyBytes, config.engine.streamBytes)

  io.result.valid := ended
  io.result.payload := result
  when(io.result.fire) {
    ending := False
    ended := False
  }
  when(word.fire && word.last) {
    ending := True
    result.status := word.status
    result.length := word.length
  }
  when(io.sink.fire && io.sink.last) { ended := True }
}
