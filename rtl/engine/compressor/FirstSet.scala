// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** The first of some bits that is 1, in few levels of logic: no carry chain, unlike a subtraction. */
object FirstSet {

  /** Its number; the last bit's when all are 0. */
  def index(bits: Bits): UInt = {
    def search(from: Int, size: Int): Bits =
      if (size == 1) B(0, 0 bits)
      else {
        val half = size / 2
        val here = (from until from + half).map(bit(_)).reduceBalancedTree(_ || _)
        if (half == 1) (!here).asBits else !here ## Mux(here, search(from, half), search(from + half, half))
      }
    def bit(index: Int): Bool = if (index < bits.getWidth) bits(index) else True
    search(0, 1 << log2Up(bits.getWidth)).asUInt
  }

  /** That bit alone. Whether one before it is set is looked up in groups, then in the groups before. */
  def mask(bits: Bits): Bits = {
    val GROUP = 4
    val groups = (0 until bits.getWidth).grouped(GROUP).toSeq
    val any = groups.map(_.map(bits(_)).reduceBalancedTree(_ || _))
    def one(of: Seq[Bool]): Bool = if (of.isEmpty) False else of.reduceBalancedTree(_ || _)
    Vec(for ((group, number) <- groups.zipWithIndex; index <- group) yield
      bits(index) && !one(group.takeWhile(_ < index).map(bits(_))) && !one(any.take(number))).asBits
  }
}
