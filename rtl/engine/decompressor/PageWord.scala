// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, EngineResult, PackedBytes}

/** A word of the page on its way out; `status` and `length` count with `last`. */
case class PageWord(config: DecompressorConfig) extends Bundle {
  val bytes = PackedBytes(config.copyBytes)
  val last = Bool()
  val status = Bits(8 bits)
  val length = UInt(config.engine.lengthWidth bits)
}

/** Holds one word back until it is known whether it is the page's last, so that a page of full words ends with its
  * last full word and not with an empty one; announces the page's result once that word has left.
  */
class PageFinisher(config: DecompressorConfig) extends Component {
  val io = new Bundle {
    val word = slave(Stream(PageWord(config)))
    val sink = master(ByteStream(config.copyBytes))
    val result = master(Stream(EngineResult(config.engine.lengthWidth)))
  }
  private val held = Reg(PageWord(config))
  private val heldValid = RegInit(False)
  private val result = Reg(io.result.payloadType())
  private val resultValid = RegInit(False)

  // An empty last word behind a held one only marks that one as last.
  private val merges = io.word.valid && io.word.last && io.word.bytes.count === 0 && heldValid && !held.last
  private val current = held.last ? held | io.word.payload
  io.sink.fragment := held.bytes
  io.sink.last := held.last || merges
  io.sink.valid := heldValid && (held.last || io.word.valid) && !(io.sink.last && resultValid)
  io.word.ready := !heldValid || io.sink.fire
  when(io.sink.fire) { heldValid := False }
  when(io.word.fire && !merges) {
    held := io.word.payload
    heldValid := True
  }

  io.result.valid := resultValid
  io.result.payload := result
  when(io.result.fire) { resultValid := False }
  when(io.sink.fire && io.sink.last) {
    resultValid := True
    result.status := current.status
    result.length := current.length
  }
}
