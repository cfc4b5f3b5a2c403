// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** A number that belongs to one queue. */
case class OfQueue[T <: Data](config: QueueConfig, valueType: HardType[T]) extends Bundle {
  val queueIndex = UInt(config.queueWidth bits)
  val value = valueType()
}

/** The accounts of every queue: each event has a count of its own, which nothing else changes, and whatever else is known of a
  * queue's commands is a difference of counts. They go on through a queue's lives; ring indices are what a count has grown by since
  * the queue was enabled.
  *
  * A command is in flight from the fetch's start until its completion is in memory; waiting until an engine takes it or it is completed
  * without one; unwritten is a completion whose place is claimed and that is not in memory yet. All are 0 when a queue is not active.
  *
  * `reserve` entries whose fetch begins
  * `arrived` an entry came; true: it is unusable and gone
  * `left`    commands that stopped waiting, three in a cycle at most
  * `claim`   the next completion entry is used; true: discarded, never written
  * `written` a claimed entry is in memory
  */
class QueueAccounts(config: QueueConfig, memories: QueueMemories, reserve: Flow[OfQueue[UInt]], arrived: Flow[OfQueue[Bool]], left: Seq[Flow[UInt]],
    claim: Flow[OfQueue[Bool]], written: Flow[OfQueue[Bool]]) extends Area {
  import config.{maxDepthLog2 => indexWidth, _}
  require(CompletionWriter.unwritten < 15 && CompletionWriter.unwritten <= (1 << indexWidth), "what may be unwritten is an account of four bits")
  private val flightWidth = indexWidth + 2 // a full ring, what else may be unwritten, and what counts a cycle late

  private val begun = memories.counts(Interface.PUSH_BEGIN_NUMBER_WIDTH)
  private val usable = memories.counts(indexWidth)
  private val claimed = memories.counts(indexWidth + 1)
  private val dropped, discarded, ended = memories.counts(flightWidth)
  private val leaving = left.map(_ => memories.counts(waitingWidth))
  begun.add(reserve.queueIndex, reserve.value, reserve.valid)
  usable.add(arrived.queueIndex, 1, arrived.valid && !arrived.value)
  dropped.add(arrived.queueIndex, 1, arrived.valid && arrived.value)
  claimed.add(claim.queueIndex, 1, claim.valid)
  discarded.add(claim.queueIndex, 1, claim.valid && claim.value)
  ended.add(written.queueIndex, 1, written.valid)
  for ((count, flow) <- leaving.zip(left)) count.add(flow.payload, 1, flow.valid)

  // What they were when the queue was enabled.
  private val begunBefore = memories.words(UInt(Interface.PUSH_BEGIN_NUMBER_WIDTH bits))
  private val usableBefore = memories.words(UInt(indexWidth bits))
  private val claimedBefore = memories.words(UInt(indexWidth + 1 bits))

  /** A life of `queue` begins; nothing of it may be in flight. May be called once. */
  def begin(queue: UInt, valid: Bool): Unit = {
    begunBefore.write(queue, begun.of(queue), valid)
    usableBefore.write(queue, usable.of(queue), valid)
    claimedBefore.write(queue, claimed.of(queue), valid)
  }

  /** Entries whose fetch has begun; the lower bits, behind the ring's mask, are the index of the next. */
  def sequence(queue: UInt): UInt = begun.of(queue) - begunBefore.of(queue)
  /** The same, modulo the deepest ring. */
  def issued(queue: UInt): UInt = begun.of(queue).resize(indexWidth) - begunBefore.of(queue).resize(indexWidth)
  /** Entries that came and can be used, modulo the deepest ring. */
  def submissionHead(queue: UInt): UInt = usable.of(queue) - usableBefore.of(queue)
  /** Completions, modulo twice the deepest ring. */
  def completionTail(queue: UInt): UInt = claimed.of(queue) - claimedBefore.of(queue)
  def waiting(queue: UInt): UInt =
    begun.of(queue).resize(waitingWidth) - dropped.of(queue).resize(waitingWidth) - (leaving.map(_.of(queue)).reduceBalancedTree(_ + _))
  def inFlight(queue: UInt): UInt =
    begun.of(queue).resize(flightWidth) - dropped.of(queue) - (discarded.of(queue) + ended.of(queue))
  def unwritten(queue: UInt): UInt =
    claimed.of(queue).resize(4) - (discarded.of(queue).resize(4) + ended.of(queue).resize(4))

  /** Commands in flight of all queues together. */
  val total = Reg(UInt(log2Up(queuePairs * ((1 << indexWidth) + CompletionWriter.unwritten)) + 1 bits)) init 0
  total := total + reserve.value.andMask(reserve.valid) - U(arrived.valid && arrived.value) - U(claim.valid && claim.value) - U(written.valid)
}
