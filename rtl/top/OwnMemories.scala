// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import spinal.core._
import spinal.core.internals._

import scala.collection.mutable.ArrayBuffer

/** A memory of a write and a read port, whose read data comes a cycle after `read_enable` and stays. `pagepress_memory.v` beside this file is one
  * without ECC or self-test; a chip may bring its own.
  *
  * @param readFirst a row that is written in the read's cycle is read as it was; else what comes of it is not used
  */
class PagepressMemory(words: Int, width: Int, readFirst: Boolean, controlBits: Int, writeClock: ClockDomain, readClock: ClockDomain) extends BlackBox {
  setDefinitionName("pagepress_memory")
  private val addressBits = log2Up(words) max 1
  addGeneric("WORDS", words)
  addGeneric("WIDTH", width)
  addGeneric("ADDRESS_WIDTH", addressBits)
  addGeneric("READ_FIRST", if (readFirst) 1 else 0)
  addGeneric("CONTROL", controlBits)

  val io = new Bundle {
    val write_clk, write_enable = in Bool ()
    val write_address = in UInt (addressBits bits)
    val write_data = in Bits (width bits)
    val read_clk, read_enable = in Bool ()
    val read_address = in UInt (addressBits bits)
    val read_data = out Bits (width bits)
    val control = in Bits (controlBits bits)
    val error = out Bool ()
  }
  noIoPrefix()
  // Where a clock has an enable, it is in those of the ports.
  mapClockDomain(writeClock.copy(clockEnable = null), io.write_clk)
  mapClockDomain(readClock.copy(clockEnable = null), io.read_clk)
}

/** Makes each memory with a registered read a PagepressMemory, one a read port, with the top's `memory_control` to all of them and their errors in
  * its `memory_error`. Small memories that are read without a clock stay as they are: a chip makes registers of them.
  */
class OwnMemories(controlBits: Int) extends PhaseMemBlackBoxingWithPolicy(OwnMemories.registered) {
  private val made = ArrayBuffer[PagepressMemory]()

  def doBlackboxing(topology: MemTopology): String = {
    val memory = topology.mem
    if (memory.initialContent != null || topology.writes.size != 1 || topology.readsAsync.nonEmpty || topology.readWriteSync.nonEmpty ||
      topology.writes.head.mask != null) "it is more than a write port and registered reads"
    else {
      memory.component.rework {
        val write = topology.writes.head
        for ((read, index) <- topology.readsSync.zipWithIndex) {
          val own = new PagepressMemory(memory.wordCount, memory.getWidth, read.readUnderWrite == readFirst, controlBits, write.clockDomain, read.clockDomain)
          val name = if (memory.isNamed) memory.getName() else "memory"
          own.setName(if (topology.readsSync.size > 1) s"${name}_$index" else name)
          own.io.write_enable := bool(write.writeEnable) && write.clockDomain.isClockEnableActive
          own.io.write_address.assignFrom(write.address)
          own.io.write_data.assignFrom(write.data)
          own.io.read_enable := bool(read.readEnable) && read.clockDomain.isClockEnableActive
          own.io.read_address.assignFrom(read.address)
          wrapConsumers(topology, read, own.io.read_data)
          made += own
        }
        removeMem(memory)
      }
      null
    }
  }

  private def bool(expression: Expression): Bool = expression match {
    case bool: Bool => bool
    case other =>
      val wire = Bool()
      wire.assignFrom(other)
      wire
  }

  override def impl(context: PhaseContext): Unit = {
    super.impl(context)
    context.topLevel.rework {
      val control = in(Bits(controlBits bits)).setName("memory_control")
      val error = out(Bool()).setName("memory_error")
      for (own <- made) own.parent.rework(own.io.control := control.pull())
      error := made.map(_.io.error.pull()).reduce(_ || _)
    }
  }
}

object OwnMemories {
  private object registered extends MemBlackboxingPolicy {
    override def translationInterest(topology: MemTopology): Boolean = topology.readsSync.nonEmpty || topology.readWriteSync.nonEmpty
    override def onUnblackboxable(topology: MemTopology, who: Any, message: String): Unit =
      SpinalError(s"${topology.mem} cannot be a memory of the chip's own: $message")
  }
  val source = "rtl/top/pagepress_memory.v"
}
