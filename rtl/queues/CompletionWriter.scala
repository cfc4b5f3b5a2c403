// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface._
import spinal.core._
import spinal.lib._

/** A completion entry and where it goes. */
case class EntryWrite() extends Bundle {
  val address = UInt(64 bits)
  val data = Bits(Interface.COMPLETION_ENTRY_BYTES * 8 bits)
}

/** Writes completions into their rings, one at a time in the order they come. The fetcher has reserved a place for each,
  * so it never waits for software. A queue whose ring has failed gets no more writes, its completions are only counted.
  *
  * `claim`   the queue's next entry is used (true: discarded)
  * `written` the oldest claimed entry is in memory (true: the bus failed)
  * `ended`   the completion just accounted for; at most one every fourth cycle
  */
case class CompletionWriter(config: QueueConfig) extends Component {
  import config._

  val io = new Bundle {
    val completion = slave(Stream(Completion(config)))
    val look = master(QueueLook(config, CompletionView(config)))
    val claim = master(Flow(OfQueue(config, Bool())))
    val written = master(Flow(OfQueue(config, Bool())))
    val entry = master(Stream(EntryWrite()))
    val response = slave(Flow(Bool())) // one an entry, in order; true: the bus failed
    val ended = master(Flow(Completion(config)))
    val busy = out Bool ()
  }

  object Step extends SpinalEnum { val TAKE, LOOK, CLAIM, WRITE = newElement() }
  private val step = RegInit(Step.TAKE)
  private val current = Reg(Completion(config))
  private val view = Reg(CompletionView(config))
  private val address = Reg(UInt(64 bits))
  private val owners = StreamFifo(UInt(queueWidth bits), CompletionWriter.unwritten, latency = 1) // of entries not in memory yet

  io.look.queue := current.queueIndex
  io.completion.ready := step === Step.TAKE
  switch(step) {
    is(Step.TAKE) {
      current := io.completion.payload
      when(io.completion.valid)(step := Step.LOOK)
    }
    is(Step.LOOK) {
      view := io.look.view
      step := Step.CLAIM
    }
    is(Step.CLAIM) {
      address := view.base + (view.tail << completionShift)
      when(view.discard)(step := Step.TAKE) elsewhen (owners.io.push.ready)(step := Step.WRITE)
    }
    is(Step.WRITE)(when(io.entry.ready)(step := Step.TAKE))
  }

  private val claiming = step === Step.CLAIM && (view.discard || owners.io.push.ready)
  io.claim.valid := claiming
  io.claim.queueIndex := current.queueIndex
  io.claim.value := view.discard
  owners.io.push.valid := claiming && !view.discard
  owners.io.push.payload := current.queueIndex

  private val data = CompletionEntry()
  data.detail := current.detail
  data.producedLength := current.producedLength.asBits.resized
  data.crc32c := current.crc32c
  data.engineCycles := current.engineCycles.asBits
  data.submissionHead := view.submissionHead.asBits.resized
  data.reserved := 0
  data.tag := current.tag
  data.status := current.status
  data.reserved2 := 0
  data.phase := view.phase.asBits.resized
  io.entry.valid := step === Step.WRITE
  io.entry.address := address
  io.entry.data := data.asBits

  owners.io.pop.ready := io.response.valid
  io.written.valid := io.response.valid
  io.written.queueIndex := owners.io.pop.payload
  io.written.value := io.response.payload

  io.ended.valid := claiming
  io.ended.payload := current
  io.busy := step =/= Step.TAKE || owners.io.pop.valid
}

object CompletionWriter {
  /** Entries that may be claimed and not be in memory yet, of all queues. */
  val unwritten = 8
}
