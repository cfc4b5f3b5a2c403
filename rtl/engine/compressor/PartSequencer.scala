// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Brings windows and what the windows behind them tell together, and cuts a window into parts where a number needs
  * more bytes than have a place in it.
  *
  *  - A match of more than 33 bytes: its token's first byte, zeros, the rest. As it covers a whole window behind, which
  *    is not written, this costs no time.
  *  - A run extended by more than `inlineZeros` zeros: all up to its token's first byte, zeros, the rest of the window.
  *
  * At most one of both in a window, as either lasts to its end. A window without is one part. A part a cycle while
  * `room` is high; a part comes in the cycle after its window was taken, at the earliest.
  */
class PartSequencer(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val window = slave(Stream(PendingWindow(parameter)))
    val continuation = slave(Stream(Continuation(parameter)))
    val room = in(Bool())
    val sink = master(Flow(WindowPart(parameter)))
  }

  object Phase extends SpinalEnum {
    val HEAD, ZEROS, TAIL = newElement()
  }

  val phase = Reg(Phase()) init Phase.HEAD
  val loaded = Reg(Bool()) init False
  val window = Reg(PendingWindow(parameter))
  val continuation = Reg(Continuation(parameter)) // of the sequence opened last, kept for the run of a later window
  val zeros = Reg(UInt(zerosWidth bits)) // still to write

  val head, tail = Reg(Bool()) // of the part that comes next
  val matchSplit = Reg(Bool()) // a part that is not all of its window is so for its match, not its run
  val splitZeros = Mux(matchSplit, continuation.matchZeros, continuation.runZeros)

  val part = io.sink.payload
  io.sink.valid := loaded && io.room
  part.window := window
  part.continuation := continuation
  part.head := head
  part.tail := tail
  part.zeros := Mux(phase =/= Phase.ZEROS, U(0), Mux(zeros > windowBytes, U(windowBytes), zeros.resize(countWidth)))

  when(io.sink.valid) {
    switch(phase) {
      is(Phase.HEAD) {
        zeros := splitZeros
        when(!tail) {
          val long = !matchSplit || continuation.matchLong
          phase := Mux(long, Phase.ZEROS(), Phase.TAIL())
          head := False
          tail := !long
        }
      }
      is(Phase.ZEROS) {
        zeros := zeros - windowBytes
        when(zeros <= windowBytes) {
          phase := Phase.TAIL
          tail := True
        }
      }
      is(Phase.TAIL)(phase := Phase.HEAD)
    }
  }

  val matchExtended = io.window.lastMatch.orR && io.continuation.matchExtended
  val runLong = io.window.opensRun && Mux(io.window.opensSequence, io.continuation.runLong, continuation.runLong)
  val free = !loaded || io.room && tail
  val available = io.window.valid && (!io.window.opensSequence || io.continuation.valid)
  io.window.ready := free && available
  io.continuation.ready := io.window.ready && io.window.opensSequence
  when(free) {
    loaded := available
    window := io.window.payload
    when(io.window.opensSequence)(continuation := io.continuation.payload)
    matchSplit := matchExtended
    head := True
    tail := !matchExtended && !runLong
  }
}
