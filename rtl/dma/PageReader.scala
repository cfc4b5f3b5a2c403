// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** Reads transfers from memory, in order, several bursts ahead of the consumer.
  *
  * `job`    what to read; the next one's bursts start before the former one's data is consumed
  * `sink`   its bytes; a faulted beat reads as zeros and sets `fault` from there to the end of the transfer
  * `idle`   nothing asked for, nothing buffered
  * Latency: request 3 cycles after the job, sink 3 cycles after the beat. One beat a cycle. Handshakes stop at registers
  * on every side, so none of them reaches through.
  */
case class PageReader(config: DmaConfig, lengthWidth: Int) extends Component {
  import config._

  val io = new Bundle {
    val job = slave(Stream(Transfer(lengthWidth)))
    val port = master(ReadPort(config))
    val sink = master(DataStream(streamBytes))
    val idle = out Bool ()
  }

  private val shift = log2Up(streamBytes)
  private val wordsWidth = lengthWidth - shift + 1
  private val bufferWords = bufferBytes / streamBytes

  /** What the data side must know of a transfer. */
  case class Shape() extends Bundle {
    val words = UInt(wordsWidth bits)
    val lastCount = UInt(log2Up(streamBytes + 1) bits)
  }

  private val (issueJob, shapeJob) = StreamFork2(io.job)

  private def wordsOf(length: UInt): UInt = ((length.resize(lengthWidth + 1) + (streamBytes - 1)) >> shift).resize(wordsWidth)

  // Requests: plan one burst, wait until the buffer has room for any burst, ask. The room is a cycle old: it only grows
  // from one burst's request to the next one's plan.
  val issue = new Area {
    val active = RegInit(False)
    val planned = RegInit(False)
    val address = Reg(UInt(64 bits))
    val left = Reg(UInt(wordsWidth bits))
    val beats = Reg(UInt(beatsWidth bits))
    val free = Reg(UInt(log2Up(bufferWords + 1) bits)) init bufferWords
    val roomy = RegNext(free >= burstBeats) init False
    val untouched = RegNext(free === bufferWords) init True
    val consumed = Bool()

    val toBorder = U(burstBeats, beatsWidth bits) - address(log2Up(burstBytes) - 1 downto shift).resize(beatsWidth)
    issueJob.ready := !active
    when(issueJob.fire) {
      active := True
      address := issueJob.address
      left := wordsOf(issueJob.length)
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
    val shapes = StreamFifo(Shape(), 4, latency = 1)
    shapes.io.push.arbitrationFrom(shapeJob)
    shapes.io.push.words := wordsOf(shapeJob.length)
    val tail = shapeJob.length(shift - 1 downto 0)
    shapes.io.push.lastCount := Mux(tail === 0, U(streamBytes), tail.resize(log2Up(streamBytes + 1)))

    val words = Reg(UInt(wordsWidth bits)) init 0
    val faulted = RegInit(False)
    val last = words + 1 === shapes.io.pop.words
    val fault = faulted || io.port.data.fault

    val buffer = StreamFifo(Fragment(DataWord(streamBytes)), bufferWords)
    buffer.io.push.valid := io.port.data.valid
    buffer.io.push.data := io.port.data.fault ? B(0, streamBytes * 8 bits) | io.port.data.data
    buffer.io.push.count := Mux(last, shapes.io.pop.lastCount, U(streamBytes))
    buffer.io.push.fault := fault
    buffer.io.push.last := last
    shapes.io.pop.ready := io.port.data.valid && last
    when(io.port.data.valid) {
      words := last ? U(0) | words + 1
      faulted := !last && fault
    }
    // Behind the block memory a register, as it answers late in its cycle; the buffer's room counts from the consumer.
    io.sink << buffer.io.pop.s2mPipe().m2sPipe()
    issue.consumed := RegNext(io.sink.fire) init False
  }

  // `untouched` is a cycle late, but while beats are to come there is a shape, and when the last has come it is low.
  io.idle := !issue.active && !arrival.shapes.io.pop.valid && issue.untouched
}
