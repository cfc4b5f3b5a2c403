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
  * step with the token before it. One group a cycle, none is made to wait; a group comes out planned one cycle later.
  */
class TokenPlanner(config: DecompressorConfig) extends Component {
  val io = new Bundle {
    val group = slave(Flow(TokenGroup(config)))
    val planned = master(Flow(PlannedGroup(config)))
  }
  private val valid = RegNext(io.group.valid) init False
  private val pageEnd = RegNext(io.group.pageEnd)
  private val malformed = RegNext(io.group.malformed)
  private val tokens = io.group.tokens.map(token => RegNext(PlannedToken(config, token)))

  io.planned.valid := valid
  io.planned.pageEnd := pageEnd
  io.planned.malformed := malformed
  for ((planned, token) <- io.planned.tokens zip tokens) planned := token
  if (config.pairs) {
    // The last token of the group before; none at a page's start.
    val before = Reg(PlannedToken(config))
    before.valid init False
    when(valid)(before := tokens(1).valid ? tokens(1) | tokens(0))
    io.planned.followers(0) := Follower(config, before, tokens(0))
    io.planned.followers(1) := Follower(config, tokens(0), tokens(1))
  }
}

object TokenPlanner {
  /** Cycles from a group to its plan. */
  val latency = 1
}
