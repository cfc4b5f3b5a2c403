// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._
import pagepress.engine.cold.MixedDecompressor
import pagepress.engine.decompressor.{DecompressorConfig, PageDecompressor}
import pagepress.interface.Interface

/** Holds the streams that a compressor makes against the pages they came from, byte for byte.
  *
  * For each `skip` one page and one stream are read from their rings, both possibly while they are still being written,
  * and one `verdict` is given: SUCCESS, VERIFY_FAILED (any difference in bytes, length or status), or ENGINE_FAULT when
  * the decompressor is out of service. A page to skip is let go unread, verdict SUCCESS. Where there are two formats, `cold`
  * says of each stream that is read which is its own, and it waits for that.
  *
  * @param decompressor one that verifies
  * @param tamper what tests put between the page and the decompressor; nothing in a product
  */
class StreamVerifier(
    config: EngineConfig,
    decompressor: DecompressorConfig,
    tamper: Stream[Fragment[PackedBytes]] => Stream[Fragment[PackedBytes]] = identity
) extends Component {
  setDefinitionName("stream_verifier")
  val io = new Bundle {
    val skip = slave(Stream(Bool()))
    val stream = master(PageRingReader(config.streamBytes))
    val page = master(PageRingReader(decompressor.copyBytes))
    val verdict = master(Stream(Bits(8 bits)))
    val cold = Option.when(config.coldFormat)(slave(Stream(Bool())))
  }
  private val engine: Engine = if (config.coldFormat) new MixedDecompressor(decompressor) else new PageDecompressor(decompressor)
  private val guard = new EngineGuard(config, waits = true)
  guard.io.engineSource >> engine.io.source
  guard.io.engineSink << engine.io.sink
  guard.io.engineResult << engine.io.result
  guard.io.waits := io.page.page.ready && !io.page.page.valid
  guard.io.sink.ready := True // it says nothing
  engine.io.limit := config.pageBytes
  engine.io.page.get << tamper(io.page.page.throwWhen(guard.io.outOfService))

  /** A stream of the cold format is parsed long before its first token leaves. So streams are asked for ahead of the page that is compared, as
    * many as its parsers hold and one more.
    */
  private def ahead(asked: Stream[Bool]): Stream[Bool] = if (config.coldFormat) asked.queue(4) else asked

  // Each page is asked of both rings, and each ring answers when it is through with it.
  private val (toStream, toPage, toVerdict) = {
    val (stream, page, verdict) = StreamFork3(io.skip)
    (stream, ahead(page), ahead(verdict))
  }
  // Their answers stop at a register each, as they hang on the whole way of a word.
  io.stream.skip << toStream.s2mPipe()
  io.page.skip << toPage.s2mPipe()
  guard.io.source << io.cold.fold(io.stream.page)(MixedStreams.told(io.stream.page, _, engine.io.cold.get))

  /** Pages taken to their end that have no verdict yet; as many as are asked for ahead at most. */
  private val pagesTaken = Reg(UInt(4 bits)) init 0
  private val taken = io.page.page.fire && io.page.page.last
  private val judged = guard.io.result.fire
  pagesTaken := pagesTaken + taken.asUInt - judged.asUInt

  private val compared = pagesTaken =/= 0 && guard.io.result.valid
  io.verdict.valid := toVerdict.valid && (toVerdict.payload || compared)
  io.verdict.payload := Interface.STATUS_VERIFY_FAILED
  when(toVerdict.payload || guard.io.result.status === Interface.STATUS_SUCCESS) {
    io.verdict.payload := Interface.STATUS_SUCCESS
  } elsewhen (guard.io.outOfService) {
    io.verdict.payload := Interface.STATUS_ENGINE_FAULT
  }
  toVerdict.ready := io.verdict.fire
  guard.io.result.ready := io.verdict.fire && !toVerdict.payload
}
