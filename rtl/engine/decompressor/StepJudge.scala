// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import pagepress.interface.Interface

/** Holds steps against the page, combinationally, one step a cycle at most.
  *
  * Here is decided that no match reaches before the page's first byte (so nothing of an earlier page can be seen) and
  * that nothing is written past `limit`. The first offence settles the page's status and length; it and the rest of
  * the page's steps come to nothing.
  */
class StepJudge(config: DecompressorConfig, valid: Bool, step: CopyStep, limit: UInt) extends Area {
  private val room = limit - step.position // an earlier offence apart, never below 0
  private val offences = step.shares.flatMap { share =>
    Seq((share.history > step.position) -> Interface.STATUS_MALFORMED_STREAM,
      (share.total > room) -> Interface.STATUS_OUTPUT_OVERRUN)
  }
  private val offends = offences.map(_._1).reduce(_ || _)
  private val offence = offences.foldRight(B(Interface.STATUS_SUCCESS, 8 bits)) { case ((found, status), later) =>
    found ? B(status, 8 bits) | later
  }

  private val failed = RegInit(False)
  private val failure = Reg(Bits(8 bits))
  private val failedAt = Reg(UInt(config.engine.lengthWidth bits))
  when(valid && step.pageEnd) {
    failed := False
  } elsewhen (valid && !failed && offends) {
    failed := True
    failure := offence
    failedAt := step.position
  }

  /** The step's bytes go into the page. */
  val writes = valid && !step.pageEnd && !failed && !offends
  val ends = valid && step.pageEnd
  /** Bytes of the page before this step. */
  val position = failed ? failedAt | step.position
  /** With `ends`: what became of the page. */
  val status = Bits(8 bits)
  status := Interface.STATUS_SUCCESS
  when(failed) {
    status := failure
  } elsewhen (step.malformed) {
    status := Interface.STATUS_MALFORMED_STREAM
  } elsewhen (step.position =/= limit) {
    status := Interface.STATUS_OUTPUT_UNDERRUN
  }

  /** Nothing of this page will be written from this step on. */
  val rejects = valid && !step.pageEnd && offends
}
