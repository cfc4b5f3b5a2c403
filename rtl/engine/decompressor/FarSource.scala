// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** The match bytes of one share of a step but for near ones, in their lanes.
  *
  * Input: the step, in its judge stage. Output `bytes` and `half`, three cycles later: lane i's is the page's byte `distance`
  * before the address that is to be written in lane i; without meaning for a repeating match.
  *
  * The history's read, in the address stage, cannot count on what the keep stage writes in that cycle, and comes before what the
  * three steps ahead will write. The page's last bytes as they are and were have these: those that are old enough in the
  * read stage are chosen there, the rest in the gather stage.
  *
  * @param ahead bytes of the page that the next steps ahead bring: of the next one, of the next two, three and four
  * @param pages the page's last `copyBytes` bytes: as they are, and were one and two cycles ago
  */
class FarSource(config: DecompressorConfig, position: UInt, distance: UInt, ahead: Seq[UInt], memory: HistoryMemory,
    pages: Seq[Vec[Bits]]) extends Area {
  private val width = config.copyBytes
  private val lanes = new Lanes(width)

  // Judge
  private val source = (position - distance.resized).resize(log2Up(config.engine.pageBytes))
  private val reach = new Reach(config, distance)
  private val reaches = ahead.map(bytes => RegNext(reach.beyond(bytes)))

  // Address: bytes numbered from the first one read.
  private val rows = memory.read(source)
  private val address = RegNext(source)
  private val inOdd = memory.inOdd(address)
  private val lastBytes = reaches.map(lanes.from(lanes.of(address), _))
  private val pickRow = RegNext(Vec((0 until width).map(i => lastBytes(3)(i) ? U(2, 2 bits) | U(inOdd(i)).resize(2))))
  private val pickPage = RegNext(Vec((0 until width).map { i =>
    lastBytes(1)(i) ? U(0, 2 bits) | (lastBytes(2)(i) ? U(1, 2 bits) | U(2, 2 bits))
  }))
  private val isLatest = Delay(lastBytes(0), 2)

  // Read: the rows come late, so the choice among the page's last bytes stands before they do.
  private val even = rows.even.subdivideIn(8 bits)
  private val odd = rows.odd.subdivideIn(8 bits)
  private val older = (0 until width).map { i =>
    RegNext(Choose(Seq(even(i), odd(i), Choose(pages.map(_(i)), pickPage(i))), pickRow(i)))
  }

  // Gather
  private val picked = (0 until width).map(i => isLatest(i) ? pages(0)(i) | older(i))
  private val by = Delay(lanes.of(distance), 3)
  private val turned = lanes.turnBelow(picked, by, log2Up(width) - 1)

  /** The two bytes of which `half` chooses lane i's: the last step of the turn, left to who has more to choose from. */
  def bytes(i: Int): Seq[Bits] = Seq(turned(i), turned((i + width / 2) % width))
  val half = by.msb
}

/** Where, in `copyBytes` bytes read `distance` back from the page's end, its last bytes begin. */
class Reach(config: DecompressorConfig, distance: UInt) extends Area {
  private val width = config.copyBytes
  private val bits = log2Up(width) + 3
  private val distant = (distance >> bits) =/= 0

  /** Number of the first byte that is among the page's last `copyBytes` + `more` bytes, `more` at most four times `copyBytes`;
    * `copyBytes` when there is none. */
  def beyond(more: UInt): UInt = {
    val excess = distance(bits - 1 downto 0).intoSInt - (more.resize(bits) + width).intoSInt
    val result = UInt(config.countBits bits)
    result := excess.asUInt.resized
    when(distant || !excess.msb && (excess >> log2Up(width)) =/= 0) { // without a comparison's carry chain
      result := width
    } elsewhen (excess.msb) {
      result := 0
    }
    result
  }
}
