// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface._
import spinal.core._
import spinal.lib._

/** Looks at one queue a cycle, at one after the other, and tells what all the card wants to know of each at any time: whether there is
  * something to fetch, and whether to interrupt. A queue to which something has happened is looked at next; as each of `events` comes
  * less often than every third cycle in the long run, a round takes at most some five times as many cycles as there are queues.
  *
  * A visit takes three cycles: what the memories say; what follows; Moderation's.
  *
  * `running`  per queue: entries may be fetched
  * `taken`    a reservation, as it is in the accounts
  * `events`   what happened to a queue, the most urgent first
  */
class QueueVisits(config: QueueConfig, setUp: QueueSetUp, accounts: QueueAccounts, tails: QueueWords[UInt], heads: QueueWords[UInt], running: Bits,
    taken: Flow[UInt], events: Seq[Flow[UInt]], moderation: Moderation) extends Area {
  import config.{maxDepthLog2 => indexWidth, _}

  val queue = Reg(UInt(queueWidth bits)) init 0
  private val turn = Reg(UInt(queueWidth bits)) init 0
  private val inTurn = !events.map(_.valid).orR
  private val last = turn === queuePairs - 1
  when(inTurn)(turn := last ? U(0) | turn + 1)
  queue := turn
  for (event <- events.reverse)
    when(event.valid)(queue := event.payload)

  /** Cycles in which every queue has been visited once more; high once a round. */
  val round = inTurn && last

  /** An acknowledgement, or enabling, of the queue comes in this cycle: what has been found before is not of it. */
  private def begins(at: UInt): Bool = moderation.io.begin.valid && moderation.io.begin.payload === at

  private val found = new Area {
    val queue = RegNext(QueueVisits.this.queue) init 0
    private val at = QueueVisits.this.queue
    private val issued = accounts.issued(at)
    private val head = heads.of(at)
    val pending = RegNext(tails.of(at) - issued)
    val room = RegNext(issued - head)
    val untaken = RegNext(accounts.completionTail(at).resize(indexWidth) - head)
    val unwritten = RegNext(accounts.unwritten(at))
    val crowded = RegNext(accounts.waiting(at) >= waitingEntries)
    val mask = RegNext(setUp.mask(at))
    val limits = RegNext(setUp.moderation(at))
    val runs = RegNext(ofQueue(running, at)) init False
    val current = RegNext(!begins(at)) init False
  }

  /** Per queue: there is something to fetch and room for it. Lags a reservation by two cycles. */
  val wants = Reg(Bits(queuePairs bits)) init 0
  private val wanted = found.runs && (found.pending & found.mask) =/= 0 && (found.room & found.mask) =/= found.mask && !found.crowded
  for (index <- 0 until queuePairs) {
    when(found.queue === index)(wants(index) := wanted)
    when(taken.valid && taken.payload === index || !running(index))(wants(index) := False)
  }

  // Completions count once they are in memory, though software polling the ring may be ahead of that.
  private val untaken = found.untaken & found.mask
  moderation.io.visit.valid := RegNext(found.current && !begins(found.queue)) init False
  moderation.io.visit.queueIndex := RegNext(found.queue) init 0
  moderation.io.visit.waiting := RegNext((untaken - found.unwritten).resize(indexWidth).andMask(untaken > found.unwritten)) init 0
  moderation.io.visit.count := RegNext(found.limits(MODERATION_COUNT_SHIFT, MODERATION_COUNT_WIDTH bits).asUInt)
  moderation.io.visit.cycles := RegNext(found.limits(MODERATION_CYCLES_SHIFT, MODERATION_CYCLES_WIDTH bits).asUInt)
}
