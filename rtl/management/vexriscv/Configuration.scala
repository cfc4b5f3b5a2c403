// SPDX-License-Identifier: Apache-2.0
package pagepress.management.vexriscv

import spinal.core.{ClockDomainConfig, SYNC, SpinalConfig}
import vexriscv.plugin._
import vexriscv.{VexRiscv, VexRiscvConfig}

/** The management part's processor: RV32IM with interrupts and the cycle counter, beside memories that answer in the second cycle, and so without caches.
  * .tools/install-management compiles this together with VexRiscv, and not with the card.
  *
  * Illegal instructions and data that is not aligned are not caught: the two checks are what the slowest paths would lead through, into everything
  * that stands still, and firmware's own trap does nothing but wait for the watchdog. For the same reason what the last instruction calculates is not
  * handed to the next one in the same cycle, and operands are chosen a stage before they are added: the next one waits for a cycle instead.
  *
  * Its modules have its name before theirs, as the card has some of the same names.
  *
  * Usage: Configuration <folder>
  */
object Configuration {
  private val registers = CsrPluginConfig.small(mtvecInit = 0).copy(mtvecAccess = CsrAccess.READ_WRITE, mscratchGen = true, mcycleAccess = CsrAccess.READ_ONLY,
    wfiGenAsNop = true, pipelineCsrRead = true)

  private def plugins = Seq(
    // The address leaves from a register, as it leads to every block of memory.
    new IBusSimplePlugin(resetVector = 0, cmdForkOnSecondStage = true, cmdForkPersistence = false, prediction = STATIC, busLatencyMin = 2, pendingMax = 4,
      injectorStage = true, vecRspBuffer = true) {
      // Nor does fetching wait for what stands still in the pipeline in the same cycle: an instruction that cannot go on is kept.
      override val injectorReadyCutGen = true
    },
    new DBusSimplePlugin,
    new CsrPlugin(registers),
    new DecoderSimplePlugin,
    new RegFilePlugin(regFileReadyKind = ASYNC),
    new IntAluPlugin,
    new SrcPlugin(executeInsertion = false),
    new FullBarrelShifterPlugin,
    new MulPlugin,
    new DivPlugin,
    new HazardSimplePlugin(bypassExecute = false, bypassMemory = true, bypassWriteBack = true, bypassWriteBackBuffer = true),
    new BranchPlugin(earlyBranch = false, catchAddressMisaligned = false))

  def main(arguments: Array[String]): Unit =
    SpinalConfig(targetDirectory = arguments(0), privateNamespace = true, defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC))
      .generateVerilog(new VexRiscv(VexRiscvConfig(plugins)))
}
