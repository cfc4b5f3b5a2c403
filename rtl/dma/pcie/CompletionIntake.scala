// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** A read request as its completions are placed. */
case class AskedLines(config: PcieConfig) extends Bundle {
  val tag = UInt(config.tagWidth bits)
  val lines = UInt(log2Up(config.linesPerTag + 1) bits) // of 64 bytes
}

/** Puts completions where they belong: data into the tag's buffer, the end into the tag table.
  *
  * Completions of one read come in order, of different reads in any; the block has checked that each fits its request.
  * Where its data belongs follows from the bytes that it says are still to come: reads ask for whole lines and completions
  * are split at multiples of 64 bytes. Nothing of a faulty completion can reach another tag's buffer. Whatever is for a tag
  * that is not `outstanding`, or no longer, is dropped. Latency 2 cycles; a beat a cycle, no back-pressure.
  *
  * A fault is: any error code of the block (poisoned, UR or CA status, a timeout or a function-level reset among them), a
  * TLP it declares void, or a poisoned one, or one that is split elsewhere. A timeout of the block's is the end of its waiting and
  * not of the read: the completion may still be on its way.
  *
  * `completion` at most one TLP begins and at most one ends in a beat
  * `asked`      what a tag is used for from now
  */
case class CompletionIntake(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val completion = slave(Flow(RequesterCompletionBeat()))
    val asked = slave(Flow(AskedLines(config)))
    val outstanding = in Bits (tags bits)
    val write = master(LineWrite(config))
    val ended = master(Flow(TagEnd(config)))
    val unexpected = Option.when(counted)(out(RegInit(False))) // one came that is dropped
  }
  private val lineWidth = log2Up(linesPerTag)
  private val asked = Mem(UInt(log2Up(linesPerTag + 1) bits), tags)
  asked.write(io.asked.tag, io.asked.lines, enable = io.asked.valid)

  /** What a TLP's descriptor says. */
  case class Head() extends Bundle {
    val tag = UInt(tagWidth bits)
    val line = UInt(lineWidth bits) // its first
    val isHigh = Bool() // begins at byte 32
    val expected, bad, complete, givenUp = Bool()
  }

  private val ended = Flow(TagEnd(config))
  io.ended << ended.m2sPipe()

  // The descriptor of the TLP that begins.
  private val head = Head()
  private val descriptor = io.completion.startsHigh ? io.completion.data(Tlp.HALF_BITS, 96 bits) | io.completion.data(0, 96 bits)
  private val errorCode = descriptor(15 downto 12).asUInt
  private val bytesToCome = descriptor(28 downto 16).asUInt
  private val tag = descriptor(71 downto 64).asUInt
  head.tag := tag.resized
  head.line := (asked.readAsync(head.tag) - (bytesToCome >> 6).resized).resize(lineWidth)
  head.isHigh := io.completion.startsHigh
  head.expected := (tag >> tagWidth) === 0 && errorCode =/= Tlp.ERROR_INVALID_TAG && io.outstanding(head.tag) &&
    !Seq(ended, io.ended).map(end => end.valid && end.complete && end.tag === head.tag).orR // `outstanding` does not know of those yet
  head.bad := errorCode =/= 0 || descriptor(45 downto 43) =/= 0 || descriptor(46) || bytesToCome(5 downto 0) =/= 0
  head.givenUp := errorCode === Tlp.ERROR_TIMEOUT
  head.complete := !head.givenUp && (descriptor(30) || Seq(Tlp.ERROR_STATUS, Tlp.ERROR_FUNCTION_RESET).map(errorCode === _).orR)

  for (unexpected <- io.unexpected) unexpected := io.completion.valid && (io.completion.startsLow || io.completion.startsHigh) && !head.expected

  // The TLPs of a beat: the low one may have begun earlier.
  private val beat = io.completion.m2sPipe()
  private val begun = RegNext(head)
  private val open = RegInit(False) // a TLP goes on
  private val held = Reg(Head()) // of that
  private val line = Reg(UInt(lineWidth bits)) // that the beat begins if it ends another
  private val isVoid = RegInit(False) // an earlier beat of it was
  private val low = beat.startsLow ? begun | held
  private val lowLine = beat.startsLow ? begun.line | line
  private val continues = open && !beat.startsLow
  private val isLow = open || beat.startsLow
  when(beat.valid) {
    val starts = beat.startsLow || beat.startsHigh
    open := beat.startsHigh ? !beat.endsHigh | (isLow && !beat.endsLow)
    when(starts)(held := begun)
    line := (beat.startsHigh ? begun.line | lowLine) + 1
    isVoid := beat.discontinue || isVoid && !starts
  }

  // Data. A TLP's lines end with it: what begins a line is not of the beat's last TLP if that ends.
  private val lowWrites = beat.valid && isLow && low.expected
  private val previous = lowLine - 1
  private val write = LineWrite(config)
  write.head.valid := beat.startsHigh ? (beat.valid && begun.expected && !beat.endsHigh) | (lowWrites && !beat.endsLow)
  write.head.place.tag := beat.startsHigh ? begun.tag | low.tag
  write.head.place.line := beat.startsHigh ? begun.line | lowLine
  write.head.data := (beat.startsHigh || low.isHigh) ? beat.data(11 * 32, LineWrite.HEAD bits) | beat.data(3 * 32, LineWrite.HEAD bits)
  write.body.valid := lowWrites && (low.isHigh ? continues | !beat.endsLow)
  write.body.place.tag := low.tag
  write.body.place.line := low.isHigh ? previous | lowLine
  write.body.data := low.isHigh ? beat.data(0, LineWrite.BODY bits) | beat.data(8 * 32, LineWrite.BODY bits)
  write.tail.valid := lowWrites && continues
  write.tail.place.tag := low.tag
  write.tail.place.line := previous
  write.tail.data := low.isHigh ? beat.data(8 * 32, LineWrite.TAIL bits) | beat.data(0, LineWrite.TAIL bits)
  io.write << write.staged

  private val ending = (beat.startsLow || beat.endsHigh) ? begun | held
  ended.valid := beat.valid && ending.expected && (beat.endsHigh || isLow && beat.endsLow)
  ended.tag := ending.tag
  ended.fault := ending.bad || beat.discontinue || isVoid && !beat.startsLow && !beat.endsHigh
  ended.complete := ending.complete
  ended.givenUp := ending.givenUp
}
