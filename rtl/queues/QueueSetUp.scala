// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface._
import spinal.core._
import spinal.lib._

/** A write to one of a queue's registers; `offset` counts bytes from the queue's block. */
case class RegisterWrite() extends Bundle {
  val offset = UInt(log2Up(QUEUE_STRIDE) bits)
  val data = Bits(32 bits)
}

/** Set-up of a queue: where its rings are, and when it interrupts. */
case class RingSetUp(config: QueueConfig) extends Bundle {
  val submissionBase, completionBase = Bits(64 bits)
  val depthLog2 = UInt(5 bits)
  val moderation = Bits(32 bits)

  /** No queue can be enabled with it. */
  def isBad: Bool = Seq(submissionBase -> config.submissionShift, completionBase -> config.completionShift).map { case (base, shift) =>
    config.isBadAddress(base, config.ringBytes(depthLog2, shift)) || base(log2Up(RING_ALIGNMENT) - 1 downto 0) =/= 0
  }.orR || depthLog2 < MIN_DEPTH_LOG2 || depthLog2 > config.maxDepthLog2
}

/** The set-up of every queue as software wrote it. */
class QueueSetUp(config: QueueConfig, memories: QueueMemories) extends Area {
  private val submissionLow, submissionHigh, completionLow, completionHigh, moderations = memories.words(Bits(32 bits))
  private val depths = memories.words(UInt(5 bits))
  private val masks = memories.words(UInt(config.maxDepthLog2 bits)) // of the depth, ready made: they are looked at where time is short

  def submissionBase(queue: UInt): Bits = submissionHigh.of(queue) ## submissionLow.of(queue)
  def completionBase(queue: UInt): Bits = completionHigh.of(queue) ## completionLow.of(queue)
  def moderation(queue: UInt): Bits = moderations.of(queue)
  /** The ring's depth less one. */
  def mask(queue: UInt): UInt = masks.of(queue)

  def apply(queue: UInt): RingSetUp = {
    val setUp = RingSetUp(config)
    setUp.submissionBase := submissionBase(queue)
    setUp.completionBase := completionBase(queue)
    setUp.depthLog2 := depths.of(queue)
    setUp.moderation := moderation(queue)
    setUp
  }

  /** Takes a write to a register of the set-up of `queue`; others change nothing here. May be called once. */
  def write(queue: UInt, access: RegisterWrite, valid: Bool): Unit = {
    def hits(offset: Int): Bool = valid && access.offset === offset
    for ((words, offset) <- Seq(submissionLow -> REGISTER_SUBMISSION_BASE_LOW, submissionHigh -> REGISTER_SUBMISSION_BASE_HIGH,
        completionLow -> REGISTER_COMPLETION_BASE_LOW, completionHigh -> REGISTER_COMPLETION_BASE_HIGH, moderations -> REGISTER_MODERATION))
      words.write(queue, access.data, hits(offset))
    val depth = access.data(31 downto 5).orR ? U(31) | access.data(4 downto 0).asUInt
    depths.write(queue, depth, hits(REGISTER_DEPTH_LOG2))
    masks.write(queue, (0 until config.maxDepthLog2).map(bit => depth > bit).asBits().asUInt, hits(REGISTER_DEPTH_LOG2))
  }
}
