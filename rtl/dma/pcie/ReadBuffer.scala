// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** Where a line is. */
case class BufferLine(config: PcieConfig) extends Bundle {
  val tag = UInt(config.tagWidth bits)
  val line = UInt(log2Up(config.linesPerTag) bits)
}

/** A part of a line, and where it goes. */
case class PartWrite(config: PcieConfig, width: Int) extends Bundle {
  val place = BufferLine(config)
  val data = Bits(width bits)
}

/** What a beat of completions brings to the tags' buffers: of each part of a line at most one. */
case class LineWrite(config: PcieConfig) extends Bundle with IMasterSlave {
  val head = Flow(PartWrite(config, LineWrite.HEAD))
  val body = Flow(PartWrite(config, LineWrite.BODY))
  val tail = Flow(PartWrite(config, LineWrite.TAIL))
  override def asMaster(): Unit = master(head, body, tail)

  /** The same a cycle later. */
  def staged: LineWrite = {
    val later = LineWrite(config)
    later.head << head.m2sPipe()
    later.body << body.m2sPipe()
    later.tail << tail.m2sPipe()
    later
  }
  def <<(from: LineWrite): Unit = {
    head << from.head
    body << from.body
    tail << from.tail
  }
}

/** Bits of the parts of a line, from its first dword on. */
object LineWrite {
  val HEAD = 5 * 32
  val BODY = 8 * 32
  val TAIL = 3 * 32
}

/** The data of all outstanding reads, a buffer a tag.
  *
  * Payload comes three dwords late, behind its descriptor, at byte 0 or 32 of a beat: a beat holds a line's first thirteen
  * dwords or its first five, and the rest of the one before. So each line lies in three memories, and every beat is written
  * at once as it comes.
  *
  * `read` a line; `data` belongs to it in the cycle after `read.fire`, and stays until the next
  */
case class ReadBuffer(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val write = slave(LineWrite(config))
    val read = slave(Flow(BufferLine(config)))
    val data = out Bits (Tlp.BEAT_BITS bits)
  }

  private val parts = for (write <- Seq(io.write.head, io.write.body, io.write.tail)) yield {
    val memory = Mem(Bits(write.data.getWidth bits), tags * linesPerTag)
    memory.write(write.place.tag @@ write.place.line, write.data, enable = write.valid)
    memory.readSync(io.read.tag @@ io.read.line, enable = io.read.valid)
  }
  io.data := parts.reverse.reduce(_ ## _)
}
