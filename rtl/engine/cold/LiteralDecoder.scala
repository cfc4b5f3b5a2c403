// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._

/** Coded literals: one stream, or four. */
case class LiteralStreams(bufferBytes: Int) extends Bundle {
  val four = Bool()
  val count = UInt(log2Up(bufferBytes) bits) // literals
  val bounds = Vec(UInt(log2Up(bufferBytes) + 1 bits), 5) // where streams begin, and the byte behind the last; of one stream the first and last
}

/** Decodes a page's literals, up to four a cycle, each stream from the beginning of a region of its own on: quarters of a page.
  *
  * `start` begins, with streams that are not empty; `busy` falls when all literals are written, and `good` says then whether each
  * stream held its literals and nothing more.
  */
class LiteralDecoder(pageBytes: Int, bufferBytes: Int) extends Component {
  val io = new Bundle {
    val write = slave(Flow(StoredRow(bufferBytes)))
    val start = slave(Flow(LiteralStreams(bufferBytes)))
    val half = master(Flow(HalfRow(bufferBytes)))
    val busy = out Bool ()
    val good = out Bool ()
  }
  private val memory = new StreamMemory(bufferBytes)
  private val lanes = Seq.fill(LiteralDecoder.streams)(new LiteralLane(bufferBytes))
  memory.io.write << io.write

  private val quarter = LiteralDecoder.quarter(io.start.count)
  private val lastQuarter = io.start.count - quarter - (quarter << 1)
  private val used = Vec.fill(lanes.size)(Reg(Bool()))
  for ((lane, index) <- lanes.zipWithIndex) {
    val first = index == 0
    val last = index == lanes.size - 1
    lane.io.start.valid := io.start.valid && (if (first) True else io.start.four)
    lane.io.start.begin := io.start.bounds(index)
    lane.io.start.end := (if (first) io.start.four ? io.start.bounds(1) | io.start.bounds.last else io.start.bounds(index + 1))
    lane.io.start.count := (if (first) io.start.four ? quarter | io.start.count else if (last) lastQuarter.resized else quarter)
    when(io.start.valid)(used(index) := lane.io.start.valid)
  }

  // The lanes take turns at the memory, and at the literals'.
  private val requests = StreamArbiterFactory().roundRobin.noLock.build(UInt(log2Up(bufferBytes) - 3 bits), lanes.size)
  for ((input, lane) <- requests.io.inputs.zip(lanes)) input << lane.io.request
  memory.io.request << requests.io.output.toFlow
  private val asker = RegNext(requests.io.chosen)
  for ((lane, index) <- lanes.zipWithIndex) {
    lane.io.response.valid := memory.io.response.valid && asker === index
    lane.io.response.payload := memory.io.response.payload
  }
  private val halves = StreamArbiterFactory().roundRobin.noLock.build(HalfRow(bufferBytes), lanes.size)
  for (((input, lane), index) <- halves.io.inputs.zip(lanes).zipWithIndex) {
    input.arbitrationFrom(lane.io.half)
    input.data := lane.io.half.data
    input.row := lane.io.half.row + index * (pageBytes / lanes.size / 8)
  }
  io.half << halves.io.output.toFlow

  io.busy := lanes.map(_.io.busy).orR
  io.good := lanes.zip(used).map { case (lane, used) => lane.io.good || !used }.andR
}

object LiteralDecoder {
  val streams = 4

  /** Literals of each of four streams but the last. */
  def quarter(count: UInt): UInt = ((count +^ (streams - 1)) >> 2).resized
}
