// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface._
import spinal.core._
import spinal.lib._

/** What a visit finds of a queue: completions in memory that software has not taken, and its limits. */
case class ModerationVisit(config: QueueConfig) extends Bundle {
  val queueIndex = UInt(config.queueWidth bits)
  val waiting = UInt(config.maxDepthLog2 bits)
  val count = UInt(MODERATION_COUNT_WIDTH bits)
  val cycles = UInt(MODERATION_CYCLES_WIDTH bits)
}

/** Decides when queues interrupt: as soon as `count` completions wait, or `cycles` x 16 clock cycles after the oldest of them appeared or
  * the last acknowledgement, whichever is later. The level stays until the acknowledgement, drops for two cycles at least (behind
  * QueueVisits for four: a visit that knows of the acknowledgement is two cycles longer on its way), and rises again under the same rule
  * while completions still wait. Time begins and ends with visits: a level comes two cycles behind the one that finds a limit reached, so
  * with a visit in every cycle it is exact.
  *
  * `visit`   knows of everything that was told by `begin` in an earlier cycle; each queue is visited again within 2^20 cycles
  * `begin`   a queue is acknowledged, or enabled
  * `timing`  completions of the queue visited before wait and its level is low: time matters, the clock must run
  */
case class Moderation(config: QueueConfig) extends Component {
  import config._

  val io = new Bundle {
    val enabled = in Bits (queuePairs bits)
    val visit = slave(Flow(ModerationVisit(config)))
    val begin = slave(Flow(UInt(queueWidth bits)))
    val level = out(Reg(Bits(queuePairs bits)) init 0)
    val timing = out(RegInit(False))
  }
  private case class Memory() extends Bundle {
    val start = UInt(MODERATION_CYCLES_WIDTH + 5 bits) // of the age; it wraps at twice the longest limit
    val some = Bool() // completions waited
  }
  private val memory = Mem(Memory(), 1 << queueWidth)
  private val now = Reg(UInt(MODERATION_CYCLES_WIDTH + 5 bits)) init 0
  now := now + 1

  private val begun = Reg(Bits(queuePairs bits)) init 0 // not visited since
  private val queue = io.visit.queueIndex
  private val some = io.visit.waiting =/= 0
  private val before = memory.readAsync(queue)
  private val begins = ofQueue(begun, queue) || !before.some
  private val after = Memory()
  after.start := begins ? now | before.start
  after.some := some
  memory.write(queue, after, io.visit.valid)
  private val age = (now - before.start).andMask(!begins)

  private val reached = RegNext(io.visit.valid && some && (io.visit.waiting >= io.visit.count || (age >> 4) >= io.visit.cycles)) init False
  private val visited = RegNext(queue) init 0
  io.timing := io.visit.valid && some && !ofQueue(io.level, queue) && ofQueue(io.enabled, queue)
  for (index <- 0 until queuePairs) {
    when(io.visit.valid && queue === index)(begun(index) := False)
    when(reached && visited === index && !begun(index))(io.level(index) := True)
    when(io.begin.valid && io.begin.payload === index) {
      io.level(index) := False
      begun(index) := True
    }
    when(!io.enabled(index))(io.level(index) := False)
  }
}
