// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.WriteResult
import pagepress.engine.{CompressLane, EngineConfig}
import pagepress.interface.Interface
import pagepress.queues.Completion
import spinal.core._
import spinal.lib._

/** Pages in, streams out. Nothing is written unless the lane has judged the page good, so a page that is same-filled,
  * incompressible, badly read or badly compressed leaves the destination as it was.
  */
case class CompressUnit(config: CoreConfig, engineClock: Option[ClockDomain], newLane: EngineConfig => CompressLane)
    extends EngineUnit(config, config.compressEngine, engineClock, inside = if (config.coldFormat) 8 else 4) {

  private val lane = laneClock(newLane(config.compressEngine))
  private val ports = attach(lane.io) { test =>
    test.limit := config.pageBytes
    test.skipVerify := False
    test.cold.foreach(_ := False)
  }
  private val Seq(toReader, toLane, toJoin) = StreamFork(command, 3).toSeq
  read(toReader)
  ports.command.arbitrationFrom(toLane)
  ports.command.limit := toLane.capacity
  ports.command.skipVerify := toLane.skipVerify
  for ((cold, is) <- ports.command.cold.zip(toLane.cold)) cold := is
  private val ran = join(toJoin, ports.result, feed(ports.source))

  /** A command whose page is done; `writes`: its stream is on the way to memory. */
  case class Compressed() extends Bundle {
    val end = Completion(config.queues)
    val writes = Bool()
  }
  private val compressed = StreamFifo(Compressed(), inside, latency = 1)

  // Every good result is followed by a stream, which is written, or dropped where its page was not read well. A dropped one
  // may outlast its command.
  private val streaming, dropping = RegInit(False)
  private val good = ran.result.status === Interface.STATUS_SUCCESS
  private val writes = good && !ran.readFault
  private val open = !streaming && compressed.io.push.ready
  // Halted first: even a page that writes nothing waits here until the stream before it is through.
  writer.io.job << destination(ran.haltWhen(!open).throwWhen(!writes).map(_.begun.command)).halfPipe()
  compressed.io.push.valid := ran.fire
  compressed.io.push.end := judge(ran.payload)
  compressed.io.push.writes := writes
  when(ran.fire && good) {
    streaming := True
    dropping := !writes
  }

  private val stream = ports.sink.continueWhen(streaming)
  when(stream.fire && stream.last)(streaming := False)
  when(afresh)(streaming := False) // it is gone with the lane: not the next one's
  drain(stream.throwWhen(dropping))

  private val end = compressed.io.pop
  private val ended = end.continueWhen(!end.writes || writer.io.result.valid)
  writer.io.result.ready := ended.fire && end.writes
  private val written = WriteResult()
  written.fault := writer.io.result.fault && end.writes
  written.overrun := writer.io.result.overrun && end.writes
  finish(ended.translateWith(ended.end), written)
}
