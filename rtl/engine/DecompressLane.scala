// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._
import pagepress.engine.cold.MixedDecompressor
import pagepress.engine.decompressor.{DecompressorConfig, PageDecompressor}
import pagepress.interface.Interface

/** Streams in, pages out as they come; DecompressLaneIo states the order of things at the border.
  *
  * The statuses of PageDecompressor, and CRC_MISMATCH for a page that is well formed but not the one expected. With
  * `config.coldFormat` a stream waits for its command, which says of which format it is. A decompressor that hangs or breaks its contract is out of
  * service until reset: its pages end with ENGINE_FAULT.
  *
  * @param tamper what tests put behind the decompressor; nothing in a product
  */
class DecompressLane(
    config: EngineConfig = EngineConfig(),
    tamper: Stream[Fragment[PackedBytes]] => Stream[Fragment[PackedBytes]] = identity
) extends Component {
  setDefinitionName("decompress_lane")
  val io = slave(DecompressLaneIo(config))

  private val engine: Engine =
    if (config.coldFormat) new MixedDecompressor(DecompressorConfig.of(config)) else new PageDecompressor(DecompressorConfig.of(config))
  private val guard = new EngineGuard(config)
  private val crc = new Crc32c(config.streamBytes)

  private val (commands, formats) = engine.io.cold.fold((io.command, Option.empty[Stream[Bool]])) { _ =>
    val (toResult, toSource) = StreamFork2(io.command, synchronous = true)
    (toResult, Some(toSource.map(_.cold.get).queue(4)))
  }
  guard.io.source << formats.fold(io.source)(MixedStreams.told(io.source, _, engine.io.cold.get))
  guard.io.engineSource >> engine.io.source
  guard.io.engineSink << tamper(engine.io.sink)
  guard.io.engineResult << engine.io.result
  engine.io.limit := config.pageBytes

  private val (toSink, toCrc) = StreamFork2(guard.io.sink)
  io.sink << toSink
  // A word comes late in its cycle, from the copier by way of the guard, and its `ready` goes all that way back: the CRC neither sends it
  // through its own logic in the same cycle nor says in it whether it takes one.
  crc.io.source << toCrc.s2mPipe().m2sPipe()

  private val command = commands.queue(4)
  io.result.arbitrationFrom(StreamJoin(Seq(command, guard.io.result, crc.io.result)))
  io.result.status := guard.io.result.status
  io.result.length := guard.io.result.length
  io.result.crc32c := crc.io.result.payload
  io.result.detail := 0
  when(
    guard.io.result.status === Interface.STATUS_SUCCESS && command.checkCrc &&
      command.expectedCrc32c =/= crc.io.result.payload
  ) {
    io.result.status := Interface.STATUS_CRC_MISMATCH
  }
}
