// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** Up to `width` bytes; byte 0 in the lowest bits, bytes from `count` on are undefined. */
case class PackedBytes(width: Int) extends Bundle {
  val data = Bits(width * 8 bits)
  val count = UInt(log2Up(width + 1) bits)
}

/** A page or a compressed stream, `width` bytes a transfer.
  *
  * Contract: every transfer but the last is full (`count` = width), the last holds 0 to `width` bytes, and there is
  * exactly one `last` a page, whatever happened to it. As in every SpinalHDL stream, `valid` never waits for `ready`
  * and the payload is stable from `valid` until `ready`.
  */
object ByteStream {
  def apply(width: Int): Stream[Fragment[PackedBytes]] = Stream(Fragment(PackedBytes(width)))
}

/** What an engine says of one page: one of the interface's statuses and the bytes its sink carried. */
case class EngineResult(lengthWidth: Int) extends Bundle {
  val status = Bits(8 bits)
  val length = UInt(lengthWidth bits)
}

/** Border of a compressor or decompressor, which is the slave: page after page on `source`, what becomes of it on `sink`, a result each.
  * `limit` is the most bytes a stream may have, or those a page must have.
  *
  * @param mixed there are two formats: `cold`, which stands with a page's words on `source`, tells whether it is the cold one's
  * @param pageBytes width of `page`: the pages that what is on `source` should be, for an engine that holds one against the other
  */
case class EngineIo(config: EngineConfig, mixed: Boolean = false, pageBytes: Option[Int] = None) extends Bundle with IMasterSlave {
  val source = ByteStream(config.streamBytes)
  val limit = UInt(config.lengthWidth bits)
  val cold = Option.when(mixed)(Bool())
  val page = pageBytes.map(ByteStream(_))
  val sink = ByteStream(config.streamBytes)
  val result = Stream(EngineResult(config.lengthWidth))
  override def asMaster(): Unit = {
    master(source)
    out(limit)
    cold.foreach(out(_))
    page.foreach(master(_))
    slave(sink, result)
  }
}

/** A compressor or decompressor. */
abstract class Engine(config: EngineConfig, mixed: Boolean = false, pageBytes: Option[Int] = None) extends Component {
  val io = slave(EngineIo(config, mixed, pageBytes))
}
