// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.interface.Interface

/** One cycle's worth of page: up to `copyBytes` bytes, match bytes first, then literals; or the page's end. */
case class CopyStep(config: DecompressorConfig) extends Bundle {
  private val countBits = log2Up(config.copyBytes + 1) bits
  val pageEnd = Bool() // no bytes; `status` counts
  val status = Bits(8 bits)
  val position = UInt(config.engine.lengthWidth bits) // bytes of the page before this step
  val source = UInt(log2Up(config.engine.pageBytes) bits) // where the match's bytes begin in the page
  val distance = UInt(16 bits) // at which they repeat; always within the page so far
  val zeros = Bool() // the match bytes are zeros instead
  val matchCount = UInt(countBits)
  val count = UInt(countBits) // match bytes and literals
  val literals = Bits(config.copyBytes * 8 bits) // first literal in the low bits
}

/** Holds tokens against the page and cuts them into steps of one cycle.
  *
  * Here is decided that no match reaches before the page's first byte (so nothing of an earlier page can be seen) and
  * that nothing is written past `limit`. The first offence settles the page's status; the rest of its tokens are then
  * taken, one a cycle, and dropped.
  */
class TokenIssuer(config: DecompressorConfig) extends Component {
  private val width = config.copyBytes
  val io = new Bundle {
    val group = slave(Stream(TokenGroup(config)))
    val limit = in UInt (config.engine.lengthWidth bits) // bytes the page must have; steady while its tokens come
    val step = master(Stream(CopyStep(config)))
  }

  private val position = Reg(UInt(config.engine.lengthWidth bits)) init 0
  private val status = Reg(Bits(8 bits)) init Interface.STATUS_SUCCESS
  private val resumed = RegInit(False) // part of this token is issued, `rest` of its match is left
  private val rest = Reg(UInt(config.lengthBits bits))

  private val token = io.group.tokens(0)
  private val failed = status =/= Interface.STATUS_SUCCESS
  private val matchLeft = resumed ? rest | token.matchLength

  // Judged when a token is first seen.
  private val tooFar = token.matchLength =/= 0 && !token.zeroRun && token.distance > position
  private val tooLong = (position +^ token.matchLength +^ token.runLength) > io.limit
  private val refused = !resumed && (tooFar || tooLong)

  private val matchCount = (matchLeft > width) ? U(width) | matchLeft.resize(log2Up(width + 1))
  private val complete = matchLeft +^ token.literals <= width
  private val count = complete ? (matchCount + token.literals) | matchCount

  io.step.valid := False
  io.step.pageEnd := io.group.pageEnd
  io.step.position := position
  io.step.source := (position - token.distance).resized
  io.step.distance := token.distance
  io.step.zeros := token.zeroRun
  io.step.matchCount := matchCount
  io.step.count := count
  io.step.literals := token.bytes.resized
  io.step.status := status
  when(!failed) {
    when(io.group.malformed) {
      io.step.status := Interface.STATUS_MALFORMED_STREAM
    } elsewhen (position =/= io.limit) {
      io.step.status := Interface.STATUS_OUTPUT_UNDERRUN
    }
  }

  io.group.ready := False
  when(io.group.valid) {
    when(io.group.pageEnd) {
      io.step.valid := True
      io.group.ready := io.step.ready
      when(io.step.ready) {
        position := 0
        status := Interface.STATUS_SUCCESS
      }
    } elsewhen (failed) {
      io.group.ready := True
    } elsewhen (refused) {
      io.group.ready := True
      status := tooFar ? B(Interface.STATUS_MALFORMED_STREAM, 8 bits) | B(Interface.STATUS_OUTPUT_OVERRUN, 8 bits)
    } otherwise {
      io.step.valid := True
      io.group.ready := io.step.ready && complete
      when(io.step.ready) {
        position := position + count
        rest := matchLeft - matchCount
        resumed := !complete
      }
    }
  }
}
