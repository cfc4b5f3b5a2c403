// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._
import pagepress.engine.cold.MixedCompressor
import pagepress.engine.compressor.{CompressorParameter, PageCompressor}
import pagepress.engine.decompressor.DecompressorConfig
import pagepress.interface.Interface

/** Pages in, verified streams out; CompressLaneIo states the order of things at the border.
  *
  * A page is received into a ring while it is compressed; its stream goes into a second ring, is taken from there
  * while it is still growing, and held against the page. Only then is the result given, and after SUCCESS the
  * stream drained. Receiving and compressing one page, verifying the one before and draining older ones overlap. With
  * `config.coldFormat` the command says of which format the stream is to be.
  *
  *  - SAME_FILLED, INCOMPRESSIBLE, VERIFY_FAILED: as the interface describes them; nothing is drained.
  *  - INVALID_LENGTH: the source gave more or less than pageBytes. It was taken to its end.
  *  - ENGINE_FAULT: compressor or decompressor hung or broke its contract. The lane goes on to answer every page, but
  *    a page that needs the broken engine gets this status until reset; same-filled pages are still found.
  *
  * @param tamper what tests put between the compressor and the stream ring; nothing in a product
  */
class CompressLane(
    config: EngineConfig = EngineConfig(),
    compressorParameter: Option[CompressorParameter] = None,
    tamper: Stream[Fragment[PackedBytes]] => Stream[Fragment[PackedBytes]] = identity
) extends Component {
  setDefinitionName("compress_lane")
  val io = slave(CompressLaneIo(config))

  /** Compares pages as fast as it would decompress them: what a stream says last may be most of its page. */
  private val verifying = DecompressorConfig.of(config).copy(verifies = true)

  /** Pages on chip: one received and one verified; streams besides wait to be drained. A page of the cold format takes some times as long as
    * the next one waits for, so there are as many as it takes to keep its encoder and its verifier busy.
    */
  private val pageBanks = if (config.coldFormat) 8 else 2
  private val streamBanks = if (config.coldFormat) 8 else 4

  private val receiver = new PageReceiver(config)
  private val compressor: Engine = {
    val parameter = compressorParameter.getOrElse(CompressorParameter.of(config))
    if (config.coldFormat) new MixedCompressor(parameter) else new PageCompressor(parameter)
  }
  private val guard = new EngineGuard(config)
  private val pages = new PageRing(verifying.copyBytes, config.pageBytes, pageBanks, readers = 1)
  private val streams = new PageRing(config.streamBytes, config.pageBytes, streamBanks, readers = 2)
  private val verifier = new StreamVerifier(config, verifying)

  // A command enters when there is room for all its page will need, so nothing behind it can block half-way. A page
  // passes the queues below while it holds a bank of `streams`: as deep as that, they are never full.
  private val (toReceiver, toVerifier, toPages, toStreams, toFormat) = {
    val copies = StreamFork(io.command.halfPipe(), if (config.coldFormat) 5 else 4, synchronous = true)
    (copies(0), copies(1), copies(2), copies(3), copies.lift(4))
  }
  toPages.ready := pages.io.reserve.ready
  pages.io.reserve.valid := toPages.valid
  toStreams.ready := streams.io.reserve.ready
  streams.io.reserve.valid := toStreams.valid
  verifier.io.skip << toVerifier.map(_.skipVerify).queue(streamBanks)
  for ((cold, format) <- verifier.io.cold.zip(toFormat))
    cold << format.throwWhen(format.skipVerify).map(_.cold.get).queue(streamBanks)
  receiver.io.command << toReceiver.halfPipe()
  receiver.io.source << io.source

  private val (toCompressor, toPageRing) = StreamFork2(receiver.io.page)
  pages.io.write << StreamWidth.adapt(toPageRing, config.streamBytes, verifying.copyBytes)
  guard.io.source << toCompressor
  guard.io.engineSource >> compressor.io.source
  compressor.io.limit := receiver.io.limit
  for ((cold, from) <- compressor.io.cold.zip(receiver.io.cold)) cold := from
  guard.io.engineSink << tamper(compressor.io.sink)
  guard.io.engineResult << compressor.io.result

  // What the verifier reads and what is drained are two readings of the ring: the CRC is of what both should be.
  private val (toStreamRing, toChecksum) = StreamFork2(guard.io.sink, synchronous = true)
  private val checksum = new Crc32c(config.streamBytes)
  streams.io.write << toStreamRing
  checksum.io.source << toChecksum.queue(config.streamBytes) // the bytes of a last word take a cycle each
  private val written = Reg(UInt(config.lengthWidth + 1 bits)) init 0 // bytes of the stream so far
  private val writtenNow = (written + guard.io.sink.fragment.count)
  private val lengths = StreamFifo(cloneOf(written), streamBanks)
  lengths.io.push.valid := guard.io.sink.fire && guard.io.sink.last
  lengths.io.push.payload := writtenNow
  when(guard.io.sink.fire) {
    when(!written.msb) { written := writtenNow } // far too long already
    when(guard.io.sink.last) { written := 0 }
  }

  pages.io.read(0) <> verifier.io.page
  streams.io.read(0) <> verifier.io.stream

  // All that is known of a page comes together here.
  private val received = receiver.io.received.queue(streamBanks)
  private val compressed = guard.io.result.queue(streamBanks)
  private val drain = StreamFifo(Bool(), streamBanks, latency = 1)
  private val unverified = Stream(LaneResult(config))
  private val streamCrc32c = checksum.io.result.queue(streamBanks)
  unverified.arbitrationFrom(StreamJoin(Seq(received, compressed, lengths.io.pop, streamCrc32c)))
  unverified.crc32c := received.crc32c
  unverified.detail := streamCrc32c.payload.resized
  unverified.length := compressed.length
  when(!received.wholePage) {
    unverified.status := Interface.STATUS_INVALID_LENGTH
  } elsewhen (received.fill.sameFilled) {
    unverified.status := Interface.STATUS_SAME_FILLED
    unverified.detail := received.fill.value
  } elsewhen (compressed.status === Interface.STATUS_INCOMPRESSIBLE) {
    unverified.status := Interface.STATUS_INCOMPRESSIBLE
  } elsewhen (
    compressed.status =/= Interface.STATUS_SUCCESS || compressed.length =/= lengths.io.pop.payload ||
      compressed.length > received.limit
  ) {
    unverified.status := Interface.STATUS_ENGINE_FAULT
  } otherwise {
    unverified.status := Interface.STATUS_SUCCESS
  }

  // The verdict comes last and has the last word on what is good so far.
  private val judged = unverified.halfPipe()
  private val verdict = verifier.io.verdict.halfPipe() // which is told late in its cycle
  private val good = judged.status === Interface.STATUS_SUCCESS
  private val success = good && verdict.payload === Interface.STATUS_SUCCESS
  io.result.arbitrationFrom(StreamJoin(Seq(judged, verdict)).haltWhen(!drain.io.push.ready))
  io.result.crc32c := judged.crc32c
  io.result.detail := B(0)
  when(success || judged.status === Interface.STATUS_SAME_FILLED)(io.result.detail := judged.detail)
  io.result.status := good ? verdict.payload | judged.status
  io.result.length := success ? judged.length | U(0)

  drain.io.push.valid := io.result.fire
  drain.io.push.payload := !success
  streams.io.read(1).skip << drain.io.pop
  io.sink << streams.io.read(1).page
}
