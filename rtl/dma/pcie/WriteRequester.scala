// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** A memory write whose payload is at hand. */
case class WriteHeader(config: PcieConfig) extends Bundle {
  val id = UInt(config.idWidth bits)
  val address = UInt(64 bits)
  val dwords = UInt(10 bits)
  val lines = UInt(6 bits) // of payload
  val lastDwords = UInt(5 bits) // of the last of them
  val firstEnables, lastEnables = Bits(4 bits)
  val ends = Bool() // the burst ends with it
}

/** How a burst's last TLP left: with a number to wait for, or not at all. */
case class WriteEnd(config: PcieConfig) extends Bundle {
  val id = UInt(config.idWidth bits)
  val number = UInt(6 bits)
  val sent = Bool() // the last TLP was
  val fault = Bool() // some TLP was not
}

/** Cuts write bursts into memory write TLPs that end at multiples of the host's maximum payload, so none crosses 4 KiB. A
  * TLP is offered when all of it is here, and its lines follow each other without a gap.
  *
  * Strobes of a line are a run of bytes. Only a burst's first line may begin after its start, and has a TLP of its own then;
  * only its last may be less than full at its end. A TLP that would begin while `stop` is high is dropped.
  *
  * `line`    one a cycle
  * `maximum` the host's maximum payload: 128 << maximum bytes
  * `begin`   the number that the coming end of a burst bears, from 1 to 63, just before its TLP
  * `end`     one a burst, in order
  */
