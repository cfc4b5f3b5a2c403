// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, EngineResult}

/** Tokens to pages.
  *
  * Contract, page by page: groups of tokens on `group`, the last one with `pageEnd`, each begun `TokenParser.latency`
  * cycles before in a cycle in which `room` was up, and always taken; one page on `sink` with exactly
  * one `last`, one `result` after it, whatever the tokens ask for; the statuses are PageDecompressor's. `limit` stands
  * from the page's first group until its result.
  *
  * A cycle takes one token of up to `copyBytes` bytes, or two that fit into that together and do not need each other's
  * bytes; longer tokens take more cycles. A page that has failed takes a token a cycle. From a group to the word its
  * bytes complete are fourteen cycles.
  *
  * Nothing is halted between the two queues, of planned groups and of words: a group is begun by the parser, and a step here, while
  * the queue behind is sure to have a place for it. `room` is a register, and no `ready` goes through.
  *
  * One that `verifies` holds the tokens against the page on `page` instead, and has an empty word on `sink`; StepComparer says how.
  *
  * @param memory what its history is made of
  */
class PageCopier(config: DecompressorConfig, memory: (Int, Int) => RowMemory = new RowMemory(_, _)) extends Component {
  val io = new Bundle {
    val room = out Bool ()
    val group = slave(Flow(TokenGroup(config)))
    val limit = in UInt (config.engine.lengthWidth bits)
    val page = Option.when(config.verifies)(slave(ByteStream(config.copyBytes)))
    val sink = master(ByteStream(config.engine.streamBytes))
    val result = master(Stream(EngineResult(config.engine.lengthWidth)))
  }
  private val planner = new TokenPlanner(config)
  private val issuer = new TokenIssuer(config)
  private val comparer = config.verifies generate new StepComparer(config, memory)
  private val copier = !config.verifies generate new HistoryCopier(config, memory)
  private val finisher = !config.verifies generate new PageFinisher(config)

  private val groups = new RoomQueue(PlannedGroup(config), config.tokenDepth,
    underWay = TokenParser.latency + TokenPlanner.latency + 2)
  private val words = !config.verifies generate new RoomQueue(PageWord(config), 16, underWay = TokenIssuer.latency + HistoryCopier.latency + 2)

  io.room := groups.io.room
  planner.io.group << io.group
  groups.io.push << planner.io.planned
  issuer.io.group << groups.io.pop
  if (config.verifies) {
    issuer.io.room := comparer.io.room
    issuer.io.offends := comparer.io.offends
    comparer.io.page << io.page.get
    comparer.io.step << issuer.io.step
    comparer.io.ends := issuer.io.ends
    comparer.io.limit := io.limit
    val (toSink, toResult) = StreamFork2(comparer.io.result)
    io.sink.arbitrationFrom(toSink)
    io.sink.last := True
    io.sink.fragment.count := 0
    io.sink.fragment.data := 0
    io.result << toResult
  } else {
    issuer.io.room := words.io.room
    issuer.io.offends := copier.io.offends
    copier.io.step << issuer.io.step
    copier.io.limit := io.limit
    words.io.push << copier.io.word
    finisher.io.word << words.io.pop.m2sPipe()
    io.sink << finisher.io.sink
    io.result << finisher.io.result
  }
}
