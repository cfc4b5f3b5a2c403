// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.engine.{ByteStream, EngineConfig, LaneResult}
import spinal.core._
import spinal.lib._

/** A test's way into and out of a lane, which is the slave: one page after `command`, as at the lane's own border. */
case class LaneTestPort(engine: EngineConfig) extends Bundle with IMasterSlave {
  val command = Event
  val source = ByteStream(engine.streamBytes)
  val result = Stream(LaneResult(engine))
  val sink = ByteStream(engine.streamBytes)
  override def asMaster(): Unit = {
    master(command, source)
    slave(result, sink)
  }
}

/** What the keeper of the lanes, the master, does to a unit and sees of it.
  *
  * `isolated` the unit takes no commands
  * `renew`    the lane is reset, from the next cycle on; only while the unit is isolated and idle
  * `testing`  the lane is the test's; only between a `renew` and the next host's command
  * `cured`    the engine's fault is forgotten
  * `ended`    how a command of the host's fared in the lane
  */
case class LaneCare(engine: EngineConfig) extends Bundle with IMasterSlave {
  val isolated, renew, testing, cured = Bool()
  val test = LaneTestPort(engine)
  val idle, faulty = Bool()
  val ended = Flow(Bits(8 bits))
  override def asMaster(): Unit = {
    out(isolated, renew, testing, cured)
    master(test)
    in(idle, faulty)
    slave(ended)
  }
}
