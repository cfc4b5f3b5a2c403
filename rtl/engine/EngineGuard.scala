// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._
import pagepress.interface.Interface

/** Stands between a lane and an engine, so that a lane never hangs on it.
  *
  * As long as the engine keeps its contract everything passes through unchanged and without delay. It is out of service
  * until reset when it owes a step and nothing moves for `watchdogCycles`; or when it hands out what it should not: a word
  * that is not full before the last, a word without a page. Whatever page it holds or gets from then on is taken to its
  * end, ended on the sink, and answered with ENGINE_FAULT.
  *
  * It owes a step while a word is offered to it, or while it holds pages and all that began have ended on the source;
  * and neither sink nor result waits for the lane. So a page whose next word the source does not offer lasts as long as
  * the source likes, and a hang meanwhile is noticed when that goes on. Whether the engine is `ready` without a word does
  * not count: one that takes a word in parts may have to see it first.
  *
  * @param waits whether there is an input of that name: the engine waits for something else from outside, and owes nothing meanwhile
  */
class EngineGuard(config: EngineConfig, waits: Boolean = false) extends Component {
  definitionName = "engine_guard"
  private val width = config.streamBytes
  require(isPow2(width), "a full word's count has a bit of its own")
  val io = new Bundle {
    // The lane's side
    val source = slave(ByteStream(width))
    val sink = master(ByteStream(width))
    val result = master(Stream(EngineResult(config.lengthWidth)))
    val outOfService = out Bool ()
    val waits = EngineGuard.this.waits generate (in Bool ())
    // The engine's side
    val engineSource = master(ByteStream(width))
    val engineSink = slave(ByteStream(width))
    val engineResult = slave(Stream(EngineResult(config.lengthWidth)))
  }
  private val fault = RegInit(False)
  io.outOfService := fault

  // Pages begun on the source that still owe the lane their end of stream and their result.
  private val sinksOwed, resultsOwed = Reg(UInt(4 bits)) init 0
  private val sourceOpen = RegInit(False)
  when(io.source.fire) { sourceOpen := !io.source.last }
  private val begins = io.source.fire && !sourceOpen
  // A cycle old, so it says no while there is still room for the page that begins in this one.
  private val roomy = RegNext(resultsOwed < resultsOwed.maxValue - 1) init True
  private val sinkEnds = io.sink.fire && io.sink.last
  sinksOwed := sinksOwed + begins.asUInt - sinkEnds.asUInt
  resultsOwed := resultsOwed + begins.asUInt - io.result.fire.asUInt

  private val source = io.source.haltWhen(!sourceOpen && !roomy)
  io.engineSource.valid := source.valid && !fault
  io.engineSource.payload := source.payload
  source.ready := io.engineSource.ready || fault

  // Out of service: end every page whose source has ended.
  private val endable = sinksOwed > sourceOpen.asUInt
  private val unasked = sinksOwed === 0
  private val count = io.engineSink.fragment.count
  // Without a comparison's carry chain: most of what the sink feeds hangs on it.
  private val (full, some) = (count.msb, count.dropHigh(1).orR)
  private val badCount = Mux(io.engineSink.last, full && some, !full || some)
  io.sink.valid := fault ? endable | (io.engineSink.valid && !unasked)
  io.sink.last := fault || io.engineSink.last || badCount
  io.sink.fragment.data := io.engineSink.fragment.data
  io.sink.fragment.count := (fault || badCount) ? U(0) | count
  io.engineSink.ready := io.sink.ready && !unasked && !fault

  // A result never overtakes its page's last word.
  private val resultDue = resultsOwed > sinksOwed
  io.result.valid := resultDue && (fault || io.engineResult.valid)
  io.result.payload := io.engineResult.payload
  when(fault) {
    io.result.status := Interface.STATUS_ENGINE_FAULT
    io.result.length := 0
  }
  io.engineResult.ready := io.result.ready && resultDue && !fault

  private val idle = Reg(UInt(log2Up(config.watchdogCycles + 1) bits)) init 0
  private val moving = io.source.fire || io.sink.fire || io.result.fire
  private val owes = io.source.valid || resultsOwed =/= 0 && !sourceOpen
  private val blocked = io.sink.isStall || io.result.isStall
  when(if (waits) moving || blocked || io.waits || !owes else moving || blocked || !owes) {
    idle := 0
  } elsewhen (!fault) {
    idle := idle + 1
    when(idle === config.watchdogCycles) { fault := True }
  }
  when(io.engineSink.valid && (unasked || badCount && io.sink.ready)) { fault := True }
}
