// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.engine.{EngineConfig, LaneIo}
import spinal.core._
import spinal.lib._

/** Lets a lane run on a clock of its own, whatever its ratio to the bus clock: each of its four streams goes through a FIFO
  * whose pointers cross in Gray code.
  *
  * `stopped`   forget all that is in the lane or on its way; a cycle is enough
  * `bus`       the lane as the rest sees it, on this component's clock
  * `lane`      the lane itself, on `engineClock`
  * `laneReset` of the lane, active high, at least three cycles of `engineClock` long
  *
  * After `stopped`, or a reset, nothing enters or leaves `bus` until the lane has been seen in reset and out of it again,
  * and so the FIFOs' sides never differ in what they have forgotten. A clock that stands still only delays that.
  * Latency: 3 to 4 cycles of the clock that a word goes to. Words pass one a cycle of the slower clock, commands and
  * results, of which a page has one, four in about nine.
  */
case class LaneCrossing[Command <: Data](engineClock: ClockDomain, config: EngineConfig, newCommand: HardType[Command])
    extends Component {
  setDefinitionName("lane_crossing", false)

  val io = new Bundle {
    val stopped = in Bool ()
    val bus = slave(LaneIo(config, newCommand))
    val lane = master(LaneIo(config, newCommand))
    val laneReset = out Bool ()
  }

  /** Four steps: asked, in reset, asked no more, out of reset. A step waits for the one before to be seen on the other side, so
    * `asked` may change only when it equals `seen`, and a reset of the bus clock's side must not break it off: these
    * registers have initial values instead. Where there is no such thing, they agree after sixteen cycles of the slower
    * clock with `stopped` high, as it is until software has enabled the card.
    */
  private val handshake = new Area {
    val here = ClockDomain.current.withBootReset()
    val there = engineClock.withBootReset()
    val asked = here(RegInit(True))
    val laneReset = there(RegNext(BufferCC(asked, True)) init True)
    val seen = here(BufferCC(laneReset, True))
    here on when(asked === seen)(asked := io.stopped)
  }
  private val closed = RegNext(io.stopped || handshake.asked || handshake.seen) init True
  io.laneReset := handshake.laneReset

  private val busSide = ChipConfig.resetBy(ClockDomain.current, ClockDomain.current.isResetActive || closed)
  private val laneSide = ChipConfig.resetBy(engineClock, handshake.laneReset)

  /** Words that keep a stream at full rate while the pointers make their way there and back. */
  private val wordsAhead = 16
  private val commandsAhead = 4

  private def cross[T <: Data](from: Stream[T], to: Stream[T], depth: Int, push: ClockDomain, pop: ClockDomain): Unit = {
    val fifo = new StreamFifoCC(from.payloadType, depth, push, pop, withPopBufferedReset = false)
    fifo.io.push << from
    to << fifo.io.pop
  }

  cross(io.bus.command.haltWhen(closed), io.lane.command, commandsAhead, busSide, laneSide)
  cross(io.bus.source.haltWhen(closed), io.lane.source, wordsAhead, busSide, laneSide)
  cross(io.lane.sink, io.bus.sink, wordsAhead, laneSide, busSide)
  cross(io.lane.result, io.bus.result, commandsAhead, laneSide, busSide)
}
