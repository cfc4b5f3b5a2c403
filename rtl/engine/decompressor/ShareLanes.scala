// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** Which lanes one share of a step takes, two cycles after the step's judge stage.
  *
  * @param position of the step; its lane is `start`, a cycle later */
class ShareLanes(config: DecompressorConfig, position: UInt, start: UInt, share: StepShare) extends Area {
  private val lanes = new Lanes(config.copyBytes)
  private def from(offset: UInt): Bits = RegNext(lanes.onward(start, RegNext(lanes.on(position, offset))))
  val isLiteral = from(share.matchEnd)
  val isPast = from(share.end)
  /** In their lanes modulo `literalBytes`. */
  val literals = {
    val first = Delay(lanes.of(position) + lanes.of(share.matchEnd), 2)
    lanes.turn(Delay(share.literals, 2).subdivideIn(8 bits).toSeq, first)
  }
}
