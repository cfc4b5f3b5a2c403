// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** How one transfer was written, known once every byte is in memory. */
case class WriteResult() extends Bundle {
  val fault = Bool() // the bus refused part of it
  val overrun = Bool() // the source held more than the transfer's length; the surplus was dropped
}

/** Writes byte streams to memory: exactly the bytes of the stream, from `address` on, never one at or past
  * `address + length`.
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

  private val shift = log2Up(busBytes)
  private val maximumOpen = 4 // jobs begun whose result is not taken: bounds what must be remembered

  /** Beats at hand that make one burst; `beats` 0 is a stream's end without one. */
  case class Piece() extends Bundle {
    val address = UInt(64 bits)
    val beats = UInt(beatsWidth bits)
    val end = Bool()
    val overrun = Bool()
  }

  case class Beat() extends Bundle {
    val data = Bits(busBytes * 8 bits)
    val strobe = Bits(busBytes bits)
  }

  /** What a burst's response means for its stream. */
  case class Ending() extends Bundle {
    val end = Bool()
    val overrun = Bool()
  }

  val beats = StreamFifo(Beat(), (2 * burstBeats) max 32)
  val pieces = StreamFifo(Piece(), 16, latency = 1)
  val open = Reg(UInt(log2Up(maximumOpen + 1) bits)) init 0
  open := open + U(io.job.fire) - U(io.result.fire)

  // Intake: keep what the limit allows, move it to its place in a beat, cut into bursts. Whatever is taken passes at once,
  // so there must be room for what is on its way besides: a word that `roomy` has not seen yet and four before it, or the
  // beat that ends a stream.
  val intake = new Area {
    val active = RegInit(False)
    val roomy = RegNext(beats.io.availability >= 6 && pieces.io.availability >= 6) init False
    val left = Reg(UInt(lengthWidth bits)) // bytes the limit still allows
    val overrun = Reg(Bool())
    val place = WordsToBeats(config)

    io.job.ready := !active && !place.io.busy && open =/= maximumOpen
    io.source.ready := active && roomy
    val over = io.source.count > left
    val count = over ? left.resize(io.source.count.getWidth) | io.source.count
    when(io.source.fire) {
      left := over ? U(0) | (left - io.source.count)
      overrun := overrun || over
      when(io.source.last)(active := False)
    }
    place.io.words.valid := RegNext(io.source.fire) init False
    place.io.words.data := RegNext(io.source.data)
    place.io.words.count := RegNext(count)
    place.io.words.last := RegNext(io.source.last)

    val address = Reg(UInt(64 bits)) // of the burst being gathered
    val room = Reg(UInt(beatsWidth bits)) // beats it can still take
    val gathered = Reg(UInt(beatsWidth bits)) // beats it has
    val beat = place.io.beats
    val keep = beat.valid && beat.holds
    val total = gathered + U(keep)
    val full = keep && room === 1
    beats.io.push.valid := keep
    beats.io.push.data := beat.data
    beats.io.push.strobe := beat.strobe
    pieces.io.push.valid := full || beat.valid && beat.end
    pieces.io.push.address := address
    pieces.io.push.beats := total
    pieces.io.push.end := beat.end
    pieces.io.push.overrun := overrun
    when(keep) {
      gathered := total
      room := room - 1
      when(full) {
        address := ((address >> log2Up(burstBytes)) + 1) << log2Up(burstBytes)
        room := burstBeats
        gathered := 0
      }
    }

    place.io.begin.valid := io.job.fire
    place.io.begin.payload := io.job.address.resized
    when(io.job.fire) {
      active := True
      left := io.job.length
      overrun := False
      address := (io.job.address >> shift) << shift
      room := U(burstBeats, beatsWidth bits) - io.job.address(log2Up(burstBytes) - 1 downto shift).resize(beatsWidth)
      gathered := 0
    }
  }

  // Outlet: a request a burst, while the beats of the burst before may still be going.
  val outlet = new Area {
    val granted = StreamFifo(UInt(beatsWidth bits), 2, latency = 1) // beats of bursts to send
    val sent = Reg(UInt(beatsWidth bits)) init 0 // of the first of them
    val beat = beats.io.pop.m2sPipe() // block memory answers late in its cycle
    val endings = StreamFifo(Ending(), 16, latency = 1)
    val piece = pieces.io.pop
    val empty = piece.beats === 0
    // A stream's end without a burst of its own is answered when the bursts before it are.
    val emptyEnd = piece.valid && empty && !endings.io.pop.valid

    io.port.request.valid := piece.valid && !empty && granted.io.push.ready && endings.io.push.ready
    io.port.request.address := piece.address
    io.port.request.beats := piece.beats
    granted.io.push.valid := io.port.request.fire
    granted.io.push.payload := piece.beats
    endings.io.push.valid := io.port.request.fire
    endings.io.push.end := piece.end
    endings.io.push.overrun := piece.overrun
    piece.ready := io.port.request.fire || emptyEnd

    io.port.data.valid := granted.io.pop.valid && beat.valid
    io.port.data.data := beat.data
    io.port.data.strobe := beat.strobe
    io.port.data.last := sent + 1 === granted.io.pop.payload
    beat.ready := granted.io.pop.valid && io.port.data.ready
    granted.io.pop.ready := io.port.data.fire && io.port.data.last
    when(io.port.data.fire)(sent := io.port.data.last ? U(0) | sent + 1)
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
