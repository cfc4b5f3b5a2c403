// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

object EmptyLast {
  /** The same pages, but a page of full words ends with its last full word and not with an empty one behind it.
    * One word is held back until the next, or its own `last`, is seen. An empty page stays one empty word.
    */
  def merge(source: Stream[Fragment[PackedBytes]]): Stream[Fragment[PackedBytes]] = new Composite(source, "merged") {
    val sink = cloneOf(source)
    val held = Reg(source.payloadType())
    val heldValid = RegInit(False)
    val merges = heldValid && !held.last && source.valid && source.last && source.fragment.count === 0
    sink.valid := heldValid && (held.last || source.valid)
    sink.fragment := held.fragment
    sink.last := held.last || merges
    source.ready := !heldValid || sink.ready // with a word held and one here, sink is valid
    when(sink.fire) { heldValid := False }
    when(source.fire)(held := source.payload) // merged it goes now
    when(source.fire && !merges)(heldValid := True)
  }.sink
}
