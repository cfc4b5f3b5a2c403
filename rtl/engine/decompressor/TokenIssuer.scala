// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** One token's share of a step; offsets count from the step's first byte. Its match ends at `matchEnd`, its literals
  * behind that at `end`; they begin where the share before ends. */
case class StepShare(config: DecompressorConfig) extends Bundle {
  val matchEnd = UInt(config.countBits bits)
  val end = UInt(config.countBits bits)
  val zeros = config.everyToken generate Bool() // the match bytes are zeros
  val distance = UInt(16 bits) // back to what the match reads
  val history = UInt(16 bits) // page bytes that must be there before the step
  val total = UInt(config.engine.lengthWidth bits) // page bytes from the step's start that must fit the page
  val literals = Bits(config.literalBytes * 8 bits) // first literal in the low bits
}

/** One cycle's worth of page, up to `copyBytes` bytes, a share for each of its tokens; or the page's end. */
case class CopyStep(config: DecompressorConfig) extends Bundle {
  val pageEnd = Bool() // no bytes; `malformed` counts
  val malformed = Bool()
  val position = UInt(config.engine.lengthWidth bits) // bytes of the page before this step
  val shares = Vec(StepShare(config), config.tokens)
  def count: UInt = shares.last.end
}

/** Cuts tokens into steps of one cycle and puts tokens that fit into one together.
  *
  * Input: planned groups. Output: at most one step a cycle, in cycles in which `room` is up. A step holds one token's
  * piece, or a token's last piece and the whole token after it, also out of the next group if that is there already.
  * Once `offends` has said that the step before is no good nothing more of its page will be written, and each token
  * takes one step.
  */
class TokenIssuer(config: DecompressorConfig) extends Component {
  private val width = config.copyBytes
  val io = new Bundle {
    val group = slave(Stream(PlannedGroup(config)))
    val room = in Bool ()
    val offends = in Bool () // with the step that was issued in the cycle before
    val step = master(Flow(CopyStep(config)))
    val ends = config.verifies generate (out Bool ()) // the page's end is issued, and in `step` in the next cycle
  }
  private val position = Reg(UInt(config.engine.lengthWidth bits)) init 0
  private val resumed = RegInit(False) // some pieces of this token are issued, `left` more before its last step
  private val left = Reg(cloneOf(io.group.payload.tokens(0).pieces))
  private val noneLeft = Reg(Bool())
  private val dropping = RegInit(False)

  private val next = io.group.m2sPipe()
  private val current = next.m2sPipe()
  private val step = CopyStep(config)
  private val lead = PlannedToken(config)
  private val single = Bool() // the lead is
  private val share = step.shares(0)
  private val last = dropping || (resumed ? noneLeft | single)
  private val piece = resumed ? U(width) | lead.firstPiece

  step.pageEnd := current.pageEnd
  step.malformed := current.malformed
  step.position := position
  share.matchEnd := last ? lead.matchCount | piece
  share.end := last ? lead.count | piece
  if (config.everyToken) share.zeros := lead.zeros
  share.distance := lead.distance
  share.history := lead.history
  share.total := resumed ? U(0) | lead.total
  share.literals := lead.literals

  private val issue = current.valid && io.room
  private val empty = Bool() // nothing of this group is left

  if (!config.pairs) {
    lead := current.tokens(0)
    single := lead.single
    empty := False
    current.ready := io.room && (last || current.pageEnd)
  } else {
    val behindFirst = RegInit(False) // the group's first token is issued
    // What decides over the next token, told a cycle before.
    val lastOfGroup, nothingLeft, leadIsSingle = Reg(Bool())
    lead := behindFirst ? current.tokens(1) | current.tokens(0)
    single := leadIsSingle
    empty := nothingLeft
    val partner = lastOfGroup ? next.tokens(0) | current.tokens(1)
    val follower = lastOfGroup ? next.followers(0) | current.followers(1)
    val both = last && !current.pageEnd && !empty && follower.fits && (!lastOfGroup || next.valid)

    val second = step.shares(1)
    second.matchEnd := both ? follower.matchEnd | share.end
    second.end := both ? follower.end | share.end
    if (config.everyToken) second.zeros := partner.zeros
    second.distance := follower.distance
    second.history := both ? follower.history | U(0)
    second.total := both ? follower.total | U(0)
    second.literals := partner.literals

    current.ready := io.room && (current.pageEnd || empty || (last && (lastOfGroup || both)))
    val takesNext = issue && lastOfGroup && both
    when(next.ready) {
      behindFirst := takesNext
      lastOfGroup := takesNext || !next.tokens(1).valid
      nothingLeft := takesNext && !next.tokens(1).valid
      leadIsSingle := takesNext ? next.tokens(1).single | next.tokens(0).single
    } elsewhen (issue && last) {
      behindFirst := True
      lastOfGroup := True
      leadIsSingle := current.tokens(1).single
    }
  }

  private val pieces = resumed ? left | lead.pieces
  when(issue && !empty) {
    position := current.pageEnd ? U(0) | (position + step.count)
    resumed := !last && !current.pageEnd
    left := pieces - 1
    noneLeft := pieces === 1
  }
  when(issue && current.pageEnd) {
    dropping := False
  } elsewhen (io.offends) {
    dropping := True
  }
  if (config.verifies) io.ends := issue && current.pageEnd
  io.step.valid := RegNext(issue && !empty) init False
  io.step.payload := RegNext(step)
}

object TokenIssuer {
  /** Cycles from the group whose token begins a step to the step. */
  val latency = 1
}
