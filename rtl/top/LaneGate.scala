// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.engine.{EngineConfig, LaneIo}
import spinal.core._
import spinal.lib._

/** Who uses a lane: the host's commands, or a test. Nothing of the one ever reaches the other, and nothing that passes is delayed.
  *
  * `testing` rises only while nothing is in the lane, and falls while something is only where the lane is reset with that. Until the reset
  *           has reached the lane, or its crossing, the lane stays the test's: for two cycles.
  */
case class LaneGate[Command <: Data](config: EngineConfig, newCommand: HardType[Command]) extends Component {
  setDefinitionName("lane_gate", false)
  val io = new Bundle {
    val testing = in Bool ()
    val host, test = slave(LaneIo(config, newCommand))
    val lane = master(LaneIo(config, newCommand))
  }

  private val testing = RegNext(io.testing || (RegNext(io.testing) init False)) init False

  private def inwards[T <: Data](host: Stream[T], test: Stream[T], lane: Stream[T]): Unit = {
    lane.valid := testing ? test.valid | host.valid
    lane.payload := testing ? test.payload | host.payload
    host.ready := lane.ready && !testing
    test.ready := lane.ready && testing
  }
  inwards(io.host.command, io.test.command, io.lane.command)
  inwards(io.host.source, io.test.source, io.lane.source)

  private def outwards[T <: Data](lane: Stream[T], host: Stream[T], test: Stream[T]): Unit = {
    host.valid := lane.valid && !testing
    test.valid := lane.valid && testing
    host.payload := lane.payload
    test.payload := lane.payload
    lane.ready := testing ? test.ready | host.ready
  }
  outwards(io.lane.result, io.host.result, io.test.result)
  outwards(io.lane.sink, io.host.sink, io.test.sink)
}
