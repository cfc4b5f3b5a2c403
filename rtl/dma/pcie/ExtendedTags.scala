// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** The block's configuration management port, as far as it is used: reads by dword address. Its name is `cfg_mgmt`. */
case class ConfigurationPort() extends Bundle with IMasterSlave {
  val addr = UInt(10 bits)
  val function_number = UInt(8 bits)
  val read, write, debug_access = Bool()
  val write_data = Bits(32 bits)
  val byte_enable = Bits(4 bits)
  val read_data = Bits(32 bits)
  val read_write_done = Bool()
  override def asMaster(): Unit = {
    out(addr, function_number, read, write, debug_access, write_data, byte_enable)
    in(read_data, read_write_done)
  }
}

/** Looks again and again whether the host lets the card use tags above 31: no signal of the block says so. */
case class ExtendedTags() extends Component {
  val io = new Bundle {
    val configuration = master(ConfigurationPort())
    val enabled = out(RegInit(False))
  }

  private val deviceControl = 0x78 / 4 // in the PCIe capability, which the block has at 0x70
  private val enableBit = 8
  private val pause = Reg(UInt(8 bits)) init 0
  private val reading = RegInit(False)
  when(!reading) {
    pause := pause + 1
    reading := pause.andR
  } elsewhen (io.configuration.read_write_done) {
    reading := False
    io.enabled := io.configuration.read_data(enableBit)
  }
  io.configuration.addr := deviceControl
  io.configuration.function_number := 0
  io.configuration.read := reading
  io.configuration.write := False
  io.configuration.debug_access := False
  io.configuration.write_data := 0
  io.configuration.byte_enable := 0
}
