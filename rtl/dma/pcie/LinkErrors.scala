// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** What went wrong between the card and the host's memory, each counted modulo 2^32 since power-on, through every function-level reset.
  *
  * `completionsFaulted`    completions of reads that bore an error: poisoned, void, a bad status, or none of what was asked for
  * `readsOverdue`          reads that did not come back in time, the card's or the block's
  * `writesFailed`          bursts of writes that were dropped, or of which the block did not say in time that they had gone
  * `completionsUnexpected` completions that came for no read, and were dropped
  */
case class LinkErrors() extends Bundle {
  val completionsFaulted, readsOverdue, writesFailed, completionsUnexpected = UInt(32 bits)
}

object LinkErrors {
  /** Counts what happens, one of each kind in a cycle at most. */
  def counting(completionFaulted: Bool, readOverdue: Bool, writeFailed: Bool, completionUnexpected: Bool): LinkErrors = {
    val counted = ClockDomain.current.withBootReset()(new Area {
      val errors = Reg(LinkErrors())
      for ((count, happens) <- errors.elements.map(_._2.asInstanceOf[UInt]).zip(Seq(completionFaulted, readOverdue, writeFailed, completionUnexpected))) {
        count.init(0)
        when(RegNext(happens) init False)(count := count + 1)
      }
    })
    counted.errors
  }
}
