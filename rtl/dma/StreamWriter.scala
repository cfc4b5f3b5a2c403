// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** How one transfer was written, known once every byte is in memory. */
case class WriteResult() extends Bundle {
  val fault = Bool() // the bus refused part of it
  val overrun = Bool() // the source held more than the transfer's length; the surplus was dropped
}

/** Writes byte streams to memory: exactly the bytes of the stream, never one at or past `address + length`.
  *
  * `job`    where to and at most how much; one a stream
  * `source` the bytes; a burst leaves only when all of it is here, so a slow source never holds the bus
  * `result` one a job, after the last write response
  * `idle`   no job open
  */
case class StreamWriter(config: DmaConfig, lengthWidth: Int) extends Component {
  import config._

  val io = new Bundle {
    val job = slave(Stream(Transfer(lengthWidth)))
    val source = slave(DataStream(streamBytes))
    val port = master(WritePort(config))
    val result = master(Stream(WriteResult()))
    val idle = out Bool ()
  }

  private val shift = log2Up(streamBytes)
  private val maximumOpen = 4 // jobs begun whose result is not taken: bounds what must be remembered

  /** Words at hand that make one burst; `beats` 0 is a stream's end without a word. */
  case class Piece() extends Bundle {
    val address = UInt(64 bits)
    val beats = UInt(beatsWidth bits)
    val end = Bool()
    val overrun = Bool()
  }

  case class Word() extends Bundle {
    val data = Bits(streamBytes * 8 bits)
    val strobe = Bits(streamBytes bits)
  }

  /** What a burst's response means for its stream. */
  case class Ending() extends Bundle {
    val end = Bool()
    val overrun = Bool()
  }

  val words = StreamFifo(Word(), (2 * burstBeats) max 16)
  val pieces = StreamFifo(Piece(), 8, latency = 1)
  val open = Reg(UInt(log2Up(maximumOpen + 1) bits)) init 0
  open := open + U(io.job.fire) - U(io.result.fire)

  // Intake: mask what exceeds the limit, then cut into bursts; a cycle each. Whatever is taken passes at once, so there must
  // be room for what is on its way besides: one word behind the mask, one that `roomy` has not seen yet.
  val intake = new Area {
    val active = RegInit(False)
    val roomy = RegNext(words.io.availability >= 3 && pieces.io.availability >= 3) init False
    val left = Reg(UInt(lengthWidth bits)) // bytes the limit still allows
    val overrun = Reg(Bool())

    io.job.ready := !active && open =/= maximumOpen
    io.source.ready := active && roomy
    val over = io.source.count > left
    val count = over ? left.resize(io.source.count.getWidth) | io.source.count
    when(io.source.fire) {
      left := over ? U(0) | (left - io.source.count)
      overrun := overrun || over
      when(io.source.last)(active := False)
    }

    val taken = RegNext(io.source.fire) init False
    val data = RegNext(io.source.data)
    val kept = RegNext(count)
    val last = RegNext(io.source.last)

    val address = Reg(UInt(64 bits)) // of the burst being gathered
    val room = Reg(UInt(beatsWidth bits)) // words it can still take
    val beats = Reg(UInt(beatsWidth bits)) // words it has
    val keep = kept =/= 0
    val gathered = beats + U(keep)
    val full = keep && room === 1
    words.io.push.valid := taken && keep
    words.io.push.data := data
    words.io.push.strobe := (0 until streamBytes).map(byte => kept > byte).asBits()
    pieces.io.push.valid := taken && (full || last)
    pieces.io.push.address := address
    pieces.io.push.beats := gathered
    pieces.io.push.end := last
    pieces.io.push.overrun := overrun // up to this very word
    when(taken) {
      beats := gathered
      when(keep)(room := room - 1)
      when(full) {
        address := ((address >> log2Up(burstBytes)) + 1) << log2Up(burstBytes)
        room := burstBeats
        beats := 0
      }
    }

    // May come while the last word of the stream before is being gathered.
    when(io.job.fire) {
      active := True
      left := io.job.length
      overrun := False
      address := io.job.address
      room := U(burstBeats, beatsWidth bits) - io.job.address(log2Up(burstBytes) - 1 downto shift).resize(beatsWidth)
      beats := 0
    }
  }

  // Outlet: one request a burst, then its beats.
  val outlet = new Area {
    val left = Reg(UInt(beatsWidth bits)) init 0 // beats still to send
    val sending = RegInit(False) // left is not 0
    val word = words.io.pop.m2sPipe() // block memory answers late in its cycle
    val endings = StreamFifo(Ending(), 16, latency = 1)
    val piece = pieces.io.pop
    val empty = piece.beats === 0
    // A stream's end without a burst of its own is answered when the bursts before it are.
    val emptyEnd = piece.valid && empty && !endings.io.pop.valid && !sending

    io.port.request.valid := piece.valid && !empty && !sending && endings.io.push.ready
    io.port.request.address := piece.address
    io.port.request.beats := piece.beats
    endings.io.push.valid := io.port.request.fire
    endings.io.push.end := piece.end
    endings.io.push.overrun := piece.overrun
    piece.ready := io.port.request.fire || emptyEnd

    io.port.data.valid := sending && word.valid
    io.port.data.data := word.data
    io.port.data.strobe := word.strobe
    io.port.data.last := left === 1
    word.ready := sending && io.port.data.ready
    when(io.port.data.fire) {
      left := left - 1
      when(io.port.data.last)(sending := False)
    }
    when(io.port.request.fire) {
      left := piece.beats
      sending := True
    }
  }

  // Responses: gather a transfer's faults; `open` bounds the results, so the buffer below never refuses one.
  val response = new Area {
    val faulted = RegInit(False)
    val results = StreamFifo(WriteResult(), maximumOpen, latency = 1)
    val ending = outlet.endings.io.pop
    val fault = faulted || (io.port.response.valid && io.port.response.payload)
    ending.ready := io.port.response.valid
    results.io.push.valid := (io.port.response.valid && ending.end) || outlet.emptyEnd
    results.io.push.fault := fault
    results.io.push.overrun := Mux(outlet.emptyEnd, outlet.piece.overrun, ending.overrun)
    when(io.port.response.valid)(faulted := fault && !ending.end)
    when(outlet.emptyEnd)(faulted := False)
    io.result << results.io.pop
  }

  io.idle := open === 0
}
