// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._

/** Matches at the distances 1 to `directOffsets`, by comparing bytes with their neighbours (combinational).
  *
  * Catches runs and short periods, and everything so near that its table entry is not written yet.
  * `length(i)` is the longest such match at position i, up to keyBytes and to the end of the page; `offset(i)` the
  * nearest distance that has it (1 when there is none).
  */
class RepeatFinder(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val window = in(Window(parameter))
    val length = out(Vec(UInt(keyLengthWidth bits), windowBytes))
    val offset = out(Vec(UInt(positionWidth bits), windowBytes))
  }

  val used = windowBytes + keyBytes - 1 // bytes any key of this window reaches
  val bytes = io.window.before ++ io.window.span.take(used)
  val present = Vec((0 until used).map(index => io.window.available > index)).asBits

  /** Bit i of `runs(distance)(n)`: the n + 1 bytes from position i on equal those `distance` before. */
  val runs = for (distance <- 1 to directOffsets) yield {
    val equal = Vec((0 until used).map { index =>
      val same = bytes(directOffsets + index) === bytes(directOffsets + index - distance)
      if (index < distance) same && io.window.history >= distance - index else same
    }).asBits & present
    Seq.iterate((equal, 1), keyBytes) { case (run, n) => (run & (equal |>> n), n + 1) }
      .map { case (run, _) => run(windowBytes - 1 downto 0) }
  }

  val longest = (0 until keyBytes).map(n => runs.map(_(n)).reduce(_ | _))
  val winners = runs.map(run => ~run.zip(longest).map { case (own, best) => own ^ best }.reduce(_ | _))

  for (index <- 0 until windowBytes) {
    val reached = longest.map(_(index))
    io.length(index) := reached.zipWithIndex.foldLeft(U(0, keyLengthWidth bits)) { case (length, (more, n)) =>
      Mux(more, U(n + 1, keyLengthWidth bits), length)
    }
    io.offset(index) := winners.zipWithIndex.reverse.foldLeft(U(1, positionWidth bits)) { case (offset, (winner, n)) =>
      Mux(winner(index), U(n + 1, positionWidth bits), offset)
    }
  }
}
