// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, PackedBytes}

/** An aligned stretch of a stream: every row but a page's last is full; the last may be empty. */
case class StreamRow(config: DecompressorConfig) extends Bundle {
  val bytes = Vec(Bits(8 bits), config.rowBytes) // from `count` on undefined
  val count = UInt(log2Up(config.rowBytes + 1) bits)
  val first = Bool() // of its page
  val last = Bool()
}

/** Cuts a ByteStream of any width into rows, one a cycle at most; no row comes while `enable` is low.
  *
  * One word is held, so a row shows the cycle after its word was taken, and `source.ready` hangs on registers only.
  */
class StreamRows(config: DecompressorConfig) extends Component {
  private val width = config.engine.streamBytes max config.rowBytes
  private val rowsPerWord = width / config.rowBytes
  val io = new Bundle {
    val source = slave(ByteStream(config.engine.streamBytes))
    val enable = in Bool ()
    val row = master(Flow(StreamRow(config)))
  }
  private val source = if (config.engine.streamBytes < width) paired(io.source) else io.source

  private val word = Reg(source.payloadType())
  private val wordValid = RegInit(False)
  private val index = Reg(UInt(log2Up(rowsPerWord) bits)) init 0 // of the row within the word
  private val first = RegInit(True)

  private val start = index << log2Up(config.rowBytes)
  private val left = (word.count - start).resize(word.count.getWidth)
  private val endsWord = index === rowsPerWord - 1 || (word.last && left <= config.rowBytes)
  source.ready := !wordValid || (io.enable && endsWord)
  when(source.ready) {
    wordValid := source.valid
    word := source.payload
  }

  io.row.valid := wordValid && io.enable
  io.row.bytes.assignFromBits(word.data.subdivideIn(config.rowBytes * 8 bits).read(index))
  io.row.first := first
  io.row.last := word.last && endsWord
  io.row.count := io.row.last ? left.resize(io.row.count.getWidth) | U(config.rowBytes)
  when(io.row.valid) {
    if (rowsPerWord > 1) index := endsWord ? U(0, index.getWidth bits) | (index + 1).resized
    first := io.row.last
  }

  /** Two narrow words to one of row width; `ready` falls through. */
  private def paired(narrow: Stream[Fragment[PackedBytes]]): Stream[Fragment[PackedBytes]] = {
    val half = width / 2
    require(config.engine.streamBytes == half, s"streams of less than $half bytes a cycle are not supported")
    val low = Reg(Bits(half * 8 bits))
    val lowValid = RegInit(False)
    val wide = ByteStream(width)
    wide.valid := narrow.valid && (lowValid || narrow.last)
    wide.last := narrow.last
    wide.fragment.data := lowValid ? (narrow.fragment.data ## low) | narrow.fragment.data.resize(width * 8)
    wide.fragment.count := (lowValid ? U(half) | U(0)) + narrow.fragment.count.resize(log2Up(width + 1))
    narrow.ready := wide.ready || (!lowValid && !narrow.last)
    when(narrow.fire) {
      low := narrow.fragment.data
      lowValid := !lowValid && !narrow.last
    }
    wide
  }
}
