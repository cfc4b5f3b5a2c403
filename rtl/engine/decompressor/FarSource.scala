// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** How many more bytes of page there are at the end of each stage when a step is in its address stage. */
case class Ahead(config: DecompressorConfig) extends Bundle {
  val one = UInt(config.countBits bits) // written by the step one stage ahead
  val two = UInt(config.countBits bits) // by the step two stages ahead
}

/** The match bytes of one share of a step but for near ones, in their lanes.
  *
  * Input: the step, in its address stage. Output `bytes` and `half`, two cycles later: lane i's is the page's byte `distance`
  * before the address that is to be written in lane i; without meaning for a repeating match.
  *
  * The history's read does not see what is written in its own cycle and later, by the two steps ahead and one more. The
  * page's last bytes as they were one cycle ago and as they are now have these.
  */
class FarSource(config: DecompressorConfig, position: UInt, distance: UInt, ahead: Ahead, memory: HistoryMemory,
    recent: Vec[Bits], recentBefore: Vec[Bits]) extends Area {
  private val width = config.copyBytes
  private val lanes = new Lanes(width)

  // Address
  private val source = (position - distance.resized).resize(log2Up(config.engine.pageBytes))
  private val rows = memory.read(source)
  private val reach = new Reach(config, distance)

  // Read: bytes numbered from the first one read; the youngest are in `recent` when the step is in its gather stage.
  private val first = RegNext(lanes.of(source))
  private val now = lanes.from(first, RegNext(reach.beyond(ahead.one.resized)))
  private val before = lanes.from(first, RegNext(reach.beyond(ahead.one +^ ahead.two)))

  // Gather
  private val pick = RegNext(Vec((0 until width).map { i =>
    now(i) ? U(3, 2 bits) | (before(i) ? U(2, 2 bits) | U(rows.inOdd(i)).resized)
  }))
  private val even = RegNext(rows.even).subdivideIn(8 bits)
  private val odd = RegNext(rows.odd).subdivideIn(8 bits)
  private val picked = (0 until width).map(i => Vec(even(i), odd(i), recentBefore(i), recent(i)).read(pick(i)))
  private val by = Delay(lanes.of(distance), 2)
  private val turned = lanes.turnBelow(picked, by, log2Up(width) - 1)

  /** The two bytes of which `half` chooses lane i's: the last step of the turn, left to who has more to choose from. */
  def bytes(i: Int): Seq[Bits] = Seq(turned(i), turned((i + width / 2) % width))
  val half = by.msb
}

/** Where, in `copyBytes` bytes read `distance` back from the page's end, its last bytes begin. */
class Reach(config: DecompressorConfig, distance: UInt) extends Area {
  private val width = config.copyBytes
  private val bits = log2Up(width) + 2

  /** Number of the first byte that is among the page's last `copyBytes` + `less` bytes, `less` at most twice
    * `copyBytes`; `copyBytes` when there is none. */
  def beyond(less: UInt): UInt = {
    val excess = distance(bits - 1 downto 0).intoSInt - (less.resize(bits) + width).intoSInt
    val result = UInt(config.countBits bits)
    result := excess.asUInt.resized
    when(excess >= width || (distance >> bits) =/= 0) {
      result := width
    } elsewhen (excess < 0) {
      result := 0
    }
    result
  }
}
