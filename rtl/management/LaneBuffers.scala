// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba3.apb._

/** The two buffers of the lanes' test: the firmware writes one and reads the other, by its clock; a test reads the one and writes the
  * other by the card's. What firmware does to them during a test only spoils the test.
  */
case class LaneBuffers(cardClock: ClockDomain) extends Component {
  val io = new Bundle {
    val source, sink = slave(Apb3(CoreBus.apb))
    // By the card's clock
    val sourceIndex = in UInt (LanesPort.indexWidth bits)
    val sourceData = out Bits (32 bits)
    val word = slave(Flow(LaneWord()))
  }
  private def buffer() = Mem(Bits(32 bits), LANE_BUFFER_BYTES / 4).addAttribute("ram_style", "block")
  private def index(bus: Apb3): UInt = bus.PADDR(log2Up(LANE_BUFFER_BYTES) - 1 downto 2)

  private val given = buffer()
  given.write(index(io.source), io.source.PWDATA, io.source.PSEL(0) && io.source.PENABLE && io.source.PWRITE)
  io.source.PREADY := True
  io.source.PRDATA := 0
  private val taken = buffer()
  io.sink.PREADY := True
  io.sink.PRDATA := taken.readSync(index(io.sink), io.sink.PSEL(0), clockCrossing = true)
  cardClock {
    io.sourceData := given.readSync(io.sourceIndex, clockCrossing = true)
    taken.write(io.word.index, io.word.data, io.word.valid)
  }
}
