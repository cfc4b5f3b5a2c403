// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** One read request, or the part of a burst that it would have been. */
case class ReadPiece(config: PcieConfig) extends Bundle {
  val tag = UInt(config.tagWidth bits)
  val refused = Bool() // nothing was asked: every beat is a fault
  val first = UInt(log2Up(config.beatsPerLine) bits) // beats of its first line before it
  val beats = UInt(config.pieceBeatsWidth bits) // with these
  val last = Bool() // the burst ends with it
}

/** A piece and the id whose beats it brings. */
case class ReadPieceOfId(config: PcieConfig) extends Bundle {
  val id = UInt(config.idWidth bits)
  val piece = ReadPiece(config)
}

/** Cuts AXI read bursts into memory read requests: aligned pieces of at most the host's maximum read request and
  * `requestBytes`, so none crosses 4 KiB. A piece a cycle.
  *
  * Whole lines of 64 bytes are asked for, so beats around a burst may be read as well. While `stop` is high, or no tag
  * will come, all are refused. A refused piece takes no tag and sends nothing.
  *
  * `address`   incrementing bursts of full-width beats that cross no border of `burstBytes`
  * `maximum`   the host's maximum read request: 128 << maximum bytes
  * `credit`    the link takes a read, and the block can hold its completions; waited for here, so that writes may pass
  * `request`   one line a TLP
  * `order`     pieces in the order of their bursts, each not after its request
  */
case class ReadRequester(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val address = slave(Stream(Axi4Ar(axi)))
    val maximum = in UInt (3 bits)
    val stop, exhausted, credit = in Bool ()
    val tag = slave(Stream(UInt(tagWidth bits)))
    val request = master(Stream(Fragment(RequesterRequestLine())))
    val order = master(Stream(ReadPieceOfId(config)))
    val asked = master(Flow(AskedLines(config)))
  }

  private val shift = log2Up(dma.busBytes)
  private val largest = log2Up(requestBytes)
  private val leftWidth = 9 // an AXI burst has up to 256 beats

  // Bytes of a piece: a power of two, as a mask of the address bits below it.
  private val mask = RegNext((U((1 << largest) - 1, largest bits)) &
    (U(127, largest bits) | (0 to 5).map(step => U(((1 << (7 + step)) - 1) & ((1 << largest) - 1), largest bits).andMask(io.maximum >= step)).reduce(_ | _)))

  private val burst = io.address.m2sPipe()
  // The piece at hand, and what is left of its burst with it.
  private val planned = RegInit(False)
  private val at = Reg(UInt(64 bits))
  private val id = Reg(UInt(idWidth bits))
  private val left = Reg(UInt(leftWidth bits))
  private val beats = Reg(UInt(pieceBeatsWidth bits))
  private val ends = Reg(Bool())

  private def plan(from: UInt, beatsLeft: UInt, room: UInt): Unit = {
    at := from
    left := beatsLeft
    beats := (beatsLeft < room) ? beatsLeft.resize(pieceBeatsWidth) | room
    ends := beatsLeft <= room
  }

  private val lineWidth = log2Up(linesPerTag + 1)
  private val total = if (beatsPerLine == 1) beats else beats + at(5 downto shift) // with those before it in its line
  private val lines = ((total +^ (beatsPerLine - 1)) >> log2Up(beatsPerLine)).resize(lineWidth)

  private val request = Stream(Fragment(RequesterRequestLine()))
  private val order = Stream(ReadPieceOfId(config))
  private val refuse = RegNext(io.stop || io.exhausted) init True
  private val asks = planned && !refuse && io.tag.valid && io.credit && request.ready && order.ready
  private val goes = asks || planned && refuse && order.ready
  burst.ready := !planned || goes && ends

  io.tag.ready := asks
  request.valid := asks
  request.last := True
  request.descriptor := RequestDescriptor((at >> 6) << 6, (lines << 4).resize(11), write = false, tag = io.tag.payload)
  request.firstEnables := 0xf
  request.lastEnables := 0xf
  request.sequence := 0
  request.data := 0
  request.dwords := 0
  io.asked.valid := asks
  io.asked.tag := io.tag.payload
  io.asked.lines := lines
  order.valid := goes
  order.id := id
  order.piece.tag := io.tag.payload
  order.piece.refused := refuse
  if (beatsPerLine > 1) order.piece.first := at(5 downto shift)
  order.piece.beats := total
  order.piece.last := ends
  when(burst.fire) {
    planned := True
    id := burst.id
    plan(burst.addr, (burst.len +^ 1).resize(leftWidth), (((mask - (burst.addr.resize(largest) & mask)) >> shift) +^ 1).resize(pieceBeatsWidth))
  } elsewhen (goes) {
    planned := !ends
    plan(at + (beats << shift), (left - beats).resize(leftWidth), ((mask >> shift) +^ 1).resize(pieceBeatsWidth)) // now aligned
  }
  // Both keep their own place, so that neither waits for the other's reader.
  io.request << request.s2mPipe().m2sPipe()
  io.order << order.s2mPipe().m2sPipe()
}
