// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** Keeps reads from asking for more than the block's receive buffer holds. An endpoint's link partner need not wait for
  * credits for completions, so the block drops what does not fit, and a dropped completion costs a timeout and its tag.
  *
  * Counted in lines of 64 bytes, which are at most one completion each. A read's lines count from its request until it is
  * answered, be it by its last completion or by the timeout: what comes later than that is not counted any more.
  *
  * `asked`     a read goes out
  * `answer`    of the tag table, more than one a read; `answered` is its state before it
  * `available` the largest read may be asked for; exact from the cycle after `asked` on, a cycle or two late to rise
  */
case class CompletionCredits(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val asked = slave(Flow(AskedLines(config)))
    val answer = slave(Flow(UInt(tagWidth bits)))
    val answered = in Bits (tags bits)
    val available = out(RegInit(False))
  }

  private val askedLines = Mem(UInt(log2Up(linesPerTag + 1) bits), tags)
  askedLines.write(io.asked.tag, io.asked.lines, enable = io.asked.valid)

  // The first answer of a read; its tag is used again only later.
  private val answer = io.answer.m2sPipe()
  private val isFirst = RegNext(!io.answered(io.answer.payload))
  private val returned = Reg(UInt(log2Up(linesPerTag + 1) bits)) init 0
  returned := askedLines.readAsync(answer.payload).andMask(answer.valid && isFirst)

  private val used = Reg(UInt(log2Up(completionLines + 1) bits)) init 0
  used := used + io.asked.lines.andMask(io.asked.valid) - returned
  // As if what is asked for now were the largest: its size is known late in its cycle.
  private val most = completionLines - linesPerTag
  private val mostBehind = most - linesPerTag
  io.available := io.asked.valid ? (if (mostBehind < 0) False else used <= mostBehind) | used <= most
}
