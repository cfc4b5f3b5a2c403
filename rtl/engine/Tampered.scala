// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._
import pagepress.engine.decompressor.{DecompressorConfig, PageCopier, RowMemory}

/** Blocks with an engine that tests can break; never part of a product.
  *
  * Ports besides the block's own: in word `tamper_word` of every page the engine puts out, or is given to verify, the bits of `tamper_mask` are
  * inverted and `tamper_count` is added to the count; `tamper_halt` stops the engine's output, or that page.
  */
object Tampered {
  private val config = EngineConfig(watchdogCycles = 2000)
  /** A page of the cold format is encoded for longer than that before its stream begins. */
  private def patient(coldFormat: Boolean): EngineConfig = if (coldFormat) config.copy(watchdogCycles = 6000, coldFormat = true) else config

  /** @param compressorBytes as EngineConfig has it: a compressor narrower than the lane's border takes a word in parts */
  def compressLane(coldFormat: Boolean = false, compressorBytes: Int = 0): CompressLane =
    new CompressLane(patient(coldFormat).copy(compressorBytes = compressorBytes), tamper = break)
      .setDefinitionName("compress_lane_tampered")

  def decompressLane(coldFormat: Boolean = false): DecompressLane = new DecompressLane(patient(coldFormat), tamper = break)
    .setDefinitionName("decompress_lane_tampered")

  def streamVerifier(): StreamVerifier =
    new StreamVerifier(config, DecompressorConfig(config, verifies = true), tamper = break)
      .setDefinitionName("stream_verifier_tampered")

  /** No ports of its own: its history gives the wrong bytes of every row that is read while it is written. */
  def pageCopier(): PageCopier =
    new PageCopier(DecompressorConfig(EngineConfig(streamBytes = 32)), memory = new CollidingMemory(_, _))
      .setDefinitionName("page_copier_tampered")

  private class CollidingMemory(rows: Int, bits: Int) extends RowMemory(rows, bits) {
    private val written = UInt(log2Up(rows) bits)
    private val writes = Bool()
    override def write(row: UInt, data: Bits, enable: Bool): Unit = {
      written := row
      writes := enable
      super.write(row, data, enable)
    }
    override def read(row: UInt): Bits = {
      val sound = super.read(row)
      RegNext(writes && written === row) ? ~sound | sound
    }
  }

  private def break(stream: Stream[Fragment[PackedBytes]]): Stream[Fragment[PackedBytes]] = {
    val word = in(UInt(16 bits)).setName("tamper_word")
    val mask = in(Bits(stream.fragment.data.getWidth bits)).setName("tamper_mask")
    val count = in(UInt(stream.fragment.count.getWidth bits)).setName("tamper_count")
    val halt = in(Bool()).setName("tamper_halt")
    val index = Reg(UInt(16 bits)) init 0
    val broken = cloneOf(stream)
    // A word already offered still goes: a valid that falls would be another kind of fault.
    val halted = RegInit(False)
    broken << stream.haltWhen(halted)
    when(!broken.isStall) { halted := halt }
    when(broken.fire) { index := broken.last ? U(0, 16 bits) | index + 1 }
    when(index === word) {
      broken.fragment.data := stream.fragment.data ^ mask
      broken.fragment.count := stream.fragment.count + count
    }
    broken
  }
}
