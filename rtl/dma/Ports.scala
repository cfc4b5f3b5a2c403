// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** Shape of every mover.
  *
  * @param busBytes    bytes a beat on the bus, a power of two from 8 to 64
  * @param streamBytes bytes a word towards a mover's user, a power of two from 8 to busBytes
  * @param burstBytes  longest burst; bursts are aligned to it, so none crosses a 4 KiB border
  * @param bufferBytes data a page reader may have asked for ahead of its consumer
  */
case class DmaConfig(busBytes: Int = 16, streamBytes: Int = 16, burstBytes: Int = 512, bufferBytes: Int = 4096) {
  require(isPow2(busBytes) && busBytes >= 8 && busBytes <= 64, s"busBytes is $busBytes: use 8, 16, 32 or 64")
  require(isPow2(streamBytes) && streamBytes >= 8 && streamBytes <= busBytes, s"streamBytes is $streamBytes: use a power of two from 8 to busBytes, $busBytes")
  require(isPow2(burstBytes) && burstBytes >= 64 && burstBytes <= 4096, s"burstBytes is $burstBytes: use a power of two from 64 to 4096")
  require(burstBytes / busBytes <= 256, s"burstBytes is $burstBytes: a burst has at most 256 beats of $busBytes bytes")
  require(isPow2(bufferBytes) && bufferBytes >= 2 * burstBytes, s"bufferBytes is $bufferBytes: use a power of two, two bursts or more")

  val burstBeats: Int = burstBytes / busBytes
  val beatsWidth: Int = log2Up(burstBeats + 1)
  /** Words in a beat. */
  val parts: Int = busBytes / streamBytes
  val partWidth: Int = log2Up(parts)
}

/** Up to `width` bytes of a transfer; byte 0 in the lowest bits. `fault`: the bus failed here or earlier in it. */
case class DataWord(width: Int) extends Bundle {
  val data = Bits(width * 8 bits)
  val count = UInt(log2Up(width + 1) bits)
  val fault = Bool()
}

/** A transfer's bytes: words are full up to the last, the last holds 0 to `width` bytes; exactly one `last` a transfer. */
object DataStream {
  def apply(width: Int): Stream[Fragment[DataWord]] = Stream(Fragment(DataWord(width)))
}

/** Bytes to move, from any byte on. For a reader `length` is exact and at least 1; for a writer it is the most that may be
  * written.
  */
case class Transfer(lengthWidth: Int) extends Bundle {
  val address = UInt(64 bits)
  val length = UInt(lengthWidth bits)
}

/** One AXI burst of full-width beats. */
case class Burst(config: DmaConfig) extends Bundle {
  val address = UInt(64 bits)
  val beats = UInt(config.beatsWidth bits) // 1 to burstBeats
}

/** One beat read; `fault` is a SLVERR or DECERR. */
case class ReadBeat(config: DmaConfig) extends Bundle {
  val data = Bits(config.busBytes * 8 bits)
  val fault = Bool()
}

/** One beat to write; a byte whose strobe is 0 keeps its value in memory. */
case class WriteBeat(config: DmaConfig) extends Bundle {
  val data = Bits(config.busBytes * 8 bits)
  val strobe = Bits(config.busBytes bits)
  val last = Bool()
}

/** One reader's share of the bus. Beats of its bursts come back in order and cannot be refused: ask only for what fits. */
case class ReadPort(config: DmaConfig) extends Bundle with IMasterSlave {
  val request = Stream(Burst(config))
  val data = Flow(ReadBeat(config))
  override def asMaster(): Unit = { master(request); slave(data) }
}

/** One writer's share of the bus. All beats of a burst must be at hand when it is requested; one response (true: the bus
  * failed) a burst, in order, and only then is the data in memory.
  */
case class WritePort(config: DmaConfig) extends Bundle with IMasterSlave {
  val request = Stream(Burst(config))
  val data = Stream(WriteBeat(config))
  val response = Flow(Bool())
  override def asMaster(): Unit = { master(request); master(data); slave(response) }
}
