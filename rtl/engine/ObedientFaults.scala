// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** Lanes that break when a page tells them to, so that a whole core can be broken through its bus alone; never part of a
  * product.
  *
  * A page that begins with `tamper`, a letter and a number n breaks the engine it passes, whatever that puts out: a page,
  * or a stream whose first byte only counts the literals that follow.
  *
  *  - `x`: bit n of the first word is inverted;
  *  - `c`: the first word's count is n less than it should be;
  *  - `h`: word n does not come, nor any other until reset.
  */
object ObedientFaults {
  /** What tests have the patience for. */
  private def hasty(config: EngineConfig): EngineConfig = config.copy(watchdogCycles = 2000)

  def compressLane(config: EngineConfig): CompressLane = new CompressLane(hasty(config), tamper = obey(1))

  def decompressLane(config: EngineConfig): DecompressLane = new DecompressLane(hasty(config), tamper = obey(0))

  private val mark = "tamper".getBytes("US-ASCII")

  /** @param at byte of the engine's first word where an order would stand */
  private def obey(at: Int)(stream: Stream[Fragment[PackedBytes]]): Stream[Fragment[PackedBytes]] = {
    val bytes = stream.fragment.data.subdivideIn(8 bits).drop(at)
    val index = Reg(UInt(16 bits)) init 0
    when(stream.fire)(index := stream.last ? U(0, 16 bits) | index + 1)
    val first = index === 0
    val ordered = first && mark.indices.map(index => bytes(index) === mark(index).toInt).andR
    def order(letter: Char): Bool = ordered && bytes(mark.length) === letter.toInt
    val number = bytes(mark.length + 1).asUInt

    val hangs = RegInit(False)
    val hangsAt = Reg(UInt(8 bits))
    when(stream.fire && first) {
      hangs := order('h')
      hangsAt := number
    }

    val broken = cloneOf(stream)
    // That word is never offered, so the engine waits for good.
    broken << stream.haltWhen(first ? (order('h') && number === 0) | (hangs && index === hangsAt))
    when(order('x'))(broken.fragment.data := stream.fragment.data ^ (B(1, stream.fragment.data.getWidth bits) |<< number))
    when(order('c'))(broken.fragment.count := stream.fragment.count - number.resized)
    broken
  }
}
