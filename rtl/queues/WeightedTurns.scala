// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import spinal.core._
import spinal.lib._

/** Queues take turns by their weights, in cycles of rounds: in a round each queue that waits is chosen once, and a queue of
  * weight w takes part in the first w rounds of a cycle. A round is over when none of those that take part in it waits, a
  * cycle when no queue that waits takes part in a further round, so who does not wait costs the others nothing.
  *
  * Between two queues that wait all the time, what each is chosen for one of its weight never differs by more than 2. A
  * queue that waits is chosen after at most w of each other queue, and one more of each before it: whatever weights are and
  * however they change, after (MAX_WEIGHT + 1) x (queuePairs - 1) at most.
  *
  * A queue that is not enabled is chosen in any round: its commands need no engine and are to be gone.
  *
  * `waiting` may lag behind `take` by a cycle: then `chosen` is not to be taken in the cycle after one that was
  * `take`    the chosen queue has had its turn
  * `chosen`  one hot; 0: in this cycle it is nobody's turn. Never for longer than two cycles while one waits
  */
case class WeightedTurns(config: QueueConfig) extends Component {
  import config._

  val io = new Bundle {
    val waiting = in Bits (queuePairs bits)
    val enabled = in Bits (queuePairs bits)
    val weights = in Vec (UInt(weightWidth bits), queuePairs)
    val take = in Bool ()
    val chosen = out Bits (queuePairs bits)
  }

  private val round = Reg(UInt(weightWidth bits)) init 1 // of this cycle, the first is 1
  private val due = Reg(Bits(queuePairs bits)) init ((BigInt(1) << queuePairs) - 1) // not chosen in this round yet
  /** Who takes part in the next round, a cycle late: nobody needs it in the cycle after a round has begun, as then one is due. */
  private val further = RegNext(io.weights.map(_ > round).asBits()) init 0
  private val asking = io.waiting & (due | ~io.enabled)
  private val goesOn = (io.waiting & further).orR

  io.chosen := OHMasking.firstV2(asking)
  when(io.take)(due := due & ~io.chosen)
  when(!asking.orR) {
    round := goesOn ? (round + 1) | U(1)
    due := further | B(queuePairs bits, default -> !goesOn)
  }
}
