// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import spinal.core._
import spinal.lib._

/** A word of every queue, in one memory: any number of places may look at a queue's, one event a cycle may write one. So a queue costs
  * no registers for it, nor a choice among all queues' where it is needed.
  */
class QueueWords[T <: Data](config: QueueConfig, wordType: HardType[T], clear: Flow[UInt]) extends Area {
  private val words = Mem(wordType, 1 << config.queueWidth)

  def of(queue: UInt): T = words.readAsync(queue)
  /** May be called once. The word is there in the next cycle. */
  def write(queue: UInt, word: T, valid: Bool): Unit =
    words.write(clear.valid ? clear.payload | queue, Mux(clear.valid, word.getZero, word), clear.valid || valid)
}

/** A count of events of every queue, modulo 2^width. */
class QueueCounts(config: QueueConfig, width: Int, clear: Flow[UInt]) extends QueueWords(config, UInt(width bits), clear) {
  def add(queue: UInt, amount: UInt, valid: Bool): Unit = write(queue, of(queue) + amount.resize(width), valid)
}

/** Makes memories that have a word for each queue, and clears them all after a reset of the core, a queue a cycle. Nothing may be
  * written meanwhile.
  */
class QueueMemories(config: QueueConfig) extends Area {
  private val next = Reg(UInt(config.queueWidth + 1 bits)) init 0
  private val clear = Flow(UInt(config.queueWidth bits))
  clear.valid := !next.msb
  clear.payload := next.resized
  when(clear.valid)(next := next + 1)

  /** All of them are 0 or have been written since. */
  val cleared: Bool = next.msb
  def words[T <: Data](wordType: HardType[T]): QueueWords[T] = new QueueWords(config, wordType, clear)
  def counts(width: Int): QueueCounts = new QueueCounts(config, width, clear)
}
