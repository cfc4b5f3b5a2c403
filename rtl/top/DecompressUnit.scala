// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.engine.{DecompressLane, EngineConfig}
import spinal.core._
import spinal.lib._

/** Streams in, pages out. Bytes go to memory as they come, so after a failure the destination holds part of them. */
case class DecompressUnit(config: CoreConfig, newLane: EngineConfig => DecompressLane) extends EngineUnit(config, config.decompressEngine) {

  private val lane = fresh(newLane(config.decompressEngine))
  private val Seq(toReader, toLane, toJoin, toWriter) = StreamFork(command, 4).toSeq
  read(toReader)
  lane.io.command.arbitrationFrom(toLane)
  lane.io.command.expectedCrc32c := toLane.expectedCrc32c
  lane.io.command.checkCrc := toLane.checkCrc
  private val ran = join(toJoin, lane.io.result, feed(lane.io.source))
  writer.io.job << destination(toWriter).queueLowLatency(inside, latency = 1)
  drain(lane.io.sink)

  private val end = ran.map(judge).queueLowLatency(inside, latency = 1)
  private val ended = end.continueWhen(writer.io.result.valid)
  writer.io.result.ready := ended.fire
  finish(ended, writer.io.result.payload)
}
