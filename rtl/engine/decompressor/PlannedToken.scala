// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** How a token fits behind the one before it in the same step; offsets count from the step's first byte. */
case class Follower(config: DecompressorConfig) extends Bundle {
  val fits = Bool() // all of it, and no byte of it is read from the same step
  val matchEnd = UInt(config.countBits bits)
  val end = UInt(config.countBits bits)
  val distance = UInt(16 bits) // to where its match is read, wherever the stream says it is
  val history = UInt(16 bits) // page bytes that must be there before the step
  val total = UInt(config.engine.lengthWidth bits) // page bytes from the step's start to the end of its match or run
}

/** A token as steps see it, whatever its position in the page.
  *
  * The last of its steps holds all its literals and, if they fit beside them, up to `copyBytes` of its match bytes. What
  * is left of the match comes in `pieces` steps before that: the first of `firstPiece` bytes, the others full. Of a token
  * too long for any page `pieces` is less, but not none.
  */
case class PlannedToken(config: DecompressorConfig) extends Bundle {
  val valid = Bool()
  val zeros = config.everyToken generate Bool()
  val distance = UInt(16 bits)
  val history = UInt(16 bits) // page bytes that must be there before it
  val total = UInt(config.engine.lengthWidth bits) // page bytes to the end of its match or run, saturated
  val pieces = UInt(log2Up(config.engine.pageBytes / config.copyBytes) + 1 bits) // steps before the last
  val single = Bool() // no pieces
  val firstPiece = UInt(config.countBits bits)
  val matchCount = UInt(config.countBits bits) // match bytes in the last step
  val count = UInt(config.countBits bits) // match and literal bytes in the last step
  val literals = Bits(config.literalBytes * 8 bits)

  /** Its match bytes in the last step stand in the page as they are read: no repetition, no zeros. */
  def plain: Bool = !zeros && history =/= 0 && distance >= matchCount
}

object PlannedToken {
  def apply(config: DecompressorConfig, token: Token): PlannedToken = {
    val width = config.copyBytes
    val laneBits = log2Up(width)
    val planned = PlannedToken(config)
    val copies = token.matchLength =/= 0
    planned.valid := token.valid
    if (config.everyToken) planned.zeros := token.zeroRun
    planned.distance := token.distance
    planned.history := (if (config.everyToken) copies && !token.zeroRun else copies) ? token.distance | U(0)
    planned.literals := token.bytes

    val total = token.matchLength +^ token.runLength
    val pastAnyPage = (total >> (planned.total.getWidth - 1)) =/= 0
    planned.total := total.resized
    when(pastAnyPage)(planned.total := (1 << planned.total.getWidth - 1) - 1)

    // Full steps and 1 to `width` bytes more, but of a run none: it counts as one that has no room for its match.
    val low = token.matchLength(laneBits - 1 downto 0)
    val full = low === 0
    val more = (full ## low).asUInt
    val beside = more +^ token.literals
    val crowded = beside > width
    val steps = token.matchLength >> laneBits
    planned.firstPiece := crowded ? more | U(width)
    planned.matchCount := crowded ? U(0) | more
    planned.count := (crowded ? token.literals.resize(beside.getWidth) | beside).resized
    planned.pieces := steps.resized
    when(crowded && !full)(planned.pieces := (steps + 1).resized)
    when(!crowded && full)(planned.pieces := (steps - 1).resized)
    planned.single := (crowded ? (full && steps === 0) | (steps === full.asUInt))
    planned
  }
}

object Follower {
  /** `token` behind `leader`'s last step. A match that reads only what `leader`'s match writes is read from where
    * that one reads, so the two need not wait for each other. Nor does any where all of the page is there already. */
  def apply(config: DecompressorConfig, leader: PlannedToken, token: PlannedToken): Follower = {
    val follower = Follower(config)
    val end = leader.count +^ token.count
    val matchEnd = leader.count +^ token.matchCount
    val behind = if (config.verifies) True else token.history === 0 || token.distance >= matchEnd
    def within = leader.plain && token.distance <= leader.count && leader.matchCount +^ token.distance >= matchEnd
    val independent = if (config.verifies) True else behind || within
    follower.fits := leader.valid && token.valid && token.single && end <= config.copyBytes && independent
    follower.matchEnd := matchEnd.resized
    follower.end := end.resized
    follower.distance := behind ? token.distance | (token.distance + leader.distance)
    // Within the leader's match it needs what the leader needs, within its bytes nothing.
    val reachesBack = if (config.verifies) token.distance > leader.count else behind
    follower.history := (token.history =/= 0 && reachesBack) ? (token.distance - leader.count) | U(0)
    follower.total := token.total + leader.count
    follower
  }
}
