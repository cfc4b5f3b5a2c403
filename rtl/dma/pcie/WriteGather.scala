// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** 64 bytes, aligned, of a write burst. */
case class WriteLine(config: PcieConfig) extends Bundle {
  val id = UInt(config.idWidth bits)
  val line = UInt(58 bits) // address / 64
  val data = Bits(Tlp.BEAT_BITS bits)
  val strobe = Bits(Tlp.BEAT_BYTES bits)
}

/** Gathers AXI write beats into lines of 64 bytes; `last` ends a burst. As fast as the bus.
  *
  * `address`, `data` incrementing bursts of full-width beats
  */
case class WriteGather(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val address = slave(Stream(Axi4Aw(axi)))
    val data = slave(Stream(Axi4W(axi)))
    val line = master(Stream(Fragment(WriteLine(config))))
  }

  private val shift = log2Up(dma.busBytes)
  private val burst = io.address.m2sPipe()
  private val beat = io.data.m2sPipe()
  private val begun = RegInit(False) // `at` holds, else the burst's own address
  private val at = Reg(UInt(64 - shift bits))
  private val place = begun ? at | (burst.addr >> shift)
  private val lane = place.resize(log2Up(beatsPerLine))

  // What earlier beats have brought of this line.
  private val data = Reg(Bits(Tlp.BEAT_BITS bits))
  private val strobe = Reg(Bits(Tlp.BEAT_BYTES bits)) init 0
  private val lineData = CombInit(data)
  private val lineStrobe = CombInit(strobe)
  for (index <- 0 until beatsPerLine) when(lane === index) {
    lineData(index * axi.dataWidth, axi.dataWidth bits) := beat.data
    lineStrobe(index * dma.busBytes, dma.busBytes bits) := beat.strb
  }
  private val full = if (beatsPerLine == 1) True else lane.andR
  private val leaves = full || beat.last

  private val line = Stream(Fragment(WriteLine(config)))
  line.valid := burst.valid && beat.valid && leaves
  line.last := beat.last
  line.id := burst.id
  line.line := (place >> log2Up(beatsPerLine)).resized
  line.data := lineData
  line.strobe := lineStrobe
  beat.ready := burst.valid && (line.ready || !leaves)
  burst.ready := beat.fire && beat.last
  when(beat.fire) {
    begun := !beat.last
    at := place + 1
    data := lineData
    strobe := leaves ? B(0, Tlp.BEAT_BYTES bits) | lineStrobe
  }
  private val cut = line.s2mPipe()
  io.line << (if (beatsPerLine == 1) cut else cut.m2sPipe()) // the beat is the line
}
