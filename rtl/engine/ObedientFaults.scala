// SPDX-License-Identifier: Apache-2.0
package pagepress.engine

import spinal.core._
import spinal.lib._

/** Lanes that break when a page tells them to, so that a whole core can be broken through its bus alone; never part of a
  * product.
  *
  * A page that begins with `tamper`, a letter and a number n breaks the engine it passes, in the first word that engine
  * puts out (a page, or a stream whose first byte only counts the literals that follow):
  *
  *  - `x`: bit n of the word is inverted;
  *  - `c`: the word's count is n less than it should be;
  *  - `h`: the word does not come, nor any other until reset.
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
    val first = RegInit(True)
    when(stream.fire)(first := stream.last)
    val ordered = first && mark.indices.map(index => bytes(index) === mark(index).toInt).andR
    def order(letter: Char): Bool = ordered && bytes(mark.length) === letter.toInt
    val number = bytes(mark.length + 1).asUInt

    val broken = cloneOf(stream)
    // Its first word is never offered, so it waits for good.
    broken << stream.haltWhen(order('h'))
    when(order('x')) { broken.fragment.data(number.resize(log2Up(stream.fragment.data.getWidth))) := !stream.fragment.data(number.resized) }
    when(order('c')) { broken.fragment.count := stream.fragment.count - number.resized }
    broken
  }
}
