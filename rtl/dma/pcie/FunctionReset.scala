// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** A function-level reset, step by step: begin nothing on the link, wait until nothing is open there (overdue completions
  * bound this by the completion timeout), let the register access under way end, reset the card, tell the block.
  *
  * `inProcess` from the block, high from the reset until `done`; `done` a pulse
  * `stop`      no new request; what is asked is answered with a fault
  * `hold`      no new register access
  * `quiet`     no read or write is open; `accessIdle` no register access is under way
  * `restart`   reset of the card
  */
case class FunctionReset() extends Component {
  val io = new Bundle {
    val inProcess = in Bool ()
    val done = out(RegInit(False))
    val stop, hold, restart = out(RegInit(False))
    val quiet, accessIdle = in Bool ()
  }

  private val resetCycles = 16
  private val inProcess = RegNext(io.inProcess) init False
  private val quiet = History(io.quiet, 8, init = False).andR // longer than it takes from room to room
  private val count = Reg(UInt(log2Up(resetCycles) bits)) init 0
  io.done := False

  new StateMachine {
    val running = new State with EntryPoint
    val draining, holding, restarting, finishing = new State

    running.whenIsActive {
      io.stop := inProcess
      when(inProcess)(goto(draining))
    }
    draining.whenIsActive(when(quiet)(goto(holding)))
    holding.whenIsActive {
      io.hold := True
      when(io.hold && io.accessIdle)(goto(restarting))
    }
    restarting.whenIsActive {
      io.restart := True
      count := count + 1
      when(count.andR) {
        io.restart := False
        io.done := True
        goto(finishing)
      }
    }
    finishing.whenIsActive {
      io.hold := False
      when(!inProcess) {
        io.stop := False
        goto(running)
      }
    }
  }
}
