// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** Decides when a queue interrupts: as soon as `count` completions wait, or `cycles` x 16 clock cycles after the oldest of
  * them appeared or the last acknowledgement, whichever is later. The level stays until `acknowledge`, drops for some
  * cycles at least, and rises again under the same rule while completions still wait.
  *
  * `waiting`     completions in memory that software has not taken; follows `acknowledge` within `settling` cycles
  * `timing`      completions wait and the level is low: time matters, the clock must run
  */
case class Moderation(countWidth: Int, settling: Int) extends Component {
  val io = new Bundle {
    val enable = in Bool ()
    val count = in UInt (Interface.MODERATION_COUNT_WIDTH bits)
    val cycles = in UInt (Interface.MODERATION_CYCLES_WIDTH bits)
    val waiting = in UInt (countWidth bits)
    val acknowledge = in Bool ()
    val level = out(RegInit(False))
    val timing = out Bool ()
  }

  private val age = Reg(UInt(Interface.MODERATION_CYCLES_WIDTH + 4 bits)) init 0
  private val settle = Reg(UInt(log2Up(settling + 1) bits)) init 0
  private val some = io.waiting =/= 0
  private val countReached = RegNext(some && io.waiting >= io.count) init False
  private val ageReached = RegNext(some && (age >> 4) >= io.cycles) init False

  when(settle =/= 0)(settle := settle - 1)
  when(some && !age.andR)(age := age + 1)
  when(!some)(age := 0)
  when(settle === 0 && some && (countReached || ageReached))(io.level := True)
  when(io.acknowledge) {
    io.level := False
    settle := settling
    age := 0
  }
  when(!io.enable) {
    io.level := False
    age := 0
    settle := settling // `waiting` still speaks of the queue's former life when it is enabled again
  }
  io.timing := io.enable && (settle =/= 0 || (some && !io.level))
}
