// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Joins windows into sequences: a match, however many windows it spans, with the literals up to the next match.
  *
  * A match waits here until the literals behind it are counted, because its token says how many they are. One match a
  * cycle: a window with several starts takes a cycle for each, any other takes one; each page takes one more.
  */
class SequenceBuilder(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Stream(WindowTokens(parameter)))
    val sink = master(Stream(Sequence(parameter)))
  }

  val open = Reg(Sequence(parameter))
  open.matchLength.init(0)
  open.literals.init(0)

  /** Within a window with several starts: what is left of it. */
  val resumed = Reg(Bool()) init False
  val remaining = Reg(Bits(windowBytes bits))
  val cursor = Reg(UInt(countWidth bits))
  val closing = Reg(Bool()) init False // the page has ended, its last sequence is still open

  val tokens = io.source.payload
  val starts = Mux(resumed, remaining, tokens.starts)
  val from = Mux(resumed, cursor, tokens.covered)
  val continued = Mux(resumed, U(0), tokens.covered)
  val chosen = OHMasking.first(starts)
  val any = starts.orR
  val others = starts & ~chosen
  val start = OHToUInt(chosen).resize(countWidth)
  val length = MuxOH.or(chosen, tokens.length)
  val end = start + length
  val done = !others.orR

  val complete = Sequence(parameter)
  complete.slot := Mux(closing, open.slot, tokens.slot)
  complete.last := closing
  complete.matchLength := open.matchLength + Mux(closing, U(0), continued)
  complete.offset := open.offset
  complete.literals := open.literals + Mux(closing, U(0), start - from)

  io.sink.valid := closing || io.source.valid && any
  io.sink.payload := complete
  io.source.ready := !closing && done && (io.sink.ready || !any)

  when(closing) {
    when(io.sink.ready) {
      closing := False
      open.matchLength := 0
      open.literals := 0
    }
  } elsewhen (io.source.valid && (io.sink.ready || !any)) {
    open.slot := tokens.slot
    resumed := !done
    remaining := others
    cursor := end
    when(any) {
      open.matchLength := length.resized
      open.offset := MuxOH.or(chosen, tokens.offset)
      open.literals := Mux(done, tokens.count - end, U(0)).resized
    } otherwise {
      open.matchLength := open.matchLength + continued
      open.literals := open.literals + (tokens.count - from)
    }
    closing := done && tokens.last
  }
}
