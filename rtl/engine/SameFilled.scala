// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** What SameFilled says of a page. */
case class FillResult() extends Bundle {
  val sameFilled = Bool() // the page is one 8-byte value, repeated
  val value = Bits(64 bits) // that value, first byte lowest; 0 when not sameFilled
}

/** Finds pages that repeat one 8-byte value, a word a cycle. One `result` a page, two cycles after its last word; until
  * that is taken the next page may run up to its own end. `ready` depends on registers alone. A page shorter than eight bytes is never sameFilled.
  */
class SameFilled(width: Int) extends Component {
  val io = new Bundle {
    val source = slave(ByteStream(width))
    val result = master(Stream(FillResult()))
  }
  private val result = Reg(FillResult())
  private val resultValid = RegInit(False)

  // A word's bytes against the page's first eight; judged in the next cycle.
  private val first = RegInit(True)
  private val value = Reg(Bits(64 bits))
  private val bytes = io.source.fragment.data.subdivideIn(8 bits)
  private val pattern = first ? io.source.fragment.data(63 downto 0) | value
  private val matches = Vec(bytes.zipWithIndex.map { case (byte, i) =>
    byte === pattern.subdivideIn(8 bits)(i % 8) || io.source.fragment.count <= i
  }).asBits
  when(io.source.fire) {
    first := io.source.last
    value := pattern
  }

  private val judged = new Area {
    val hold = Bool() // a second result would have no place
    val valid = RegNextWhen(io.source.fire, !hold) init False
    val last = RegNextWhen(io.source.last, !hold)
    val matching = RegNextWhen(matches, !hold)
    val tooShort = RegNextWhen(first && io.source.fragment.count < 8, !hold)
    val equal = RegInit(True) // all words before this one
    val stillEqual = equal && !tooShort && matching.andR
    hold := valid && last && resultValid
    when(valid && !hold) { equal := stillEqual || last }
  }

  io.source.ready := !judged.hold
  io.result.valid := resultValid
  io.result.sameFilled := result.sameFilled
  io.result.value := result.sameFilled ? result.value | B(0, 64 bits)
  when(io.result.fire) { resultValid := False }
  when(judged.valid && judged.last && !judged.hold) {
    resultValid := True
    result.sameFilled := judged.stillEqual
    result.value := value
  }
}
