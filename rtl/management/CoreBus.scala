// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** What the processor reaches: boot ROM, RAM, and peripherals from 0x80000000 on. Nothing else is wired to it.
  *
  * Instructions have ports of their own at both memories: one a cycle, each in the second cycle after it was asked for; where no memory is they are 0.
  * Data: a command is captured, then carried out. The memories take one a cycle and answer a read in the second cycle after it was taken; a peripheral
  * takes six and what it waits, and nothing is taken meanwhile. An address where nothing is reads 0; a write there, or to the ROM, is ignored.
  *
  * An instruction that is written and fetched in the same cycle is undefined: what was written is run only behind a jump.
  *
  * @param peripherals how many; number n answers at 0x80000000 + n x 4096
  */
case class CoreBus(romFile: String, peripherals: Int) extends Component {
  val io = new Bundle {
    val instructions = slave(InstructionBus())
    val data = slave(DataBus())
    val apb = Vec(master(Apb3(CoreBus.apb)), peripherals)
  }

  private object Step extends SpinalEnum { val IDLE, ACCESS, SETUP, WAIT, MERGE, DONE = newElement() }
  // The simulated card reads it by this name; one that its enumeration has, too, would be numbered differently in each design.
  private val progress = RegInit(Step.IDLE)
  private val address = Reg(UInt(30 bits)) init 0
  private val write = RegInit(False)
  private val value = Reg(Bits(32 bits)) init 0
  private val select = Reg(Bits(4 bits)) init 0
  private def within(word: UInt, base: Int, bytes: Int): Bool = {
    require(isPow2(bytes) && base % bytes == 0)
    (word >> (log2Up(bytes) - 2)) === base / bytes
  }

  // What the processor waits for comes from registers: from there it leads into everything that stands still.
  // The simulated card sets it, by this name, for as long as the processor is to stand still.
  private val busy = RegInit(False)
  io.data.cmd.ready := !busy
  when(progress === Step.ACCESS)(progress := address.msb ? Step.SETUP | Step.IDLE)
  when(io.data.cmd.fire) {
    progress := Step.ACCESS
    busy := io.data.cmd.address.msb
    address := io.data.cmd.address >> 2
    write := io.data.cmd.wr
    value := io.data.cmd.data
    select := io.data.cmd.bytes
  }

  private val rom = new BootRom(romFile)
  private val ram = Mem(Bits(32 bits), CORE_RAM_BYTES / 4)
  ram.addAttribute("ram_style", "block")
  // Else synthesis adds logic that says what a word is that is written and fetched at once.
  ram.addAttribute("no_rw_check")
  rom.io.address := address.resized
  private val accessed = progress === Step.ACCESS
  private val written = (accessed && write && within(address, CORE_RAM_BASE, CORE_RAM_BYTES)) ? select | B(0, 4 bits)
  private val ramWord = ram.readWriteSync(address.resized, value, enable = True, write = written.orR, mask = written)
  private val fromRom = RegNext(within(address, CORE_ROM_BASE, CORE_ROM_BYTES)) init False
  private val fromRam = RegNext(within(address, CORE_RAM_BASE, CORE_RAM_BYTES)) init False

  private val chosen = io.apb.indices.map(index => RegNext(address(29 downto 10) === (1 << 19) + index) init False)
  // Peripherals are asked in the cycle after the access was decoded: what leads to all of them leads to no memory.
  private val peripheralAddress = RegNext(address(9 downto 0)) init 0
  private val peripheralWrite = RegNext(write) init False
  private val peripheralValue = RegNext(value) init 0
  for ((port, mine) <- io.apb.zip(chosen)) {
    port.PSEL(0) := mine && (progress === Step.SETUP || progress === Step.WAIT)
    port.PENABLE := progress === Step.WAIT
    port.PADDR := (peripheralAddress @@ U(0, 2 bits)).resized
    port.PWRITE := peripheralWrite
    port.PWDATA := peripheralValue
  }
  private val ready = chosen.zip(io.apb).map { case (mine, port) => mine && port.PREADY }.orR || !chosen.orR
  private val parts = chosen.zip(io.apb).map { case (mine, port) => RegNext(mine ? port.PRDATA | B(0, 32 bits)) }
  private val answer = RegNext((progress === Step.MERGE) ? parts.reduceBalancedTree(_ | _) | B(0, 32 bits)) init 0
  when(progress === Step.SETUP)(progress := Step.WAIT)
  when(progress === Step.WAIT && ready)(progress := Step.MERGE)
  when(progress === Step.MERGE)(progress := Step.DONE)
  when(progress === Step.DONE) {
    progress := Step.IDLE
    busy := False
  }

  private def masked(from: Bool, word: Bits): Bits = word & B(32 bits, default -> from)
  io.data.rsp.ready := RegNext(!write && (accessed && !address.msb || progress === Step.MERGE)) init False
  io.data.rsp.error := False
  io.data.rsp.data := masked(fromRom, rom.io.data) | masked(fromRam, ramWord) | answer

  private val fetched = io.instructions.cmd.pc >> 2
  rom.io.fetchAddress := fetched.resized
  private val fetchedRam = ram.readSync(fetched.resized)
  private val fetchRom = RegNext(within(fetched, CORE_ROM_BASE, CORE_ROM_BYTES)) init False
  private val fetchRam = RegNext(within(fetched, CORE_RAM_BASE, CORE_RAM_BYTES)) init False
  io.instructions.cmd.ready := True
  io.instructions.rsp.valid := RegNext(RegNext(io.instructions.cmd.valid) init False) init False
  io.instructions.rsp.error := False
  io.instructions.rsp.inst := RegNext(masked(fetchRom, rom.io.fetched) | masked(fetchRam, fetchedRam))
}

object CoreBus {
  /** A peripheral's 4 KiB. */
  val apb: Apb3Config = Apb3Config(addressWidth = 12, dataWidth = 32, useSlaveError = false)
}
