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
