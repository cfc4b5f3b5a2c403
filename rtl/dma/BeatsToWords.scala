// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** Where a transfer's words lie in its beats. */
case class WordLayout(config: DmaConfig) extends Bundle {
  import config._
  val firstPart, lastPart = UInt(partWidth bits) // of its first and its last beat, in words
  val shift = UInt(log2Up(streamBytes) bits) // bytes before the transfer in its first part
  val absorbed = Bool() // the last word begins in the part before the last
  val lastCount = UInt(log2Up(streamBytes + 1) bits) // bytes of the last word

  def of(transfer: Transfer): this.type = {
    val offset = transfer.address.resize(log2Up(busBytes))
    val lastOffset = (offset +^ (transfer.length - 1)).resize(log2Up(busBytes))
    val lastBytes = (transfer.length - 1).resize(log2Up(streamBytes)) // less one
    if (parts > 1) {
      firstPart := offset >> log2Up(streamBytes)
      lastPart := lastOffset >> log2Up(streamBytes)
    }
    shift := offset.resized
    absorbed := (shift +^ lastBytes) >= streamBytes
    lastCount := lastBytes +^ 1
    this
  }
}

/** Turns the beats of a transfer, which may begin and end at any byte, into its words: each beat is cut into parts as wide
  * as a word, and the bytes of two parts make a word.
  *
  * `layout` one a transfer, not after its beats
  * `beats`  all that the transfer touches; `fault` sticks to the transfer's end
  * Latency 2 cycles; a part a cycle, one cycle more for a transfer that begins within a part.
  */
case class BeatsToWords(config: DmaConfig) extends Component {
  import config._

  val io = new Bundle {
    val layout = slave(Stream(WordLayout(config)))
    val beats = slave(Stream(Fragment(ReadBeat(config))))
    val words = master(DataStream(streamBytes))
  }

  /** A part of a beat. */
  case class Part() extends Bundle {
    val data = Bits(streamBytes * 8 bits)
    val fault = Bool()
    val layout = WordLayout(config)
  }

  private val cut = new Area {
    val out = Stream(Fragment(Part()))
    out.valid := io.beats.valid && io.layout.valid
    out.fault := io.beats.fault
    out.layout := io.layout.payload
    if (parts == 1) {
      out.last := io.beats.last
      out.data := io.beats.data
      io.beats.ready := out.fire
    } else {
      val begun = RegInit(False)
      val following = Reg(UInt(partWidth bits))
      val index = begun ? following | io.layout.firstPart
      out.last := io.beats.last && index === io.layout.lastPart
      out.data := io.beats.data.subdivideIn(streamBytes * 8 bits)(index)
      io.beats.ready := out.fire && (out.last || index.andR)
      when(out.fire) {
        begun := !out.last
        following := index + 1
      }
    }
    io.layout.ready := out.fire && out.last
  }

  private val part = cut.out.m2sPipe()
  private val held = RegNextWhen(part.payload, part.fire)
  private val holds = RegInit(False) // a part waits for the next one's bytes
  private val alone = RegInit(False) // no next one: what it holds is the last word
  private val straight = part.layout.shift === 0

  private val word = Stream(Fragment(DataWord(streamBytes)))
  word.valid := alone || part.valid && (straight || holds)
  part.ready := !alone && (word.ready || !straight && !holds)
  private val turned = ((part.data ## held.data) >> (held.layout.shift << 3)).resize(streamBytes * 8)
  word.data := (straight && !alone) ? part.data | turned
  word.fault := alone ? held.fault | part.fault
  word.last := alone || part.last && (straight || part.layout.absorbed)
  word.count := word.last ? (alone ? held.layout.lastCount | part.layout.lastCount) | U(streamBytes)
  when(word.fire && alone)(alone := False)
  when(part.fire) {
    holds := !straight && !part.last
    alone := part.last && !straight && !part.layout.absorbed
  }
  io.words << word.s2mPipe().m2sPipe()
}
