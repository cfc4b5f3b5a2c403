// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** Lets at most one TLP begin and at most one end in a beat: a beat that has more is given twice, first with its low TLP
  * alone, then with its high one.
  *
  * Completions with data never need that, as reads ask for whole lines of 64 bytes; only errors come as short as that.
  * A beat a cycle; no latency.
  */
case class CompletionSplitter() extends Component {
  val io = new Bundle {
    val block = slave(Stream(RequesterCompletionBeat()))
    val beat = master(Flow(RequesterCompletionBeat()))
  }

  private val splits = io.block.startsHigh && (io.block.startsLow || io.block.endsHigh)
  private val isSecond = RegInit(False)
  when(io.block.valid && splits)(isSecond := !isSecond)
  io.block.ready := !splits || isSecond

  io.beat.valid := io.block.valid
  io.beat.payload := io.block.payload
  when(splits) {
    when(isSecond) {
      io.beat.startsLow := False
      io.beat.endsLow := False
    } otherwise {
      io.beat.startsHigh := False
      io.beat.endsHigh := False
    }
  }
}
