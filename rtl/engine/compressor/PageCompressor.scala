// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.Engine
import spinal.core._
import spinal.lib._

/** LZO1X compressor: a page in, a stream out that liblzo2 and the kernel decode.
  *
  *  - `source`: pages of 0 to pageBytes bytes, back to back.
  *  - `limit`: most bytes the page's stream may have; read when the page's first word is taken.
  *  - `sink`: the stream, always ended by exactly one `last`.
  *  - `result`: one for each page, after the sink's last word: SUCCESS, or INCOMPRESSIBLE when the stream would exceed
  *    `limit`; the sink then carries a part of it, at most `limit` bytes, and the rest of the page is read and dropped.
  *    `length` is what the sink carried.
  *
  * A page passes, each step a stream with back-pressure:
  * {{{
  *   words → WindowSource → windows → MatchFinder → the window's matches → StreamEncoder → words
  * }}}
  * windowBytes bytes enter every cycle, whatever they are, as long as the sink takes the stream and that is no longer
  * than the page. A literal run is written when its length is known, which its token says first; meanwhile the next
  * page enters. The table of matches is wiped after reset: the first page waits `rows` cycles. A page's stream depends
  * on the page alone: not on stalls, and not on pages before it.
  */
class PageCompressor(parameter: CompressorParameter = CompressorParameter()) extends Engine(parameter.config) {
  val windows = new WindowSource(parameter)
  val finder = new MatchFinder(parameter)
  val encoder = new StreamEncoder(parameter, lateWindows = MatchFinder.LATENCY)

  windows.io.source << io.source
  windows.io.limit := io.limit
  windows.io.release := encoder.io.release
  finder.io.write << windows.io.write.m2sPipe() // to many memories; they are read some cycles later at the earliest
  encoder.io.limits := windows.io.limits

  finder.io.source << windows.io.sink
  finder.io.room := encoder.io.room
  encoder.io.source << finder.io.sink
  io.sink << encoder.io.sink
  io.result << encoder.io.result
}
