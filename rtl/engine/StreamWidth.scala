// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

object StreamWidth {
  private type Bytes = Stream[Fragment[PackedBytes]]

  /** The same pages in words of `to` bytes, a power of two as `from` is. Nothing is added where they are equal. */
  def adapt(source: Bytes, from: Int, to: Int): Bytes =
    if (from > to) narrow(source, from, to) else if (from < to) widen(source, from, to) else source

  /** A word leaves in parts, one a cycle; no delay. */
  private def narrow(source: Bytes, from: Int, to: Int): Bytes = new Composite(source, "narrowed") {
    val parts = from / to
    val part = Reg(UInt(log2Up(parts) bits)) init 0
    val count = source.fragment.count
    val before = part << log2Up(to) // bytes of the word that have left
    val rest = count - before
    val ends = source.last && rest <= to
    val sink = ByteStream(to)
    sink.valid := source.valid
    sink.last := ends
    sink.fragment.data := source.fragment.data.subdivideIn(to * 8 bits).read(part)
    sink.fragment.count := (source.last && rest < to) ? rest.resized | U(to)
    source.ready := sink.ready && (ends || part === parts - 1)
    when(sink.fire)(part := source.ready ? U(0) | (part + 1))
  }.sink

  /** Words are gathered until one of the wider ones is full or the page ends: a cycle's delay. */
  private def widen(source: Bytes, from: Int, to: Int): Bytes = new Composite(source, "widened") {
    val parts = to / from
    val part = Reg(UInt(log2Up(parts) bits)) init 0
    val sink = ByteStream(to)
    val data = Vec.fill(parts)(Reg(Bits(from * 8 bits)))
    val gathered = Reg(sink.payloadType())
    val full = RegInit(False)
    val ends = source.last || part === parts - 1
    source.ready := !full || sink.ready
    when(sink.fire)(full := False)
    when(source.fire) {
      data(part) := source.fragment.data
      gathered.last := source.last
      gathered.fragment.count := (part << log2Up(from)) +^ source.fragment.count
      part := ends ? U(0) | (part + 1)
      full := ends
    }
    sink.valid := full
    sink.last := gathered.last
    sink.fragment.count := gathered.fragment.count
    sink.fragment.data := data.asBits
  }.sink
}
