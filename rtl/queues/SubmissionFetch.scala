// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** A stretch of a submission ring to read. */
case class FetchJob(config: QueueConfig) extends Bundle {
  val address = UInt(64 bits)
  val length = UInt(config.lengthWidth bits) // bytes
}

/** A beat of a fetched stretch; `fault` holds from the failed beat to the stretch's end. */
case class FetchWord(bytes: Int) extends Bundle {
  val data = Bits(bytes * 8 bits)
  val fault = Bool()
}

/** An entry as it stood in the ring. */
case class FetchedEntry(config: QueueConfig) extends Bundle {
  val queueIndex = UInt(config.queueWidth bits)
  val bytes = Bits(Interface.SUBMISSION_ENTRY_BYTES * 8 bits)
}

/** Takes turns among the queues that want fetching and reads up to `fetchEntries` consecutive entries at a time, several
  * stretches ahead. A stretch neither wraps nor crosses a multiple of its size.
  *
  * Entries are reserved in their queue (a completion slot, a place among the waiting) before they are asked for, so
  * `entry` is always taken in bounded time. A faulted entry and every later one of that queue are reported unusable.
  *
  * `pushed` an entry that software has sent itself, the next one of its queue, with room for it: goes before any fetch
  *          that has not begun, but not while a queue is being looked at, as that would change under the look
  * `entry`  a pushed one that is offered and not taken gives way to a fetched one that is whole
  */
case class SubmissionFetch(config: QueueConfig) extends Component {
  import config._

  val io = new Bundle {
    val wants = in Bits (queuePairs bits)
    val look = master(QueueLook(config, FetchView(config)))
    val fetchFailed = in Bits (queuePairs bits)
    val pushed = slave(Stream(FetchedEntry(config)))
    val reserve = master(Flow(OfQueue(config, UInt(fetchWidth bits))))
    val arrived = master(Flow(OfQueue(config, Bool()))) // true: unusable
    val job = master(Stream(FetchJob(config)))
    val data = slave(Stream(Fragment(FetchWord(fetchBytes))))
    val entry = master(Stream(FetchedEntry(config)))
    val busy = out Bool ()
  }

  private val stretches = StreamFifo(OfQueue(config, UInt(fetchWidth bits)), 4, latency = 1)

  // Choose a queue, look at it, count what can be read, reserve, ask. A cycle each: fetches are few, clocks are fast.
  val chooser = new Area {
    object Step extends SpinalEnum { val CHOOSE, LOOK, MEASURE, LIMIT, RESERVE, ASK = newElement() }
    val step = RegInit(Step.CHOOSE)
    val turn = Reg(Bits(queuePairs bits)) init 1
    val queue = Reg(UInt(queueWidth bits)) init 0
    val view = Reg(FetchView(config))
    val limit = fetchEntries
    val available, room = Reg(UInt(maxDepthLog2 bits))
    val toBorder = Reg(UInt(fetchWidth bits))
    val share = Reg(UInt(waitingWidth bits))
    val count = Reg(UInt(fetchWidth bits))
    val address = Reg(UInt(64 bits))

    def least(left: UInt, right: UInt): UInt = {
      val width = left.getWidth min right.getWidth
      Mux(left < right, left.resize(width), right.resize(width))
    }
    io.look.queue := queue
    val looks = Seq(Step.LOOK, Step.MEASURE, Step.LIMIT, Step.RESERVE).map(step === _).orR
    // One that is disabled and enabled again under the look is another life of the queue: not running for some cycles between.
    val abandoned = looks && !io.look.view.running
    val reserves = step === Step.RESERVE && io.look.view.running && count =/= 0

    switch(step) {
      is(Step.CHOOSE) {
        val chosen = OHMasking.roundRobin(io.wants, turn)
        when(!io.pushed.valid && io.wants.orR && stretches.io.push.ready) {
          queue := OHToUInt(chosen).resized
          turn := chosen.rotateLeft(1)
          step := Step.LOOK
        }
      }
      is(Step.LOOK) {
        view := io.look.view
        step := Step.MEASURE
      }
      is(Step.MEASURE) {
        available := (view.tail - view.issued) & view.mask
        room := (view.completionHead - view.issued - 1) & view.mask
        share := waitingEntries - view.waiting
        // Stretches are aligned to fetchEntries, or to the whole ring where that is shorter.
        val within = view.mask(log2Up(fetchEntries) - 1 downto 0)
        toBorder := within.resize(fetchWidth) + 1 - (view.issued.resize(log2Up(fetchEntries)) & within)
        address := view.base + (view.issued << submissionShift)
        step := Step.LIMIT
      }
      is(Step.LIMIT) {
        count := least(least(available, room), least(share, toBorder)).resized
        step := Step.RESERVE
      }
      is(Step.RESERVE) {
        // From here the queue counts these entries as in flight, so it must still be running at this very cycle.
        step := reserves ? Step.ASK | Step.CHOOSE
      }
      is(Step.ASK)(when(io.job.fire)(step := Step.CHOOSE))
    }
    when(abandoned)(step := Step.CHOOSE)
    io.job.valid := step === Step.ASK
    io.job.address := address
    io.job.length := (count << submissionShift).resized
    stretches.io.push.valid := io.job.fire
    stretches.io.push.queueIndex := queue
    stretches.io.push.value := count
  }
  private val push = io.pushed.haltWhen(chooser.looks)
  // Whose and how many is known early: only the step decides it.
  io.reserve.valid := chooser.reserves || push.fire
  io.reserve.queueIndex := chooser.looks ? chooser.queue | push.queueIndex
  io.reserve.value := chooser.looks ? chooser.count | 1

  // Gather the beats of each entry. A pushed one waits while the last of them is here: whether it may go is known late.
  val gatherer = new Area {
    val data = io.data.m2sPipe() // whether one is there decides much
    val beats = Interface.SUBMISSION_ENTRY_BYTES / fetchBytes
    val beat = Reg(UInt(log2Up(beats) max 1 bits)) init 0
    val seen = Reg(Bits((beats - 1) * fetchBytes * 8 bits))
    val whole = beat === beats - 1
    val bytes = data.data ## seen
    val unusable = data.fault || ofQueue(io.fetchFailed, stretches.io.pop.queueIndex)

    val ends = data.valid && whole

    io.entry.valid := ends ? !unusable | push.valid
    io.entry.payload := push.payload
    when(ends) {
      io.entry.queueIndex := stretches.io.pop.queueIndex
      io.entry.bytes := bytes
    }
    push.ready := !ends && io.entry.ready
    data.ready := !whole || unusable || io.entry.ready
    when(data.fire) {
      seen := bytes >> (fetchBytes * 8)
      beat := whole ? U(0) | beat + 1
    }
    io.arrived.valid := ends ? data.ready | push.fire
    io.arrived.queueIndex := ends ? stretches.io.pop.queueIndex | push.queueIndex
    io.arrived.value := ends && unusable
    stretches.io.pop.ready := data.fire && data.last
  }

  io.busy := chooser.step =/= chooser.Step.CHOOSE || stretches.io.pop.valid
}
