// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** A CompressLane with a compressor that tests can break; never part of a product.
  *
  * Ports besides the lane's: in word `tamper_word` of every stream the bits of `tamper_mask` are inverted and
  * `tamper_count` is added to the count; `tamper_halt` stops the compressor's output.
  */
object CompressLaneTampered {
  private val config = EngineConfig(watchdogCycles = 2000)

  def apply(): CompressLane = new CompressLane(config, tamper = breakStream)
    .setDefinitionName("compress_lane_tampered")

  private def breakStream(stream: Stream[Fragment[PackedBytes]]): Stream[Fragment[PackedBytes]] = {
    val word = in(UInt(16 bits)).setName("tamper_word")
    val mask = in(Bits(config.streamBytes * 8 bits)).setName("tamper_mask")
    val count = in(UInt(stream.fragment.count.getWidth bits)).setName("tamper_count")
    val halt = in(Bool()).setName("tamper_halt")
    val index = Reg(UInt(16 bits)) init 0
    val broken = cloneOf(stream)
    broken << stream.haltWhen(halt)
    when(broken.fire) { index := broken.last ? U(0, 16 bits) | index + 1 }
    when(index === word) {
      broken.fragment.data := stream.fragment.data ^ mask
      broken.fragment.count := stream.fragment.count + count
    }
    broken
  }
}
