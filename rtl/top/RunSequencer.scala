// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** What a run is to do. Stable from `start` to the end of the run. */
case class RunArguments() extends Bundle {
  val submissions, completions = UInt(64 bits) // addresses of the list of commands and of their completions
  val count = UInt(32 bits)
}

/** A run: the list of commands in memory becomes the submission ring of queue 0, the room for completions its completion
  * ring, one doorbell names them all. A run begins and ends with a stopped core: its queue is as after a reset, and when it
  * has ended nothing of it moves any more.
  *
  * The core refuses what is wrong (a misaligned list, more commands than a ring takes) and stops where memory fails; the run
  * then ends and `cause` says why. `start` counts while `running` is low; `done` is a pulse with `running`'s last cycle.
  */
case class RunSequencer(maxDepthLog2: Int) extends Component {
  import Interface._

  val io = new Bundle {
    val start = in Bool ()
    val arguments = in(RunArguments())
    val core = master(RegisterClient())
    val running, done = out Bool ()
    val cause = out Bits (8 bits) // of the last run, fatal_causes
  }

  private def halves(low: Int, address: UInt) =
    Seq(low -> address(31 downto 0).asBits, low + 4 -> address(63 downto 32).asBits)
  /** What sets the queue up and rings its doorbell, in this order. */
  private val setup = Seq(CARD_BASE + REGISTER_CONTROL -> B(CONTROL_ENABLE_MASK, 32 bits)) ++
    halves(QUEUE_BASE + REGISTER_SUBMISSION_BASE_LOW, io.arguments.submissions) ++
    halves(QUEUE_BASE + REGISTER_COMPLETION_BASE_LOW, io.arguments.completions) ++ Seq(
      QUEUE_BASE + REGISTER_DEPTH_LOG2 -> B(maxDepthLog2, 32 bits),
      QUEUE_BASE + REGISTER_MODERATION -> B(0, 32 bits),
      QUEUE_BASE + REGISTER_QUEUE_CONTROL -> B(QUEUE_CONTROL_ENABLE_MASK, 32 bits),
      DOORBELL_BASE + REGISTER_SUBMISSION_TAIL -> io.arguments.count.asBits)

  object Step extends SpinalEnum {
    val IDLE, STOP, STOPPED, SET_UP, QUEUE, CARD, TAIL, CAUSE = newElement()
  }
  private val step = RegInit(Step.IDLE)
  private val asked = RegInit(False) // the step's access is under way
  private val finished = RegInit(False) // the stop that ends the run
  private val written = Counter(setup.size)
  private val cause = Reg(Bits(8 bits)) init FATAL_NONE

  private val access = io.core.access
  access.valid := step =/= Step.IDLE && !asked
  access.write := step === Step.STOP || step === Step.SET_UP
  access.data := (step === Step.SET_UP) ? setup.map(_._2).read(written) | B(0, 32 bits)
  access.address := step.mux(
    Step.STOP -> U(CARD_BASE + REGISTER_CONTROL, access.address.getWidth bits),
    Step.SET_UP -> Vec(setup.map { case (offset, _) => U(offset, access.address.getWidth bits) }).read(written),
    Step.QUEUE -> U(QUEUE_BASE + REGISTER_QUEUE_STATUS, access.address.getWidth bits),
    Step.TAIL -> U(QUEUE_BASE + REGISTER_COMPLETION_TAIL, access.address.getWidth bits),
    Step.CAUSE -> U(CARD_BASE + REGISTER_FATAL_CAUSE, access.address.getWidth bits),
    default -> U(CARD_BASE + REGISTER_STATUS, access.address.getWidth bits)) // STOPPED, CARD

  io.done := False
  private val word = io.core.answer.payload
  private def end(): Unit = { finished := True; step := Step.STOP }
  when(access.fire)(asked := True)
  when(io.core.answer.valid) {
    asked := False
    switch(step) {
      is(Step.STOP)(step := Step.STOPPED)
      is(Step.STOPPED) {
        when(!word(STATUS_READY_SHIFT)) {
          step := finished ? Step.IDLE | Step.SET_UP
          io.done := finished
        }
      }
      is(Step.SET_UP) {
        written.increment()
        when(written.willOverflowIfInc)(step := Step.QUEUE)
      }
      is(Step.QUEUE) {
        step := Step.CARD
        when(word(QUEUE_STATUS_ERROR_SHIFT)) {
          cause := word(QUEUE_STATUS_CAUSE_SHIFT, 8 bits)
          end()
        }
      }
      is(Step.CARD)(step := word(STATUS_FATAL_SHIFT) ? Step.CAUSE | Step.TAIL)
      is(Step.TAIL) {
        step := Step.QUEUE
        when(word.asUInt === io.arguments.count)(end())
      }
      is(Step.CAUSE) {
        cause := word(7 downto 0)
        end()
      }
    }
  }
  when(io.start && step === Step.IDLE) {
    step := Step.STOP
    finished := False
    cause := FATAL_NONE
  }
  io.running := step =/= Step.IDLE
  io.cause := cause
}
