// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** Time in steps coarse enough to stamp many things with, a third of a timeout each.
  *
  * @param shortest least cycles of a step: whoever looks only now and then must look at everything within four
  */
case class Epoch(timeoutCycles: Int, shortest: Int = 1) extends Area {
  private val tick = CounterFreeRun((timeoutCycles / 3) max shortest)
  val now = Reg(UInt(3 bits)) init 0
  when(tick.willOverflow)(now := now + 1)

  /** Whether `stamp`, an earlier `now`, is a timeout old: for four steps, beginning a third of a timeout late at most. */
  def isOver(stamp: UInt): Bool = now - stamp >= 4
}
