// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** What the processor reaches: boot ROM, RAM, and peripherals from 0x80000000 on. Nothing else is wired to it.
  *
  * One access at a time, data before instructions. Capture, decode and memory have a cycle each, so that none of them is long: a word of memory
  * takes four cycles, each further one of a burst (a line of a cache) one more; a peripheral takes six and what it waits. An address where nothing
  * is reads 0; a write there, or to the ROM, is ignored.
  *
  * @param peripherals how many; number n answers at 0x80000000 + n x 4096
  */
case class CoreBus(romFile: String, peripherals: Int) extends Component {
  val io = new Bundle {
    val instructions, data = slave(WordBus())
    val apb = Vec(master(Apb3(CoreBus.apb)), peripherals)
  }

  private object Step extends SpinalEnum { val IDLE, DECODE, ACCESS, SETUP, WAIT, MERGE, DONE = newElement() }
  // The simulated card stops it by this name; one that its enumeration has, too, would be numbered differently in each design.
  private val progress = RegInit(Step.IDLE)
  private val forData = Reg(Bool())
  private val address = Reg(UInt(30 bits)) init 0
  private val write = RegInit(False)
  private val value = Reg(Bits(32 bits)) init 0
  private val select = Reg(Bits(4 bits)) init 0
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
    when(data || io.instructions.CYC && io.instructions.STB)(progress := Step.DECODE)
  }

  // Decoded once: a burst stays within its line.
  private val inRegisters = RegNext(address.msb) init False
  private val inRom = RegNext(within(CORE_ROM_BASE, CORE_ROM_BYTES)) init False
  private val inRam = RegNext(within(CORE_RAM_BASE, CORE_RAM_BYTES)) init False
  private val chosen = io.apb.indices.map(index => RegNext(address(29 downto 10) === (1 << 19) + index) init False)
  private val written = RegNext((progress === Step.DECODE && write && within(CORE_RAM_BASE, CORE_RAM_BYTES)) ? select | B(0, 4 bits)) init 0
  when(progress === Step.DECODE)(progress := address.msb ? Step.SETUP | Step.ACCESS)

  // While a word of a burst is answered the memories read the next one.
  private val lineWords = 8
  when(progress === Step.ACCESS || progress === Step.DONE)(address(log2Up(lineWords) - 1 downto 0) := address(log2Up(lineWords) - 1 downto 0) + 1)
  when(progress === Step.ACCESS)(progress := Step.DONE)
  private val rom = new BootRom(romFile)
  rom.io.address := address.resized
  private val ram = Mem(Bits(32 bits), CORE_RAM_BYTES / 4)
  ram.addAttribute("ram_style", "block")
  private val ramWord = ram.readWriteSync(address.resized, value, enable = True, write = written.orR, mask = written)

  for ((port, mine) <- io.apb.zip(chosen)) {
    port.PSEL(0) := mine && (progress === Step.SETUP || progress === Step.WAIT)
    port.PENABLE := progress === Step.WAIT
    port.PADDR := (address @@ U(0, 2 bits)).resized
    port.PWRITE := write
    port.PWDATA := value
  }
  private val ready = chosen.zip(io.apb).map { case (mine, port) => mine && port.PREADY }.orR || !chosen.orR
  private val parts = chosen.zip(io.apb).map { case (mine, port) => RegNext(mine ? port.PRDATA | B(0, 32 bits)) }
  private val answer = RegNext(parts.reduceBalancedTree(_ | _))
  when(progress === Step.SETUP)(progress := Step.WAIT)
  when(progress === Step.WAIT && ready)(progress := Step.MERGE)
  when(progress === Step.MERGE)(progress := Step.DONE)

  private val read = inRegisters ? answer | (inRom ? rom.io.data | (inRam ? ramWord | B(0, 32 bits)))
  for ((bus, mine) <- Seq(io.data -> forData, io.instructions -> !forData)) {
    bus.ACK := progress === Step.DONE && mine
    bus.ERR := False
    bus.DAT_MISO := read
  }
  private val goesOn = (forData ? io.data.CTI | io.instructions.CTI) === CoreBus.incrementing && !inRegisters
  when(progress === Step.DONE && !goesOn)(progress := Step.IDLE)
}

object CoreBus {
  /** A peripheral's 4 KiB. */
  val apb: Apb3Config = Apb3Config(addressWidth = 12, dataWidth = 32, useSlaveError = false)

  /** Wishbone's CTI: the next word follows, and this is not the burst's last. */
  private val incrementing = 2
}
