// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.compressor.{CompressorParameter, MatchFinder, WindowSource}
import pagepress.engine.Engine

/** Compressor of the cold format: PageCompressor with another encoder. `sink` and `result` are ColdEncoder's; else its contract holds. */
class ColdCompressor(parameter: CompressorParameter = CompressorParameter()) extends Engine(parameter.config) {
  val windows = new WindowSource(parameter)
  val finder = new MatchFinder(parameter)
  val encoder = new ColdEncoder(parameter, lateWindows = MatchFinder.LATENCY)

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
