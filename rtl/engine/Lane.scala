// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** What to do with the next page entering a CompressLane. */
case class CompressCommand(config: EngineConfig) extends Bundle {
  val limit = UInt(config.lengthWidth bits) // most bytes the stream may have, 1 to pageBytes
  val skipVerify = Bool() // do not decompress and compare on chip
  val cold = Option.when(config.coldFormat)(Bool()) // the stream is to be one of the cold format
}

/** What to do with the next stream entering a DecompressLane. */
case class DecompressCommand(config: EngineConfig) extends Bundle {
  val expectedCrc32c = Bits(32 bits) // CRC32C the plain page should have
  val checkCrc = Bool() // answer CRC_MISMATCH when it has another
  val cold = Option.when(config.coldFormat)(Bool()) // the stream is one of the cold format
}

/** How one page fared; exactly one for each command, in their order. */
case class LaneResult(config: EngineConfig) extends Bundle {
  val status = Bits(8 bits) // one of the interface's statuses
  val length = UInt(config.lengthWidth bits) // bytes the sink carries for this page
  val crc32c = Bits(32 bits) // CRC32C of the plain page
  /** SAME_FILLED: the eight bytes the page repeats, first byte lowest; SUCCESS of a CompressLane: CRC32C of the stream; else 0. */
  val detail = Bits(64 bits)
}

/** Border of a lane, which is the slave: commands and bytes in, results and bytes out. CompressLaneIo and
  * DecompressLaneIo say what goes where in which order.
  */
case class LaneIo[Command <: Data](config: EngineConfig, newCommand: HardType[Command]) extends Bundle with IMasterSlave {
  val command = Stream(newCommand())
  val source = ByteStream(config.streamBytes)
  val result = Stream(LaneResult(config))
  val sink = ByteStream(config.streamBytes)

  override def asMaster(): Unit = {
    master(command, source)
    slave(result, sink)
  }
}

/** Border of a CompressLane: per page one command, one page on `source`, one result, and then, only after SUCCESS,
  * one stream on `sink`. The result comes before the stream's first byte, and the stream never waits for a later
  * page's command or source. Commands are taken ahead of their pages as far as the lane has room.
  *
  * Statuses: SUCCESS, SAME_FILLED, INCOMPRESSIBLE, VERIFY_FAILED, ENGINE_FAULT, and INVALID_LENGTH when the source did
  * not give pageBytes. `length` is the stream's length (0 unless SUCCESS), `crc32c` is always the received page's.
  */
object CompressLaneIo {
  def apply(config: EngineConfig): LaneIo[CompressCommand] = LaneIo(config, CompressCommand(config))
}

/** Border of a DecompressLane: per page one command, one stream on `source` (drained to its `last` whatever it holds),
  * one page on `sink` (always, exactly one `last`, never more than pageBytes), and one result after the sink's last.
  *
  * Statuses: SUCCESS, MALFORMED_STREAM, OUTPUT_OVERRUN, OUTPUT_UNDERRUN, CRC_MISMATCH, ENGINE_FAULT. `length` is what
  * the sink carried, `crc32c` covers just that; the bytes are the page only under SUCCESS. `detail` is 0.
  */
object DecompressLaneIo {
  def apply(config: EngineConfig): LaneIo[DecompressCommand] = LaneIo(config, DecompressCommand(config))
}