case class WriteRequester(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val line = slave(Stream(Fragment(WriteLine(config))))
    val maximum = in UInt (2 bits)
    val stop = in Bool ()
    val request = master(Stream(Fragment(RequesterRequestLine())))
    val begin = master(Flow(UInt(6 bits)))
    val end = master(Stream(WriteEnd(config)))
    val idle = out Bool ()
  }

  private val bufferLines = 32
  private val boundary = RegNext(U(1, 4 bits) |<< io.maximum).resize(5) // of lines: 1 is 128 bytes
  private val payloads = StreamFifo(Bits(Tlp.BEAT_BITS bits), bufferLines)
  private val headers = StreamFifo(WriteHeader(config), bufferLines, latency = 1) // the payload is as soon there

  // A line as payload, moved to its first dword.
  case class Moved() extends Bundle {
    val line = WriteLine(config)
    val skipped = UInt(4 bits) // dwords before its first
  }
  private val found = Stream(Fragment(Moved()))
  found.arbitrationFrom(io.line)
  found.last := io.line.last
  found.line := io.line.fragment
  found.skipped := OHToUInt(OHMasking.firstV2(io.line.strobe.subdivideIn(4 bits).map(_.orR).asBits()))
  private val begun = found.m2sPipe()
  private val moved = Stream(Fragment(Moved()))
  moved.arbitrationFrom(begun)
  moved.last := begun.last
  moved.skipped := begun.skipped
  moved.line.id := begun.line.id
  moved.line.line := begun.line.line
  moved.line.data := begun.line.data |>> (begun.skipped << 5)
  moved.line.strobe := begun.line.strobe |>> (begun.skipped << 2)
  private val aligned = moved.m2sPipe()

  // Its end found.
  case class Measured() extends Bundle {
    val id = UInt(idWidth bits)
    val address = UInt(64 bits)
    val data = Bits(Tlp.BEAT_BITS bits)
    val dwords = UInt(5 bits)
    val startEnables, endEnables = Bits(4 bits)
    val closes = Bool() // the TLP ends with it, the burst goes on or not
  }
  private val enables = aligned.line.strobe.subdivideIn(4 bits)
  private val used = enables.map(_.orR) // a run from the first dword
  private val lastUsed = used.zip(used.tail :+ False).map { case (here, next) => here && !next }
  private val mask = ((boundary |<< 1) - 1).resize(4)
  private val measured = Stream(Fragment(Measured()))
  measured.arbitrationFrom(aligned)
  measured.last := aligned.last
  measured.id := aligned.line.id
  measured.address := aligned.line.line @@ aligned.skipped @@ U(0, 2 bits)
  measured.data := aligned.line.data
  measured.dwords := PriorityMux(used.reverse.zipWithIndex.map { case (dword, skipped) => dword -> U(16 - skipped, 5 bits) } :+ (True -> U(1, 5 bits)))
  measured.startEnables := enables(0)
  measured.endEnables := lastUsed.zip(enables).map { case (here, nibble) => nibble.andMask(here) }.reduce(_ | _)
  measured.closes := aligned.last || aligned.skipped =/= 0 || (aligned.line.line.resize(4) & mask) === mask

  // TLPs.
  private val piece = measured.m2sPipe()
  private val open = RegInit(False)
  private val start = Reg(UInt(64 bits))
  private val startEnables = Reg(Bits(4 bits))
  private val before = Reg(UInt(10 bits)) // dwords of its earlier lines
  private val address = open ? start | piece.address
  private val dwords = (open ? before | U(0)) + piece.dwords
  private val closes = piece.closes
  piece.ready := payloads.io.push.ready && headers.io.push.ready
  payloads.io.push.valid := piece.fire
  payloads.io.push.payload := piece.data
  headers.io.push.valid := piece.fire && closes
  headers.io.push.id := piece.id
  headers.io.push.address := address
  headers.io.push.dwords := dwords
  headers.io.push.lines := ((dwords + 15) >> 4).resize(6)
  headers.io.push.lastDwords := piece.dwords
  headers.io.push.firstEnables := open ? startEnables | piece.startEnables
  headers.io.push.lastEnables := (dwords === 1) ? B"0000" | piece.endEnables
  headers.io.push.ends := piece.last
  when(piece.fire) {
    open := !closes
    start := address
    startEnables := headers.io.push.firstEnables
    before := dwords
  }

  // Line by line to the block.
  private val header = headers.io.pop.s2mPipe().m2sPipe()
  private val payload = payloads.io.pop
  private val index = Reg(UInt(6 bits)) init 0
  private val following = Reg(UInt(6 bits)) init 1 // index + 1
  private val isLast = following === header.lines
  private val isFirst = index === 0
  private val number = Reg(UInt(6 bits)) init 1
  private val stopped = RegInit(False) // this TLP is dropped
  private val faulted = RegInit(False) // an earlier one of its burst was
  private val dropped = isFirst ? io.stop | stopped

  private val request = Stream(Fragment(RequesterRequestLine()))
  private val hasEnd = !isFirst || io.end.ready // room for its end: there is still some at its last line
  private val offered = header.valid && payload.valid && hasEnd
  request.valid := offered && !dropped
  private val moves = offered && (dropped || request.ready)
  request.last := isLast
  request.descriptor := RequestDescriptor(header.address, header.dwords, write = true, tag = U(0, 8 bits))
  request.firstEnables := header.firstEnables
  request.lastEnables := header.lastEnables
  request.sequence := header.ends ? number | U(0)
  request.data := payload.payload
  request.dwords := isLast ? header.lastDwords | U(Tlp.BEAT_DWORDS)
  payload.ready := moves
  header.ready := moves && isLast
  when(moves) {
    index := isLast ? U(0) | following
    following := isLast ? U(1) | following + 1
    stopped := dropped
    when(isLast)(faulted := !header.ends && (faulted || dropped))
  }

  io.begin.valid := moves && isFirst && header.ends
  io.begin.payload := number
  io.end.valid := moves && isLast && header.ends
  io.end.id := header.id
  io.end.number := number
  io.end.sent := !dropped
  io.end.fault := faulted || dropped
  when(io.end.fire)(number := (number === 63) ? U(1) | number + 1)
  io.request << request.s2mPipe().m2sPipe()
  io.idle := RegNext(!io.line.valid && !begun.valid && !aligned.valid && !piece.valid && !open && !header.valid && headers.io.occupancy === 0 && !headers.io.pop.valid) init True
}
