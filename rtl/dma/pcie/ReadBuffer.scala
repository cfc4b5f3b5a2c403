// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** What one beat of a completion brings to a tag's buffer. */
case class BufferWrite(config: PcieConfig) extends Bundle {
  val tag = UInt(config.tagWidth bits)
  val line = UInt(log2Up(config.linesPerTag) bits) // that the beat's dwords from the fourth on begin
  val data = Bits(Tlp.BEAT_BITS bits)
  val begins = Bool() // it has such dwords
  val ends = Bool() // its first three dwords end the line before
}

/** Where a line is. */
case class BufferLine(config: PcieConfig) extends Bundle {
  val tag = UInt(config.tagWidth bits)
  val line = UInt(log2Up(config.linesPerTag) bits)
}

/** The data of all outstanding reads, a buffer a tag.
  *
  * Payload comes three dwords late, behind its descriptor: a beat ends one line and begins the next. Each line lies in two
  * memories, of its first thirteen dwords and its last three, so every beat is written at once as it comes.
  *
  * `read` a line; `data` belongs to it in the cycle after `read.fire`, and stays until the next
  */
case class ReadBuffer(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val write = slave(Flow(BufferWrite(config)))
    val read = slave(Flow(BufferLine(config)))
    val data = out Bits (Tlp.BEAT_BITS bits)
  }

  private val headBits = 13 * 32
  private val tailBits = 3 * 32
  private val lines = tags * linesPerTag
  private val heads = Mem(Bits(headBits bits), lines)
  private val tails = Mem(Bits(tailBits bits), lines)
  private val write = io.write.m2sPipe()
  heads.write(write.tag @@ write.line, write.data(511 downto tailBits), enable = write.valid && write.begins)
  tails.write(write.tag @@ (write.line - 1), write.data(tailBits - 1 downto 0), enable = write.valid && write.ends)
  private val row = io.read.tag @@ io.read.line
  io.data := tails.readSync(row, enable = io.read.valid) ## heads.readSync(row, enable = io.read.valid)
}
