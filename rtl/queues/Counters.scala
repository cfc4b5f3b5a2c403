// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** The 64-bit counters of the interface. The carry into the upper half takes a cycle of its own, which the interface's
  * way of reading (high, low, high again) sees through.
  *
  * `add`  what each counter grows by in this cycle, in index order
  * `word` which 32-bit word to read: 2 x index, plus 1 for the upper half; `data` follows two cycles later
  */
case class Counters(widest: Int) extends Component {
  private val count = Interface.COUNTER_COUNT

  val io = new Bundle {
    val add = in Vec (UInt(widest bits), count)
    val word = in UInt (log2Up(2 * count) bits)
    val data = out Bits (32 bits)
  }

  private val halves = io.add.flatMap { add =>
    val step = RegNext(add) init 0
    val low = Reg(UInt(32 bits)) init 0
    val sum = low +^ step
    val carry = RegNext(sum.msb) init False
    val high = Reg(UInt(32 bits)) init 0
    low := sum.resized
    high := high + U(carry)
    Seq(low, high)
  }
  // One bit a word, from the word's number before the register: its look-up is no part of the choice among so many.
  private val chosen = halves.indices.map(number => RegNext(io.word === number) init False)
  private val picked = chosen.zip(halves).map { case (hit, half) => hit ? half.asBits | B(0, 32 bits) }
  io.data := RegNext(picked.reduceBalancedTree(_ | _)) init 0
}
