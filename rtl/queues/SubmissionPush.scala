// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface._
import spinal.core._
import spinal.lib._

/** A dword that was written to a queue's PUSH window; `offset` counts bytes from the window's start. */
case class PushWrite() extends Bundle {
  val offset = UInt(log2Up(PUSH_STRIDE) bits)
  val data = Bits(32 bits)
}

/** Keeps the one copy of a submission entry that software has begun last, and offers it when it is whole, its doorbell has
  * come and it is of exactly the entry that would be fetched next. Whatever else happens to it only means that the entry
  * is fetched: a copy is built of dwords in order, bears its entry's number at both ends, and is dropped as soon as an
  * entry of its queue is taken in any way or its queue is not enabled. So none is used twice, or mixed of two.
  *
  * One copy for the card, not one a queue: it is needed only from its own writes to the doorbell that follows them.
  *
  * `write`    one dword a cycle at most
  * `wants`    per queue, as for the fetcher: entries wait, and there is room for one
  * `running`  per queue: entries may be taken in this cycle
  * `reserved` entries of this queue are being taken in this cycle, this one or others
  * `entry`    4 cycles after the doorbell has reached the queue; withdrawn when the queue stops, or at a write to a window
  */
case class SubmissionPush(config: QueueConfig) extends Component {
  import config._

  val io = new Bundle {
    val write = slave(Flow(OfQueue(config, PushWrite())))
    val wants = in Bits (queuePairs bits)
    val enabled, running = in Bits (queuePairs bits)
    val look = master(QueueLook(config, PushView()))
    val reserved = slave(Flow(OfQueue(config, UInt(fetchWidth bits))))
    val entry = master(Stream(FetchedEntry(config)))
  }

  private val last: Int = REGISTER_PUSH_END / 4
  require(REGISTER_PUSH_BEGIN == 0 && REGISTER_PUSH_ENTRY == 4 && REGISTER_PUSH_END == 4 + PUSH_ENTRY_BYTES, "the entry lies between its numbers")

  private val owner = Reg(UInt(queueWidth bits)) init 0
  private val owns = Reg(Bits(queuePairs bits)) init 1 // the same, one hot: the entry is taken late in its cycle
  private val next = Reg(UInt(log2Up(last + 2) bits)) init 0 // dword that would continue the copy; 0: there is none
  private val number = Reg(UInt(PUSH_BEGIN_NUMBER_WIDTH bits))
  private val dwords = Reg(Bits(PUSH_ENTRY_BYTES * 8 bits))
  private val whole = next === last + 1
  io.look.queue := owner

  private val dword = io.write.value.offset >> 2
  private val written = io.write.value.data(PUSH_BEGIN_NUMBER_SHIFT, PUSH_BEGIN_NUMBER_WIDTH bits).asUInt
  private val begins = io.write.valid && dword === 0
  private val mine = io.write.valid && io.write.queueIndex === owner
  private val continues = next =/= 0 && dword === next && (dword =/= last || written === number)
  when(mine && dword <= last)(next := continues ? (next + 1) | U(0))
  when(mine && dword < last)(dwords := io.write.value.data ## (dwords >> 32))
  // Which queue's turn it is is known last in a cycle, so the copy goes a cycle later, and is not offered in between.
  private val taken = RegNext(io.reserved.valid && io.reserved.queueIndex === owner && !begins) init False
  when(taken || !ofQueue(io.enabled, owner))(next := 0)
  when(begins) {
    owner := io.write.queueIndex
    owns := UIntToOh(io.write.queueIndex, queuePairs)
    number := written
    next := U(ofQueue(io.enabled, io.write.queueIndex)).resized
  }

  // What these lag behind is a reservation, which drops the copy; the next one takes longer to write than they lag.
  private val due = RegNext(whole && io.look.view.settled && io.look.view.sequence === number) init False
  private val mayGo = (owns & io.wants & io.running).orR
  io.entry.valid := whole && due && !taken && mayGo
  io.entry.queueIndex := owner
  io.entry.bytes := dwords.resized
}
