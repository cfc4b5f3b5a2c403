// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** A read request as its completions are placed. */
case class AskedLines(config: PcieConfig) extends Bundle {
  val tag = UInt(config.tagWidth bits)
  val lines = UInt(log2Up(config.linesPerTag + 1) bits) // begun 64 bytes
}

/** Puts completions where they belong: data into the tag's buffer, the end into the tag table.
  *
  * Completions of one read come in order, of different reads in any; the block has checked that each fits its request.
  * Where its data belongs follows from the bytes that it says are still to come: reads begin and completions are split at
  * multiples of 64 bytes. Nothing of a faulty completion can reach another tag's buffer. Whatever is for a tag that is not
  * `outstanding` is dropped. Latency 2 cycles, a beat a cycle, no back-pressure.
  *
  * A fault is: any error code of the block (poisoned, UR or CA status, a timeout or a function-level reset among them), a
  * TLP it declares void, or a poisoned one.
  *
  * `asked` what a tag is used for from now
  */
case class CompletionIntake(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val completion = slave(Flow(Fragment(RequesterCompletionBeat())))
    val asked = slave(Flow(AskedLines(config)))
    val outstanding = in Bits (tags bits)
    val write = master(Flow(BufferWrite(config)))
    val ended = master(Flow(TagEnd(config)))
  }

  private val beat = io.completion
  private val first = RegNextWhen(beat.last, beat.valid) init True

  // Of the TLP's first beat.
  private val errorCode = beat.data(15 downto 12).asUInt
  private val lineWidth = log2Up(linesPerTag)
  private val firstTag = beat.data(71 downto 64).asUInt
  private val asked = Mem(UInt(log2Up(linesPerTag + 1) bits), tags)
  asked.write(io.asked.tag, io.asked.lines, enable = io.asked.valid)
  private val bytesToCome = beat.data(28 downto 16).asUInt
  private val linesToCome = ((bytesToCome +^ (Tlp.BEAT_BYTES - 1)) >> 6)
  private val firstLine = (asked.readAsync(firstTag.resize(tagWidth)) - linesToCome.resized).resize(lineWidth)
  private val isTerminal = Seq(Tlp.ERROR_STATUS, Tlp.ERROR_FUNCTION_RESET, Tlp.ERROR_TIMEOUT).map(errorCode === _).orR
  private val isBad = errorCode =/= 0 || beat.data(45 downto 43) =/= 0 || beat.data(46)
  private val isExpected = (firstTag >> tagWidth) === 0 && errorCode =/= Tlp.ERROR_INVALID_TAG && io.outstanding(firstTag.resize(tagWidth))

  // Held for the beats after it.
  private def held[T <: Data](value: T): T = first ? value | RegNextWhen(value, beat.valid && first)
  private val tag = held(firstTag.resize(tagWidth))
  private val expected = held(isExpected)
  private val bad = held(isBad)
  private val complete = held(beat.data(30) || isTerminal)
  private val line = Reg(UInt(lineWidth bits))
  private val thisLine = first ? firstLine | line
  when(beat.valid)(line := thisLine + 1)

  private val write = Flow(BufferWrite(config))
  write.valid := beat.valid && expected
  write.tag := tag
  write.line := thisLine
  write.data := beat.data
  write.begins := beat.keep(3)
  write.ends := !first
  io.write << write.m2sPipe()

  private val ended = Flow(TagEnd(config))
  private val isVoid = RegInit(False) // an earlier beat was
  private val voided = isVoid || beat.discontinue
  when(beat.valid)(isVoid := voided && !beat.last)
  ended.valid := beat.valid && beat.last && expected
  ended.tag := tag
  ended.fault := bad || voided
  ended.complete := complete
  io.ended << ended.m2sPipe().m2sPipe() // not before the data
}
