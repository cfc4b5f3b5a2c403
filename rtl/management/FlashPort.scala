// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** The pins of a serial flash. */
case class FlashPins() extends Bundle with IMasterSlave {
  val selectNot, clock, dataOut = Bool()
  val dataIn = Bool()
  def asMaster(): Unit = { out(selectNot, clock, dataOut); in(dataIn) }
}

/** Shifts bytes to and from a serial flash: SPI mode 0, most significant bit first, a byte or four a transfer.
  *
  * A transfer of n bits lasts 2 n (DIVIDER + 1) cycles; data is set when the clock falls and taken in when it rises. A reset of the core ends it
  * and takes the select away, so the flash is never left in the middle of a command.
  *
  * Locked, which lasts until the core's next reset, it begins no command but those that leave the version floor's sectors as they are. A command
  * is what is sent first after a select: READ_STATUS, WRITE_ENABLE and READ_IDENTITY as a byte, READ_DATA, PAGE_PROGRAM and SECTOR_ERASE as
  * a word with their address, the last two outside of those sectors. Their length in address bits is the flash map's: a smaller flash would
  * show the sectors elsewhere again. A transfer that would begin anything else does not take place.
  */
case class FlashPort() extends Component {
  val io = new Bundle {
    val apb = slave(Apb3(CoreBus.apb))
    val coreReset = in Bool ()
    val pins = master(FlashPins())
  }
  private val control = Reg(Bits(32 bits)) init 0
  private val shifted = Reg(Bits(32 bits)) init 0
  private val halves = Reg(UInt(7 bits)) init 0 // left of the transfer
  private val pause = Reg(UInt(FLASH_CONTROL_DIVIDER_WIDTH bits)) init 0
  private val clock = RegInit(False)
  private val sampled = RegInit(False)
  private val busy = halves =/= 0
  private val divider = control(FLASH_CONTROL_DIVIDER_SHIFT, FLASH_CONTROL_DIVIDER_WIDTH bits).asUInt

  io.pins.selectNot := RegNext(!control(FLASH_CONTROL_SELECT_SHIFT)) init True
  io.pins.clock := clock
  io.pins.dataOut := shifted.msb

  when(busy) {
    pause := pause - 1
    when(pause === 0) {
      pause := divider
      halves := halves - 1
      clock := !clock
      when(!clock)(sampled := io.pins.dataIn) otherwise (shifted := (shifted ## sampled).resized)
    }
  }

  private val locked = RegInit(False)
  private val opens = RegInit(True) // nothing has been sent since the select
  when(!control(FLASH_CONTROL_SELECT_SHIFT))(opens := True)
  private def permitted(word: Bits, bits: Int): Bool = {
    val command = word(31 downto 24)
    val offset = word(23 downto 0).asUInt
    val harmless = (if (bits == 8) FlashPort.bytes else FlashPort.reads).map(command === _).orR
    val changes = FlashPort.changes.map(command === _).orR
    val inMap = (offset >> log2Up(FLASH_MAP_BYTES)) === 0
    val inFloor = (offset >> log2Up(FlashPort.floorBytes)) === FLASH_FLOOR_OFFSET / FlashPort.floorBytes
    if (bits == 8) harmless else harmless || changes && inMap && !inFloor
  }

  private val bus = Apb3SlaveFactory(io.apb)
  bus.read(locked, REGISTER_FLASH_LOCK)
  bus.onWrite(REGISTER_FLASH_LOCK)(locked := True)
  bus.read(control, REGISTER_FLASH_CONTROL)
  bus.read(busy, REGISTER_FLASH_STATUS)
  private def swapped(word: Bits): Bits = word.subdivideIn(8 bits).reverse.asBits()
  bus.read(swapped(shifted), REGISTER_FLASH_DATA)
  private def begin(word: Bits, bits: Int): Unit = when(!busy && (!locked || !opens || permitted(word, bits))) {
    opens := !control(FLASH_CONTROL_SELECT_SHIFT)
    shifted := word
    halves := 2 * bits
    pause := divider
  }
  bus.onWrite(REGISTER_FLASH_CONTROL)(when(!busy)(control := io.apb.PWDATA))
  bus.onWrite(REGISTER_FLASH_BYTE)(begin(io.apb.PWDATA(7 downto 0) ## B(0, 24 bits), 8))
  bus.onWrite(REGISTER_FLASH_WORD)(begin(swapped(io.apb.PWDATA), 32))
  when(io.coreReset) {
    control := 0
    locked := False
    halves := 0
    clock := False
  }
}

object FlashPort {
  private val floorBytes = 2 * FLASH_SECTOR_BYTES
  require(FLASH_FLOOR_OFFSET % floorBytes == 0 && FLASH_FLOOR_OFFSET + floorBytes <= FLASH_MAP_BYTES)

  /** Commands that may begin while the port is locked: as a byte, as a word anywhere, as a word outside of the floor's sectors. */
  private val bytes = Seq(0x05, 0x06, 0x9f)
  private val reads = Seq(0x03)
  private val changes = Seq(0x02, 0x20)
}
