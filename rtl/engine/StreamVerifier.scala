// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._
import pagepress.engine.cold.MixedDecompressor
import pagepress.engine.decompressor.{DecompressorConfig, PageDecompressor}
import pagepress.interface.Interface

/** Decompresses the streams a compressor makes and compares them with the pages they came from, byte for byte.
  *
  * For each `skip` one page and one stream are read from their rings, both possibly while they are still being written,
  * and one `verdict` is given: SUCCESS, VERIFY_FAILED (any difference in bytes, length or status), or ENGINE_FAULT when
  * the decompressor is out of service. A page to skip is let go unread, verdict SUCCESS. Where there are two formats, `cold`
  * says of each stream that is read which is its own, and it waits for that.
  *
  * @param decompressor its sink is as wide as the page's words
  * @param tamper what tests put behind the decompressor; nothing in a product
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
    val page = master(PageRingReader(decompressor.sinkWidth))
    val verdict = master(Stream(Bits(8 bits)))
    val cold = Option.when(config.coldFormat)(slave(Stream(Bool())))
  }
  private val engine: Engine = if (config.coldFormat) new MixedDecompressor(decompressor) else new PageDecompressor(decompressor)
  private val guard = new EngineGuard(config, decompressor.sinkBytes)
  guard.io.engineSource >> engine.io.source
  guard.io.engineSink << tamper(engine.io.sink)
  guard.io.engineResult << engine.io.result
  engine.io.limit := config.pageBytes

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

  // The two sides are taken in step; what one has over is taken alone and is a difference.
  private val plain = guard.io.sink
  private val plainDone, pageDone, differs = RegInit(False)
  plain.ready := !plainDone && (io.page.page.valid || pageDone)
  io.page.page.ready := !pageDone && (plain.valid || plainDone)
  when(plain.fire) { plainDone := plain.last }
  when(io.page.page.fire) { pageDone := io.page.page.last }
  // How many bytes count is the page's to say, which is known early: where the other side says otherwise the shapes differ.
  private val equalBytes = plain.fragment.data.subdivideIn(8 bits).zip(io.page.page.fragment.data.subdivideIn(8 bits))
    .zipWithIndex.map { case ((left, right), i) => left === right || io.page.page.fragment.count <= i }.asBits()
  // Judged in the cycle after the words have gone; until then it counts as it stands.
  private val alone = RegNext(plain.fire =/= io.page.page.fire) init False
  private val together = RegNext(plain.fire && io.page.page.fire) init False
  private val sameShape =
    RegNext(plain.fragment.count === io.page.page.fragment.count && plain.last === io.page.page.last)
  private val unequal = alone || together && !(RegNext(equalBytes).andR && sameShape)
  when(unequal) { differs := True }

  private val compared = plainDone && pageDone && guard.io.result.valid
  io.verdict.valid := toVerdict.valid && (toVerdict.payload || compared)
  io.verdict.payload := Interface.STATUS_VERIFY_FAILED
  when(toVerdict.payload || (!differs && !unequal && guard.io.result.status === Interface.STATUS_SUCCESS)) {
    io.verdict.payload := Interface.STATUS_SUCCESS
  } elsewhen (guard.io.outOfService) {
    io.verdict.payload := Interface.STATUS_ENGINE_FAULT
  }
  toVerdict.ready := io.verdict.fire
  guard.io.result.ready := io.verdict.fire && !toVerdict.payload
  when(guard.io.result.fire) {
    plainDone := False
    pageDone := False
    differs := False
  }
}
