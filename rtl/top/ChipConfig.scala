// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import spinal.core._
import spinal.core.internals.PhaseContext

/** What a chip's flow asks of the core besides its function. None of it changes what the core does.
  *
  * @param asyncReset    the reset takes effect without a clock, in every register that has one; it ends with the clock, as the chip's synchroniser has it
  * @param resetLow      the reset is active low, the port is `resetn`
  * @param clockEnable   there is a port `clk_enable`: an edge of `clk` while it is low is none, for the ports as for all inside
  * @param memoryControl each memory with a registered read is an instance of `pagepress_memory`, which a chip may bring itself, with so many bits from
  *                      `memory_control`; none: memories are written as arrays
  * @param name          the core's module, and what the names of its parts begin with; none: `core`, and the parts as their classes are called
  */
case class ChipConfig(asyncReset: Boolean = false, resetLow: Boolean = false, clockEnable: Boolean = false, memoryControl: Option[Int] = None,
                      name: Option[String] = None) {
  for (bits <- memoryControl) require(bits >= 1 && bits <= 64, s"memory control is $bits bits: use 1 to 64")
  for (word <- name) require(word.matches("[A-Za-z_][A-Za-z0-9_]*") && !ChipConfig.keyword(word), s"'$word' is no name of a module: use letters, digits and _, and no keyword")

  val domains: ClockDomainConfig =
    ClockDomainConfig(resetKind = if (asyncReset) ASYNC else SYNC, resetActiveLevel = if (resetLow) LOW else HIGH)

  /** What `made` makes, on the clock that this asks for. */
  def clocked(made: => Component): Component = if (!clockEnable) made else {
    val domain = ClockDomain.external("", withClockEnable = true)
    domain.clockEnable.setName("clk_enable")
    domain(made)
  }
}

object ChipConfig {
  /** Of Verilog, SystemVerilog or VHDL, whichever a core's neighbours are written in: SpinalHDL would use another name, unasked. */
  private def keyword(word: String): Boolean = new PhaseContext(SpinalConfig()).reservedKeyWords.contains(word)

  /** `domain` with `reset`, active high, in the place of its own: of the same kind, whatever the core's is like. */
  def resetBy(domain: ClockDomain, reset: Bool): ClockDomain = domain.copy(reset = reset, config = domain.config.copy(resetActiveLevel = HIGH))
}
