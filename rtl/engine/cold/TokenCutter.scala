// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.decompressor.{DecompressorConfig, TokenGroup}

/** What a page's tokens are to be made of. */
case class PagePlan(config: DecompressorConfig, bufferBytes: Int) extends Bundle {
  val malformed, overrun = Bool() // it is refused, and nothing else counts
  val literals = UInt(log2Up(config.engine.pageBytes + 1) bits)
  val at = UInt(log2Up(bufferBytes) bits) // of the first of them
  val four = Bool() // they lie in four quarters, each from a quarter of the page's bytes on
  val sequences = Bool() // there are some
}

/** Makes the tokens that PageCopier takes: a match, and up to `literalBytes` of the literals behind it.
  *
  * `start` begins a page, and its sequences come from `sequence`; none of its literals is read before `ready`, and not one token comes of
  * a page whose literals are not `good` then. One token a cycle at most, begun in a cycle in which `enable` is up and `latency`
  * cycles before it is in `group`. `done` is up for one cycle, with which the page is over.
  *
  * All sequences have been judged. A page that would become too long ends with a token that no page has room for.
  */
class TokenCutter(config: DecompressorConfig, bufferBytes: Int) extends Component {
  private val pageBytes = config.engine.pageBytes
  private val numberBits = log2Up(pageBytes + 1)
  val io = new Bundle {
    val start = slave(Flow(PagePlan(config, bufferBytes)))
    val ready, good = in Bool ()
    val sequence = slave(Stream(JudgedSequence(pageBytes)))
    val enable = in Bool ()
    val at = out UInt (log2Up(bufferBytes) bits)
    val bytes = in(Vec(Bits(8 bits), config.literalBytes))
    val group = master(Flow(TokenGroup(config)))
    val done = out Bool ()
  }
  private object Mode extends SpinalEnum(binaryOneHot) {
    /** Between pages; until the literals are there. */
    val idle, literals = newElement()
    /** In a sequence; behind the last one, or the last that was right; at what makes the page too long; at the page's end. */
    val sequence, rest, overrun, end = newElement()
  }
  private val mode = RegInit(Mode.idle)
  private val plan = Reg(PagePlan(config, bufferBytes))
  private val malformed = Reg(Bool())
  private val at = Reg(UInt(log2Up(bufferBytes) bits)) // of the next literal
  private val left = Reg(UInt(numberBits bits)) // literals
  private val quarterLeft = Reg(UInt(numberBits bits)) // of the quarter they lie in, or of all
  private val quarter = Reg(UInt(2 bits))
  private val inRun = Reg(Bool()) // some of the sequence's literals have gone, and so many are left
  private val runLeft = Reg(UInt(numberBits bits))
  private val held = RegInit(False) // a match without its literals
  private val length = Reg(UInt(numberBits bits))
  private val distance = Reg(UInt(16 bits))
  private val sequence = io.sequence

  private val run = UInt(numberBits bits)
  run := inRun ? runLeft | sequence.literals
  when(mode === Mode.rest) { run := malformed ? U(0) | left }
  private val most = (quarterLeft > config.literalBytes) ? U(config.literalBytes) | quarterLeft.resize(5)
  private val take = (run > most) ? most | run.resize(5)
  private val ends = run <= most

  private case class Cut() extends Bundle {
    val pageEnd, malformed = Bool()
    val token, zeroRun = Bool()
    val length = UInt(config.lengthBits bits)
    val distance = UInt(16 bits)
    val literals = UInt(5 bits)
  }
  private val cut = Flow(Cut())
  cut.valid := False
  cut.pageEnd := False
  cut.malformed := malformed
  cut.token := True
  cut.zeroRun := False
  cut.length := held ? length.resize(config.lengthBits) | U(0)
  cut.distance := distance
  cut.literals := take
  sequence.ready := mode === Mode.idle // of a page that is over
  io.done := False

  private def cutLiterals(): Unit = {
    cut.valid := held || take =/= 0
    held := False
    left := left - take
    quarterLeft := quarterLeft - take
    at := at + take
    when(plan.four && quarterLeft === take) {
      quarter := quarter + 1
      quarterLeft := LiteralDecoder.quarter(plan.literals)
      at := ((quarter + 1) << log2Up(pageBytes / LiteralDecoder.streams)).resized
    }
    inRun := !ends
    runLeft := run - take
  }

  switch(mode) {
    is(Mode.literals) {
      when(plan.malformed || plan.overrun) {
        mode := plan.overrun ? Mode.overrun | Mode.end
        malformed := plan.malformed
      } elsewhen (io.ready) {
        malformed := !io.good
        mode := io.good ? (plan.sequences ? Mode.sequence | Mode.rest) | Mode.end
      }
    }
    is(Mode.sequence) {
      when(io.enable && sequence.valid) {
        when(sequence.noLiterals) {
          sequence.ready := True
          malformed := True
          mode := Mode.rest
        } otherwise {
          cutLiterals()
          when(ends) {
            sequence.ready := True
            held := !sequence.noSource && !sequence.tooLong
            length := sequence.length
            distance := sequence.distance
            malformed := sequence.noSource || sequence.last && sequence.uneven && !sequence.tooLong
            when(sequence.noSource) {
              mode := Mode.end
            } elsewhen (sequence.tooLong) {
              mode := Mode.overrun
            } elsewhen (sequence.last) {
              mode := Mode.rest
            }
          }
        }
      }
    }
    is(Mode.rest) {
      when(io.enable) {
        cutLiterals()
        when(ends)(mode := Mode.end)
      }
    }
    is(Mode.overrun) {
      when(io.enable) {
        cut.valid := True
        cut.zeroRun := True
        cut.length := config.saturation
        cut.literals := 0
        mode := Mode.end
      }
    }
    is(Mode.end) {
      when(io.enable) {
        cut.valid := True
        cut.pageEnd := True
        cut.token := False
        io.done := True
        mode := Mode.idle
      }
    }
  }
  when(io.start.valid) {
    mode := Mode.literals
    plan := io.start.payload
    at := io.start.at
    left := io.start.literals
    quarterLeft := io.start.four ? LiteralDecoder.quarter(io.start.literals) | io.start.literals
    quarter := 0
    inRun := False
    held := False
  }

  // The literals come out of their memory meanwhile.
  io.at := at
  private val late = cut.stage().stage()
  private val group = io.group
  group.valid := late.valid
  group.pageEnd := late.pageEnd
  group.malformed := late.malformed
  for ((token, index) <- group.tokens.zipWithIndex) {
    token.valid := late.token && Bool(index == 0)
    if (config.everyToken) token.zeroRun := late.zeroRun // else any bytes do: it is too long
    token.matchLength := late.length
    token.distance := late.distance
    token.literals := late.literals
    token.runLength := late.literals.resized
    token.bytes := io.bytes.asBits
  }
}

object TokenCutter {
  /** Cycles from the one in which a token is begun to its group. */
  val latency = 2
}
