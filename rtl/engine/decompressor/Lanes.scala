// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import pagepress.engine.Choose

/** Byte lanes of a page: the byte at address a stands in lane a modulo `width`. Everything here wraps around. */
class Lanes(width: Int) {
  private val bits = log2Up(width)

  def of(address: UInt): UInt = address(bits - 1 downto 0)

  /** Lanes from `lane` up to the highest. */
  def up(lane: UInt): Bits = Vec.tabulate(width)(i => lane <= i).asBits

  /** Lanes `offset` or more lanes on from `start`, out of a full turn; none when `offset` is `width`. */
  def from(start: UInt, offset: UInt): Bits = onward(start, on(start, offset))

  /** `offset` lanes on from `address`, at most a full turn: the lane, and above it whether that is in the next turn. */
  def on(address: UInt, offset: UInt): UInt = offset.resize(bits + 1) + of(address)

  /** Lanes from `first`, as `on` gives it for the lane `start`, to the end of the full turn that begins at `start`. */
  def onward(start: UInt, first: UInt): Bits = {
    val highest = up(of(first))
    first.msb ? (highest & ~up(start)) | (highest | ~up(start))
  }

  /** What stood in lane i stands in lane i + `by`; as many lanes as there are values, a power of two. */
  def turn[T <: Data](values: collection.Seq[T], by: UInt): Vec[T] = turnBelow(values, by, log2Up(values.size))

  /** The same, but only by the lowest `count` bits of `by`. */
  def turnBelow[T <: Data](values: collection.Seq[T], by: UInt, count: Int): Vec[T] = {
    val size = values.size
    def turned(from: collection.Seq[T], step: Int): IndexedSeq[T] = (0 until size).map(i => from((i - step + size) % size))
    // Two bits of `by` at a time: a choice of four is as deep as one of two.
    (0 until count by 2).foldLeft(Vec(values)) { (from, bit) =>
      val both = by(bit + 1 min count - 1 downto bit)
      val ways = (0 until 1 << both.getWidth).map(way => Vec(turned(from, way << bit)))
      Vec((0 until size).map(i => Choose(ways.map(_(i)), both)))
    }
  }
}
