// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.compressor.FirstSet

/** Where a stream of Huffman codes lies in the frame, and how many literals it holds. */
case class LiteralStream(bufferBytes: Int) extends Bundle {
  val begin, end = UInt(log2Up(bufferBytes) + 1 bits) // its first byte; the byte behind its last
  val count = UInt(log2Up(bufferBytes) bits)
}

/** Decodes one stream of literals, one a cycle, into halves of rows.
  *
  * `start` begins, with a stream of at least one byte; `busy` falls when the last literal is written, and `good` says then whether the
  * stream held just these literals. A stream that does not is still decoded to their number: its bits come from below it.
  */
class LiteralLane(bufferBytes: Int) extends Component {
  private val literalsAHalf = 8
  val io = new Bundle {
    val start = slave(Flow(LiteralStream(bufferBytes)))
    val request = master(Stream(UInt(log2Up(bufferBytes) - 3 bits)))
    val response = slave(Flow(Bits(64 bits)))
    val half = master(Stream(HalfRow(bufferBytes))) // from row 0 on
    val busy = out Bool ()
    val good = out Bool ()
  }
  private val bits = new BackwardBits(LiteralCodes.longest, bufferBytes)
  io.request << bits.io.request
  bits.io.response << io.response
  bits.io.open.valid := io.start.valid
  bits.io.open.payload := io.start.end

  private val running, opening = RegInit(False)
  private val endless = Reg(Bool()) // the last byte has no end mark
  private val begin = Reg(cloneOf(io.start.begin))
  private val left = Reg(cloneOf(io.start.count))
  private val window = bits.io.window

  /** The end mark is the highest bit of the last byte that is set. */
  private val lastByte = window(LiteralCodes.longest - 1 downto LiteralCodes.longest - 8)
  private val opens = opening && bits.io.valid
  private val code = Stream(Fragment(Bits(LiteralCodes.longest bits)))
  code.valid := running && !opening && bits.io.valid && left =/= 0
  code.fragment := window
  code.last := left === 1
  bits.io.take.valid := opens || code.fire
  bits.io.take.payload := opening ? (FirstSet.index(lastByte.reversed).resize(4) + 1) | LiteralCodes.length(window)
  when(opens) {
    opening := False
    endless := lastByte === 0
  }
  when(code.fire)(left := left - 1)

  // The byte comes out of a block memory, a cycle later.
  private val decoded = code.m2sPipe()
  private val byte = RegNextWhen(LiteralCodes.byte(window), code.ready)
  private val place = Reg(UInt(log2Up(literalsAHalf) bits))
  private val row = Reg(cloneOf(io.half.row))
  private val gathered = Vec.fill(literalsAHalf)(Reg(Bits(8 bits)))
  private val completes = decoded.last || place === literalsAHalf - 1
  private val full = RegInit(False)
  private val half = Reg(HalfRow(bufferBytes))
  decoded.ready := !completes || !full || io.half.ready
  when(io.half.fire)(full := False)
  when(decoded.fire) {
    gathered(place) := byte
    place := place + 1
    when(completes) {
      full := True
      half.row := row
      half.data := Vec(gathered.zipWithIndex.map { case (before, i) => Mux(place === i, byte, before) }).asBits
      row := row + 1
    }
  }
  io.half.valid := full
  io.half.payload := half

  private val done = running && !opening && left === 0 && !decoded.valid && !full
  bits.io.close := done
  when(done)(running := False)
  io.good := RegNextWhen(!endless && bits.io.at === (begin << 3).resized, done)
  when(io.start.valid) {
    running := True
    opening := True
    begin := io.start.begin
    left := io.start.count
    place := 0
    row := 0
  }
  io.busy := running || !bits.io.idle
}
