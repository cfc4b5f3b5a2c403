// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** Part of a beat to write. `end`: the stream ends here; then there may be no byte in it. */
case class GatheredBeat(config: DmaConfig) extends Bundle {
  val data = Bits(config.busBytes * 8 bits)
  val strobe = Bits(config.busBytes bits)
  val holds = Bool() // at least one byte
  val end = Bool()
}

/** Bytes to place; `count` is less than a word only where a stream ends or has met its limit. */
case class KeptWord(width: Int) extends Bundle {
  val data = Bits(width * 8 bits)
  val count = UInt(log2Up(width + 1) bits)
  val last = Bool()
}

/** Turns words into the beats of a stream that begins at any byte: bytes are moved to their place in a part as wide as a
  * word, and parts are gathered to beats. The strobes cover exactly the stream's bytes.
  *
  * `begin` where the next stream begins: the low bits of its address; only while `busy` is low
  * `words` not in the two cycles after a stream's last
  * `beats` latency 2 cycles after the word; a word a cycle
  */
case class WordsToBeats(config: DmaConfig) extends Component {
  import config._

  val io = new Bundle {
    val begin = slave(Flow(UInt(log2Up(busBytes) bits)))
    val words = slave(Flow(KeptWord(streamBytes)))
    val beats = master(Flow(GatheredBeat(config)))
    val busy = out Bool ()
  }

  // A word's bytes to their place in a part; what exceeds it is held for the next.
  private val turn = new Area {
    val shift = Reg(UInt(log2Up(streamBytes) bits))
    val first = Reg(Bool()) // no byte of the stream has come
    val held = Reg(Bits(streamBytes * 8 bits))
    val used = Reg(UInt(log2Up(streamBytes + 1) bits)) // bytes before the word: held ones, or none of the stream's
    val flushing = RegInit(False) // the stream has ended, bytes are held

    val word = io.words.payload
    val wide = (word.data.resize(2 * streamBytes * 8) |<< (shift << 3))
    val total = used +^ word.count
    val over = total > streamBytes
    def from(start: UInt): Bits = (0 until streamBytes).map(byte => start <= byte).asBits()
    def below(end: UInt): Bits = (0 until streamBytes).map(byte => end > byte).asBits()

    val valid = RegNext(io.words.valid || flushing) init False
    val data = RegNext(flushing ? held | (wide.resize(streamBytes * 8) | held))
    val strobe = RegNext(below(flushing ? used.resize(total.getWidth) | total) & from((first && !flushing) ? shift | U(0)))
    val holds = RegNext(flushing || (first ? (word.count =/= 0) | (total =/= 0)))
    val end = RegNext(flushing || word.last && !over)

    flushing := io.words.valid && word.last && over
    when(io.words.valid) {
      held := wide.resizeLeft(streamBytes * 8)
      used := over ? (total - streamBytes).resize(used.getWidth) | U(0, used.getWidth bits)
      when(word.count =/= 0)(first := False)
    }
    when(io.begin.valid) {
      shift := io.begin.payload.resize(shift.getWidth)
      first := True
      held := 0
      used := io.begin.payload.resize(log2Up(streamBytes)).resize(used.getWidth)
    }
  }

  private val beat = GatheredBeat(config)
  if (parts == 1) {
    beat.data := turn.data
    beat.strobe := turn.strobe
    beat.holds := turn.holds
    io.beats.valid := turn.valid && (turn.holds || turn.end)
  } else {
    val index = Reg(UInt(partWidth bits))
    val data = Reg(Bits(busBytes * 8 bits))
    val strobe = Reg(Bits(busBytes bits)) init 0
    val some = RegInit(False)
    beat.data := data
    beat.strobe := strobe
    for (part <- 0 until parts) when(index === part) {
      beat.data(part * streamBytes * 8, streamBytes * 8 bits) := turn.data
      beat.strobe(part * streamBytes, streamBytes bits) := turn.strobe.andMask(turn.holds)
    }
    beat.holds := some || turn.holds
    io.beats.valid := turn.valid && (turn.end || turn.holds && index.andR)
    when(turn.valid && turn.holds) {
      data := beat.data
      strobe := beat.strobe
      some := True
      index := index + 1
    }
    when(io.beats.valid) {
      strobe := 0
      some := False
    }
    when(io.begin.valid)(index := io.begin.payload >> log2Up(streamBytes))
  }
  beat.end := turn.end
  io.beats.payload := beat
  io.busy := io.words.valid || turn.flushing || turn.valid
}
