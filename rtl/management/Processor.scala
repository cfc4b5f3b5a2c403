// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import spinal.core._
import spinal.lib._

import java.nio.file.{Files, Paths}

/** One of the processor's two buses as VexRiscv names it: Wishbone, one word after the other. */
case class WordBus() extends Bundle with IMasterSlave {
  val CYC, STB, WE = Bool()
  val ACK, ERR = Bool()
  val ADR = UInt(30 bits)
  val DAT_MISO, DAT_MOSI = Bits(32 bits)
  val SEL = Bits(4 bits)
  val CTI = Bits(3 bits)
  val BTE = Bits(2 bits)
  def asMaster(): Unit = { out(CYC, STB, WE, ADR, DAT_MOSI, SEL, CTI, BTE); in(ACK, ERR, DAT_MISO) }
}

/** VexRiscv, RV32IM with caches, from the package that .tools/install-management pins. It keeps nothing of addresses from
  * 0x80000000 on in its cache. The package's cores that decompress instructions do so in one cycle with the cache's look-up, and are half as fast.
  */
class VexRiscv extends BlackBox {
  val io = new Bundle {
    val clk, reset = in Bool ()
    val externalResetVector = in UInt (32 bits)
    val timerInterrupt, softwareInterrupt = in Bool ()
    val externalInterruptArray = in Bits (32 bits)
    val iBusWishbone, dBusWishbone = master(WordBus())
  }
  noIoPrefix()
  mapClockDomain(clock = io.clk, reset = io.reset)
  require(Files.exists(Paths.get(VexRiscv.source)), s"${VexRiscv.source} is missing: .tools/install-management fetches it")
  addRTLPath(VexRiscv.source)
}

object VexRiscv {
  val source = "build/tools/management/VexRiscv.v"
}
