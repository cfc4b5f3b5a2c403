// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** What the processor reaches: boot ROM, RAM, and peripherals from 0x80000000 on. Nothing else is wired to it.
  *
  * One word at a time, data before instructions: three cycles of memory, four of a peripheral and what that waits. An address
  * where nothing is reads 0; a write there, or to the ROM, is ignored.
  *
  * @param peripherals how many; number n answers at 0x80000000 + n x 4096
  */
case class CoreBus(romFile: String, peripherals: Int) extends Component {
  val io = new Bundle {
    val instructions, data = slave(WordBus())
    val apb = Vec(master(Apb3(CoreBus.apb)), peripherals)
  }

  private object Step extends SpinalEnum { val IDLE, ACCESS, WAIT, DONE = newElement() }
  // The simulated card stops it by this name; one that its enumeration has, too, would be numbered differently in each design.
  private val progress = RegInit(Step.IDLE)
  private val forData = Reg(Bool())
  private val address = Reg(UInt(30 bits)) init 0
  private val write = RegInit(False)
  private val value = Reg(Bits(32 bits)) init 0
  private val select = Reg(Bits(4 bits)) init 0
  private val inRegisters = address.msb
  private def within(base: Int, bytes: Int): Bool = {
    require(isPow2(bytes) && base % bytes == 0)
    (address >> (log2Up(bytes) - 2)) === base / bytes
  }

  when(progress === Step.IDLE) {
    val data = io.data.CYC && io.data.STB
    forData := data
    address := data ? io.data.ADR | io.instructions.ADR
    write := data && io.data.WE
    value := io.data.DAT_MOSI
    select := io.data.SEL
    when(data || io.instructions.CYC && io.instructions.STB)(progress := Step.ACCESS)
  }
  when(progress === Step.ACCESS)(progress := inRegisters ? Step.WAIT | Step.DONE)

  private val rom = new BootRom(romFile)
  rom.io.address := address.resized
  private val ram = Mem(Bits(32 bits), CORE_RAM_BYTES / 4)
  ram.addAttribute("ram_style", "block")
  private val inRam = within(CORE_RAM_BASE, CORE_RAM_BYTES)
  private val ramWord = ram.readWriteSync(address.resized, value, enable = progress === Step.ACCESS && inRam, write = write, mask = select)

  private val numbers = io.apb.indices.map(index => address(28 downto 10) === index)
  private val answer = Reg(Bits(32 bits)) init 0
  for ((port, mine) <- io.apb.zip(numbers)) {
    port.PSEL(0) := inRegisters && mine && (progress === Step.ACCESS || progress === Step.WAIT)
    port.PENABLE := progress === Step.WAIT
    port.PADDR := (address @@ U(0, 2 bits)).resized
    port.PWRITE := write
    port.PWDATA := value
  }
  private val ready = numbers.zip(io.apb).map { case (mine, port) => mine && port.PREADY }.orR || !numbers.orR
  when(progress === Step.WAIT && ready) {
    answer := numbers.zip(io.apb).map { case (mine, port) => mine ? port.PRDATA | B(0, 32 bits) }.reduceBalancedTree(_ | _)
    progress := Step.DONE
  }

  private val read = inRegisters ? answer | (within(CORE_ROM_BASE, CORE_ROM_BYTES) ? rom.io.data | (inRam ? ramWord | B(0, 32 bits)))
  for ((bus, mine) <- Seq(io.data -> forData, io.instructions -> !forData)) {
    bus.ACK := progress === Step.DONE && mine
    bus.ERR := False
    bus.DAT_MISO := read
  }
  when(progress === Step.DONE)(progress := Step.IDLE)
}

object CoreBus {
  /** A peripheral's 4 KiB. */
  val apb: Apb3Config = Apb3Config(addressWidth = 12, dataWidth = 32, useSlaveError = false)
}
