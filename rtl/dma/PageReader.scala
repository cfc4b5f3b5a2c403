// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** Reads transfers from memory, in order, several bursts ahead of the consumer. Whole beats are read, so up to busBytes - 1
  * bytes before and behind a transfer.
  *
  * `job`    what to read; the next one's bursts start before the former one's data is consumed
  * `sink`   its bytes; a faulted beat reads as zeros and sets `fault` from there to the end of the transfer
  * `idle`   nothing asked for, nothing buffered
  * Latency: request 3 cycles after the job, sink 4 cycles after the beat. One beat or one word a cycle. Handshakes stop at
  * registers on every side, so none of them reaches through.
  */
case class PageReader(config: DmaConfig, lengthWidth: Int) extends Component {
  import config._

  val io = new Bundle {
    val job = slave(Stream(Transfer(lengthWidth)))
    val port = master(ReadPort(config))
    val sink = master(DataStream(streamBytes))
    val idle = out Bool ()
  }

  private val shift = log2Up(busBytes)
  private val totalWidth = lengthWidth - shift + 2 // beats of a transfer
  private val bufferBeats = bufferBytes / busBytes

  private val Seq(issueJob, totalJob, layoutJob) = StreamFork(io.job, 3).toSeq

  private def beatsOf(transfer: Transfer): UInt =
    ((transfer.length +^ (transfer.address.resize(shift) +^ U(busBytes - 1, shift bits))) >> shift).resize(totalWidth)

  // Requests: plan one burst, wait until the buffer has room for any burst, ask. The room is a cycle old: it only grows
  // from one burst's request to the next one's plan.
  val issue = new Area {
    val active = RegInit(False)
    val planned = RegInit(False)
    val address = Reg(UInt(64 bits))
    val left = Reg(UInt(totalWidth bits))
    val beats = Reg(UInt(beatsWidth bits))
    val free = Reg(UInt(log2Up(bufferBeats + 1) bits)) init bufferBeats
    val roomy = RegNext(free >= burstBeats) init False
    val consumed = Bool()

    val toBorder = U(burstBeats, beatsWidth bits) - address(log2Up(burstBytes) - 1 downto shift).resize(beatsWidth)
    issueJob.ready := !active
    when(issueJob.fire) {
      active := True
      address := (issueJob.address >> shift) << shift
      left := beatsOf(issueJob.payload)
    }
    when(active && !planned) {
      planned := True
      beats := Mux(left < toBorder, left.resize(beatsWidth), toBorder)
    }
    io.port.request.valid := planned && roomy
    io.port.request.address := address
    io.port.request.beats := beats
    when(io.port.request.fire) {
      planned := False
      address := address + (beats << shift)
      left := left - beats
      active := left =/= beats
    }
    free := free - Mux(io.port.request.fire, beats, U(0, beatsWidth bits)) + U(consumed)
  }

  // Data: count the beats of each transfer, mark its last, remember faults.
  val arrival = new Area {
    val totals = StreamFifo(UInt(totalWidth bits), 4, latency = 1)
    totals.io.push << totalJob.map(beatsOf)

    val beats = Reg(UInt(totalWidth bits)) init 1 // with the next one
    val faulted = RegInit(False)
    val last = beats === totals.io.pop.payload
    val fault = faulted || io.port.data.fault

    val buffer = StreamFifo(Fragment(ReadBeat(config)), bufferBeats)
    buffer.io.push.valid := io.port.data.valid
    buffer.io.push.data := io.port.data.fault ? B(0, busBytes * 8 bits) | io.port.data.data
    buffer.io.push.fault := fault
    buffer.io.push.last := last
    totals.io.pop.ready := io.port.data.valid && last
    when(io.port.data.valid) {
      beats := last ? U(1) | beats + 1
      faulted := !last && fault
    }
  }

  // Beats to words; a beat's room is free again when its last word has left.
  val words = BeatsToWords(config)
  words.io.layout << layoutJob.map(WordLayout(config).of(_)).queueLowLatency(8, latency = 1)
  words.io.beats << arrival.buffer.io.pop.s2mPipe()
  issue.consumed := RegNext(words.io.beats.fire) init False
  io.sink << words.io.words

  private val open = Reg(UInt(4 bits)) init 0 // transfers begun and not ended
  open := open + U(io.job.fire) - U(io.sink.fire && io.sink.last)
  io.idle := open === 0
}
