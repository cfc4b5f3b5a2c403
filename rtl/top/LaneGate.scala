// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.engine.{EngineConfig, LaneIo}
import spinal.core._
import spinal.lib._

/** Who uses a lane: the host's commands, or a test. Nothing of the one ever reaches the other, and nothing is delayed.
  *
  * `testing` changes only while nothing is in the lane.
  */
case class LaneGate[Command <: Data](config: EngineConfig, newCommand: HardType[Command]) extends Component {
  setDefinitionName("lane_gate", false)
  val io = new Bundle {
    val testing = in Bool ()
    val host, test = slave(LaneIo(config, newCommand))
    val lane = master(LaneIo(config, newCommand))
  }

  private def inwards[T <: Data](host: Stream[T], test: Stream[T], lane: Stream[T]): Unit = {
    lane.valid := io.testing ? test.valid | host.valid
    lane.payload := io.testing ? test.payload | host.payload
    host.ready := lane.ready && !io.testing
    test.ready := lane.ready && io.testing
  }
  inwards(io.host.command, io.test.command, io.lane.command)
  inwards(io.host.source, io.test.source, io.lane.source)

  private def outwards[T <: Data](lane: Stream[T], host: Stream[T], test: Stream[T]): Unit = {
    host.valid := lane.valid && !io.testing
    test.valid := lane.valid && io.testing
    host.payload := lane.payload
    test.payload := lane.payload
    lane.ready := io.testing ? test.ready | host.ready
  }
  outwards(io.lane.result, io.host.result, io.test.result)
  outwards(io.lane.sink, io.host.sink, io.test.sink)
}
