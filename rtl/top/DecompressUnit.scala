// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.engine.{DecompressLane, EngineConfig}
import spinal.core._
import spinal.lib._

/** Streams in, pages out. Bytes go to memory as they come, so after a failure the destination holds part of them. */
case class DecompressUnit(config: CoreConfig, engineClock: Option[ClockDomain], newLane: EngineConfig => DecompressLane)
    extends EngineUnit(config, config.decompressEngine, engineClock) {

  private val lane = laneClock(newLane(config.decompressEngine))
  private val ports = attach(lane.io) { test =>
    test.expectedCrc32c := 0
    test.checkCrc := False
    test.cold.foreach(_ := False)
  }
  private val Seq(toReader, toLane, toJoin, toWriter) = StreamFork(command, 4).toSeq
  read(toReader)
  ports.command.arbitrationFrom(toLane)
  ports.command.expectedCrc32c := toLane.expectedCrc32c
  ports.command.checkCrc := toLane.checkCrc
  for ((cold, is) <- ports.command.cold.zip(toLane.cold)) cold := is
  private val ran = join(toJoin, ports.result, feed(ports.source))
  writer.io.job << destination(toWriter).queueLowLatency(inside, latency = 1)
  drain(ports.sink)

  private val end = ran.map(judge).queueLowLatency(inside, latency = 1)
  private val ended = end.continueWhen(writer.io.result.valid)
  writer.io.result.ready := ended.fire
  finish(ended, writer.io.result.payload)
}
