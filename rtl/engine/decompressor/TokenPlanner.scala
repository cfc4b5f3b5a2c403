// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** The tokens of a TokenGroup, planned; each knows how it fits behind the token before it. */
case class PlannedGroup(config: DecompressorConfig) extends Bundle {
  val pageEnd = Bool()
  val malformed = Bool()
  val tokens = Vec(PlannedToken(config), config.tokens)
  val followers = config.pairs generate Vec(Follower(config), config.tokens)
}

/** Works out all of a token that does not depend on its position: how many steps it takes, and whether it fits into one
  * step with the token before it. Two stages, one group a cycle.
  */
class TokenPlanner(config: DecompressorConfig) extends Component {
  val io = new Bundle {
    val group = slave(Stream(TokenGroup(config)))
    val planned = master(Stream(PlannedGroup(config)))
  }

  private val alone = io.group.map { group =>
    val planned = PlannedGroup(config)
    if (config.pairs) planned.followers.assignDontCare()
    planned.pageEnd := group.pageEnd
    planned.malformed := group.malformed
    for ((plan, token) <- planned.tokens zip group.tokens) plan := PlannedToken(config, token)
    planned
  }.m2sPipe()

  private val together = alone.map { group =>
    val planned = PlannedGroup(config)
    planned.pageEnd := group.pageEnd
    planned.malformed := group.malformed
    planned.tokens := group.tokens
    if (config.pairs) {
      val before = Reg(PlannedToken(config)) // the last token of the group before; none at a page's start
      before.valid init False
      when(alone.fire) { before := group.tokens.reduce((first, second) => second.valid ? second | first) }
      val leaders = before +: group.tokens.init
      for (i <- 0 until config.tokens) planned.followers(i) := Follower(config, leaders(i), group.tokens(i))
    }
    planned
  }
  io.planned << together.m2sPipe()
}
