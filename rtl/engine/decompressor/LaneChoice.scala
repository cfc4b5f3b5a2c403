// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** What each lane takes in a step's write, told as the step goes through its stages.
  *
  * `gather`: as the gather stage needs it, two cycles after the address stage; `write`: a cycle later.
  */
class LaneChoice(config: DecompressorConfig, step: CopyStep) extends Area {
  private val width = config.copyBytes
  private val laneBits = log2Up(width)
  private val lanes = new Lanes(width)

  // Address: how far into the step what begins. Then, in the read stage, lane by lane.
  private val start = RegNext(lanes.of(step.position))
  private val shares = step.shares.map(share => new Area {
    val isLiteral = lanes.from(start, RegNext(share.matchEnd))
    val isPast = lanes.from(start, RegNext(share.end))
    val isNear = lanes.from(start, RegNext(new Reach(config, share.distance).beyond(U(0))))
    val zeros = RegNext(share.zeros)
    val distance = RegNext(share.distance)
    val literals = {
      val first = RegNext(lanes.of(step.position) + lanes.of(share.matchEnd))
      lanes.turn(RegNext(share.literals).subdivideIn(8 bits).toSeq, first)
    }
  })
  private val inSecond = if (config.pairs) shares(0).isPast else B(0, width bits)

  private def ofShare(of: Int => Bits): Bits =
    if (config.pairs) (of(0) & ~inSecond) | (of(1) & inSecond) else of(0)
  private def all(bit: Bool): Bits = B(width bits, default -> bit)

  private val literal = ofShare(shares(_).isLiteral)
  private val zero = ofShare(k => all(shares(k).zeros)) & ~literal
  private val near = ofShare(shares(_).isNear) & ~literal & ~zero

  /** Byte numbers modulo the first share's distance: what an overlapping match repeats. Longer ones repeat nothing in one
    * step, and the second share never repeats. */
  private val repeats = RegNext((step.shares(0).distance >> laneBits) === 0)
  private val repeated = Vec((0 until width).map { n =>
    val modulo = Vec((0 until width).map(distance => U(if (distance == 0) n else n % distance, laneBits bits)))
    repeats ? modulo.read(lanes.of(shares(0).distance)) | U(n, laneBits bits)
  })

  val gather = new Area {
    val second = RegNext(inSecond)
    val isLiteral = RegNext(literal)
    val literals = shares.map(share => RegNext(share.literals))
    private val start = RegNext(LaneChoice.this.start)
    private val turned = RegNext(lanes.turn(repeated, LaneChoice.this.start))
    private val distances = shares.map(share => RegNext(lanes.of(share.distance)))
    private val base = RegNext(LaneChoice.this.start - lanes.of(shares(0).distance))
    val from = Vec((0 until width).map { i =>
      val first = turned(i) + base
      if (config.pairs) second(i) ? (U(i, laneBits bits) - distances(1)) | first else first
    })
  }

  val write = new Area {
    val mask = Delay(~shares.last.isPast, 2)
    val isNear = Delay(near, 2)
    val isZero = Delay(zero, 2)
    /** Of a near byte, the lane it stands in. */
    val from = RegNext(gather.from)
  }
}
