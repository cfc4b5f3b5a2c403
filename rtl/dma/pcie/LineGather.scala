// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** A beat of the block's 128-bit interface. */
case class NarrowBeat() extends Bundle {
  val data = Bits(128 bits)
  val starts = Bool() // a TLP does
  val discontinue = Bool()
  val firstEnables, lastEnables = Bits(4 bits) // if it starts
}

/** Up to four beats of one TLP, put together; what is behind its end is undefined. */
case class GatheredLine() extends Bundle {
  val data = Bits(Tlp.BEAT_BITS bits)
  val head = NarrowBeat()
  val discontinue = Bool() // of any beat
}

/** Puts the beats of a TLP together, four by four. Latency 1 cycle, a beat a cycle.
  *
  * A beat that starts a TLP always begins a line: after a reset amid a TLP the rest of it makes lines that start none.
  */
case class LineGather() extends Component {
  val io = new Bundle {
    val beat = slave(Stream(Fragment(NarrowBeat())))
    val line = master(Stream(Fragment(GatheredLine())))
  }

  private val earlier = Vec.fill(3)(Reg(NarrowBeat()))
  private val filled = RegInit(U(0, 2 bits))
  private val place = io.beat.starts ? U(0, 2 bits) | filled
  private val isWhole = io.beat.last || place === 3
  when(io.beat.fire) {
    filled := isWhole ? U(0, 2 bits) | place + 1
    for ((beat, index) <- earlier.zipWithIndex) when(place === index)(beat := io.beat.fragment)
  }

  private val line = Stream(Fragment(GatheredLine()))
  line.valid := io.beat.valid && isWhole
  io.beat.ready := line.ready || !isWhole
  line.last := io.beat.last
  line.head := (place === 0) ? io.beat.fragment | earlier(0)
  line.discontinue := io.beat.discontinue || earlier.zipWithIndex.map { case (beat, index) => beat.discontinue && place > index }.orR
  line.data := io.beat.data ## earlier.zipWithIndex.map { case (beat, index) => (place === index) ? io.beat.data | beat.data }.asBits()
  io.line << line.m2sPipe()
}
