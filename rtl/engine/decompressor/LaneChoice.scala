// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** What each lane takes in a step's write, told as the step goes through its stages.
  *
  * `gather`: as the gather stage needs it, three cycles after the judge stage; `write`: a cycle later.
  */
class LaneChoice(config: DecompressorConfig, step: CopyStep) extends Area {
  private val width = config.copyBytes
  private val laneBits = log2Up(width)
  private val lanes = new Lanes(width)

  // Judge: how far into the step what begins. Address: the same lane by lane.
  private val start = RegNext(lanes.of(step.position))
  private val shares = step.shares.map(share => new ShareLanes(config, step.position, start, share) {
    val isNear = RegNext(lanes.from(start, RegNext(new Reach(config, share.distance).beyond(U(0)))))
    val zeros = Delay(share.zeros, 2)
    val distance = RegNext(lanes.of(share.distance))
  })

  /** Byte numbers modulo the first share's distance: what an overlapping match repeats. Longer ones repeat nothing in one
    * step, and the second share never repeats. */
  private val repeats = RegNext((step.shares(0).distance >> laneBits) === 0)
  private val repeated = RegNext(Vec((0 until width).map { n =>
    val modulo = Vec((0 until width).map(distance => U(if (distance == 0) n else n % distance, laneBits bits)))
    repeats ? modulo.read(shares(0).distance) | U(n, laneBits bits)
  }))

  // Read
  private val inSecond = if (config.pairs) shares(0).isPast else B(0, width bits)
  private def ofShare(of: Int => Bits): Bits =
    if (config.pairs) (of(0) & ~inSecond) | (of(1) & inSecond) else of(0)
  private def all(bit: Bool): Bits = B(width bits, default -> bit)

  private val literal = ofShare(shares(_).isLiteral)
  private val copies = ~literal & ~ofShare(k => all(shares(k).zeros))
  private val near = ofShare(shares(_).isNear) & copies

  val gather = new Area {
    val second = RegNext(inSecond)
    val isLiteral = RegNext(literal)
    val isFar = RegNext(copies) // what is near is so as well
    val literals = shares.map(share => RegNext(share.literals))
    private val turned = RegNext(lanes.turn(repeated, RegNext(start)))
    private val distances = shares.map(share => Delay(share.distance, 2))
    private val base = Delay(start - shares(0).distance, 2)
    val from = Vec((0 until width).map { i =>
      val first = turned(i) + base
      if (config.pairs) second(i) ? (U(i, laneBits bits) - distances(1)) | first else first
    })
  }

  val write = new Area {
    val mask = Delay(~shares.last.isPast, 2)
    val isNear = Delay(near, 2)
    /** Of a near byte, the lane it stands in. */
    val from = RegNext(gather.from)
  }
}
