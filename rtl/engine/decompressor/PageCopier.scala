// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, EngineResult}

/** Tokens to pages.
  *
  * Contract, page by page: groups of tokens on `group`, the last one with `pageEnd`; one page on `sink` with exactly
  * one `last`, one `result` after it, whatever the tokens ask for; the statuses are PageDecompressor's. `limit` stands
  * from the page's first group until its result.
  *
  * A cycle takes one token of up to `copyBytes` bytes, or two that fit into that together and do not need each other's
  * bytes; longer tokens take more cycles. A page that has failed takes a token a cycle. From a group to the word its
  * bytes complete are ten cycles.
  *
  * Steps once begun are never halted; a new one begins only while the queue of words behind has room for the words of
  * all those in the pipeline. So `ready` goes no further back than from the sink to that queue.
  */
class PageCopier(config: DecompressorConfig) extends Component {
  val io = new Bundle {
    val group = slave(Stream(TokenGroup(config)))
    val limit = in UInt (config.engine.lengthWidth bits)
    val sink = master(ByteStream(config.engine.streamBytes))
    val result = master(Stream(EngineResult(config.engine.lengthWidth)))
  }
  private val planner = new TokenPlanner(config)
  private val issuer = new TokenIssuer(config)
  private val copier = new HistoryCopier(config)
  private val finisher = new PageFinisher(config)

  /** Words that may still come when `room` has fallen: of the steps in the registers between the issuer and the queue, and
    * of those begun while the queue's count and `room` itself were on their way. */
  private val underWay = 8
  private val words = StreamFifo(PageWord(config), 2 * underWay, latency = 1)
  words.io.push << copier.io.word.toStream
  private val room = RegNext(words.io.occupancy <= underWay) init False

  planner.io.group << io.group
  issuer.io.group << planner.io.planned
  issuer.io.room := room
  issuer.io.failed := copier.io.failed
  copier.io.step << issuer.io.step
  copier.io.limit := io.limit
  finisher.io.word << words.io.pop
  io.sink << finisher.io.sink
  io.result << finisher.io.result
}
