// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** How a completion left its read. */
case class TagEnd(config: PcieConfig) extends Bundle {
  val tag = UInt(config.tagWidth bits)
  val fault = Bool() // the data is not to be trusted
  val complete = Bool() // nothing more comes for this read
  val givenUp = Bool() // instead: the block waits no longer, but something may still come
}

/** What the adapter knows of every tag.
  *
  * A tag is open from `allocate` to `release`. A read that is not complete in time, by this clock or the block's, is answered as
  * a fault; its tag, and the buffer that goes with it, stay out of use until its completion does come, as that might be mistaken
  * for another's.
  *
  * `allocate`  a free tag, whenever there is one; below `ordinary` unless `extended`. When that changes, tags are dealt anew once
  *             none is open
  * `exhausted` no tag will be free by itself: all, or all that the former `extended` allowed, wait for overdue completions
  * `ended`     for outstanding tags only, complete once a tag; given up is a fault
  * `outstanding` completions are expected; `answered` the reader may go on; `faulted` what it got is bad: by tag
  * `answer`    a tag of `answered` from the next cycle on
  * `release`   the reader has taken the data; waits while an overdue completion frees its tag
  * `idle`      no tag is open
  *
  * @param ordinary tags that there are while not `extended`; fewer only for proofs
  */
case class TagTable(config: PcieConfig, ordinary: Int = 32) extends Component {
  import config._

  val io = new Bundle {
    val extended = in Bool ()
    val allocate = master(Stream(UInt(tagWidth bits)))
    val exhausted = out(RegInit(False))
    val ended = slave(Flow(TagEnd(config)))
    val outstanding, answered, faulted = out(Reg(Bits(tags bits)) init 0)
    val answer = master(Flow(UInt(tagWidth bits)))
    val release = slave(Stream(UInt(tagWidth bits)))
    val idle = out Bool ()
    val overdue = Option.when(counted)(out Bool ()) // a read is answered as a fault because its time is over
  }

  private val countWidth = log2Up(tags + 1)
  private val abandoned = Reg(Bits(tags bits)) init 0 // released, yet outstanding

  // Ends.
  private val end = io.ended
  private val completes = end.valid && end.complete
  private val answers = end.valid && (end.complete || end.givenUp)
  private val completed = RegNext(completes) init False
  private val later = RegNext(end.tag)
  private val finds = completed && abandoned(later) // an overdue completion has come after all
  private val found = RegNext(finds) init False
  private val foundTag = RegNext(later)

  // Releases wait while an overdue completion frees its tag. Looked up in the cycle before, and seen to change then.
  private val released = io.release.haltWhen(finds).toFlow.m2sPipe()
  private val stillOut = RegNext(io.outstanding(io.release.payload) && !(completes && end.tag === io.release.payload))
  private val leaves = released.valid && stillOut

  private val open = Reg(UInt(countWidth bits)) init 0
  private val lost = Reg(UInt(countWidth bits)) init 0 // tags abandoned
  open := open + U(io.allocate.fire) - U(released.valid)
  io.idle := open === 0
  lost := lost + U(leaves) - U(found)

  // Free tags: those that came back, else the next that was never dealt.
  private val dealtExtended = RegInit(False)
  private val limit = RegNext(dealtExtended ? U(tags, countWidth bits) | U(tags min ordinary, countWidth bits)) init (tags min ordinary)
  private val dealt = Reg(UInt(countWidth bits)) init 0
  private val changing = RegNext(io.extended =/= dealtExtended) init False
  private val returned = StreamFifo(UInt(tagWidth bits), tags, latency = 1)
  private val next = dealt.resize(tagWidth)
  private val canDeal = dealt =/= limit
  private val fromReturned = returned.io.pop.valid
  private val free = Stream(UInt(tagWidth bits))
  private val anew = changing && open === 0 && lost === 0
  free.valid := !changing && (fromReturned || canDeal)
  free.payload := fromReturned ? returned.io.pop.payload | next
  returned.io.pop.ready := free.fire
  when(free.fire && !fromReturned)(dealt := dealt + 1)
  returned.io.flush := anew
  when(anew) {
    dealtExtended := io.extended
    dealt := 0
  }
  io.allocate << free.m2sPipe(flush = anew).haltWhen(changing)

  // Back in use.
  returned.io.push.valid := released.valid && !stillOut || found // never both
  returned.io.push.payload := found ? foundTag | released.payload
  io.exhausted := lost === limit || changing && lost =/= 0

  // Time: every cycle one tag is looked at.
  private val epoch = Epoch(timeoutCycles, shortest = 2 * tags)
  private val stamps = Mem(UInt(3 bits), tags)
  stamps.write(io.allocate.payload, epoch.now, enable = io.allocate.fire)
  private val scan = CounterFreeRun(tags)
  private val seen = RegNext(scan.value)
  private val renewed = io.allocate.fire && io.allocate.payload === scan.value
  private val isOld = epoch.isOver(stamps.readAsync(scan.value)) && !renewed
  private val old = RegNext(isOld && io.outstanding(scan.value) && !io.answered(scan.value)) init False
  // What was seen a cycle ago still holds if nothing has ended since: an answered tag takes longer to come back into use.
  private val overdue = old && !end.valid && !RegNext(end.valid, init = False)
  io.answer.valid := answers || overdue
  io.overdue.foreach(_ := overdue || end.valid && end.givenUp && !io.answered(end.tag))
  io.answer.payload := end.valid ? end.tag | seen

  // What is known of each. Compared tag by tag, as a shift would be slower.
  private def only(tag: UInt, counts: Bool): Bits = (0 until tags).map(index => counts && tag === index).asBits()
  private val allocated = only(io.allocate.payload, io.allocate.fire)
  private val late = only(seen, overdue)
  io.outstanding := io.outstanding & ~only(end.tag, completes) | allocated
  io.answered := (io.answered | only(end.tag, answers) | late) & ~allocated
  io.faulted := (io.faulted | only(end.tag, end.valid && end.fault) | late) & ~allocated
  abandoned := abandoned & ~only(foundTag, found) | only(released.payload, leaves)
}
