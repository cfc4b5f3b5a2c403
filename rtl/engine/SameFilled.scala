// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** What SameFilled says of a page. */
case class FillResult() extends Bundle {
  val sameFilled = Bool() // the page is one 8-byte value, repeated
  val value = Bits(64 bits) // that value, first byte lowest; 0 when not sameFilled
}

/** Finds pages that repeat one 8-byte value, a word a cycle. One `result` a page, the cycle after its last word; until
  * that is taken the next page may run up to its own end. A page shorter than eight bytes is never sameFilled.
  */
class SameFilled(width: Int) extends Component {
  val io = new Bundle {
    val source = slave(ByteStream(width))
    val result = master(Stream(FillResult()))
  }
  private val first = RegInit(True)
  private val value = Reg(Bits(64 bits))
  private val equal = Reg(Bool())
  private val result = Reg(FillResult())
  private val resultValid = RegInit(False)

  private val bytes = io.source.fragment.data.subdivideIn(8 bits)
  private val pattern = first ? io.source.fragment.data(63 downto 0) | value
  private val matches = Vec(bytes.zipWithIndex.map { case (byte, i) =>
    byte === pattern.subdivideIn(8 bits)(i % 8) || io.source.fragment.count <= i
  }).andR && !(first && io.source.fragment.count < 8)
  private val stillEqual = matches && (first || equal)

  io.source.ready := !(io.source.last && resultValid)
  io.result.valid := resultValid
  io.result.payload := result
  when(io.result.fire) { resultValid := False }
  when(io.source.fire) {
    first := io.source.last
    value := pattern
    equal := stillEqual
    when(io.source.last) {
      resultValid := True
      result.sameFilled := stillEqual
      result.value := stillEqual ? pattern | B(0, 64 bits)
    }
  }
}
