// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import spinal.core._
import spinal.lib._

import java.nio.file.{Files, Paths}

case class InstructionCommand() extends Bundle {
  val pc = UInt(32 bits)
}

case class Instruction() extends Bundle {
  val error = Bool()
  val inst = Bits(32 bits)
}

/** Where the processor has its instructions from, as VexRiscv names it. They come in the order of the commands. */
case class InstructionBus() extends Bundle with IMasterSlave {
  val cmd = Stream(InstructionCommand())
  val rsp = Flow(Instruction())
  def asMaster(): Unit = { master(cmd); slave(rsp) }
}

/** An access to data; `data` is repeated where it is narrower than a word. */
case class DataCommand() extends Bundle {
  val wr = Bool()
  val address = UInt(32 bits)
  val data = Bits(32 bits)
  val size = UInt(2 bits)

  /** Which bytes of the word. */
  def bytes: Bits = size.mux(0 -> B"4'b0001", 1 -> B"4'b0011", default -> B"4'b1111") |<< address(1 downto 0)
}

/** `ready` for a cycle with what was read; a write has no answer. */
case class DataAnswer() extends Bundle with IMasterSlave {
  val ready, error = Bool()
  val data = Bits(32 bits)
  def asMaster(): Unit = out(ready, error, data)
}

case class DataBus() extends Bundle with IMasterSlave {
  val cmd = Stream(DataCommand())
  val rsp = DataAnswer()
  def asMaster(): Unit = { master(cmd); slave(rsp) }
}

/** VexRiscv, RV32IM, configured by vexriscv/Configuration.scala, which .tools/install-management turns into Verilog. */
class VexRiscv extends BlackBox {
  val io = new Bundle {
    val clk, reset = in Bool ()
    val timerInterrupt, softwareInterrupt, externalInterrupt = in Bool ()
    val iBus = master(InstructionBus())
    val dBus = master(DataBus())
  }
  noIoPrefix()
  mapClockDomain(clock = io.clk, reset = io.reset)
  require(Files.exists(Paths.get(VexRiscv.source)), s"${VexRiscv.source} is missing: .tools/install-management makes it")
  addRTLPath(VexRiscv.source)
}

object VexRiscv {
  val source = "build/tools/management/VexRiscv.v"
}
