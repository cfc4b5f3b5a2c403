// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.Engine
import pagepress.engine.compressor.{CompressorParameter, MatchFinder, StreamEncoder, WindowSource}

/** Compressor of both formats: the encoders of PageCompressor and of ColdCompressor behind one finder of matches. A page's stream is that of the
  * one or the other, byte for byte; `io.cold`, read with its first word, says which. Streams leave in the order of the pages, each encoder
  * working ahead as far as it has room.
  */
class MixedCompressor(parameter: CompressorParameter = CompressorParameter())
    extends Engine(parameter.config, mixed = true) {
  private val windows = new WindowSource(parameter)
  private val finder = new MatchFinder(parameter)
  private val lzo = new StreamEncoder(parameter, lateWindows = MatchFinder.LATENCY)
  private val cold = new ColdEncoder(parameter, lateWindows = MatchFinder.LATENCY)

  /** Whether the pages under way are cold ones: as their windows, their streams and their results want to know it. */
  private val formats = new Area {
    private val pages = 16
    private val first = RegInit(True) // word of a page
    private val page = Stream(Bool())
    private val copies = StreamFork(page, 3, synchronous = true).map(_.queue(pages))
    private val held = first && !page.ready
    windows.io.source << io.source.haltWhen(held)
    page.valid := io.source.fire && first
    page.payload := io.cold.get
    when(io.source.fire)(first := io.source.last)
    val Seq(ofWindow, ofStream, ofResult) = copies.toSeq
  }

  windows.io.limit := io.limit
  finder.io.write << windows.io.write.m2sPipe() // to many memories; they are read some cycles later at the earliest
  finder.io.source << windows.io.sink
  finder.io.room := lzo.io.room && cold.io.room

  // Either encoder lets a page go with its last window.
  private val window = finder.io.sink
  private val ends = window.valid && window.last
  formats.ofWindow.ready := ends
  windows.io.release := ends
  for ((encoder, mine) <- Seq(lzo.io.source -> !formats.ofWindow.payload, cold.io.source -> formats.ofWindow.payload)) {
    encoder.valid := window.valid && mine
    encoder.payload := window.payload
  }
  lzo.io.limits := windows.io.limits
  cold.io.limits := windows.io.limits

  /** What both give, as it is a page's turn. */
  private def inTurn[T <: Data](format: Stream[Bool], ofLzo: Stream[T], ofCold: Stream[T]): Stream[T] =
    StreamMux(format.payload.asUInt, Seq(ofLzo, ofCold)).continueWhen(format.valid)
  io.sink << inTurn(formats.ofStream, lzo.io.sink, cold.io.sink)
  formats.ofStream.ready := io.sink.fire && io.sink.last
  io.result << inTurn(formats.ofResult, lzo.io.result, cold.io.result)
  formats.ofResult.ready := io.result.fire
}
