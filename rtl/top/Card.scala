// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.pcie.{BlockPorts, PcieAdapter}
import spinal.core._
import spinal.lib._

/** The card: a core behind the AMD UltraScale+ PCIE4 integrated block, on the block's 250 MHz user clock and reset.
  * rtl/README.md lists every port.
  *
  * @param tags          reads that may be outstanding
  * @param timeoutCycles how long a completion is waited for; tests cannot wait as long as hosts may take
  */
case class Card(config: CoreConfig, tags: Int = 256, timeoutCycles: Int = 12500000) extends Component {
  val io = master(BlockPorts())
  noIoPrefix()

  private val adapter = PcieAdapter(config.pcie.copy(tags = tags, timeoutCycles = timeoutCycles))
  adapter.io.block <> io
  private val core = new ResetArea(adapter.io.restart, cumulative = true) { val made = Core(config) }.made
  adapter.io.m_axi << core.io.m_axi
  core.io.s_axi << adapter.io.s_axi
  adapter.io.interrupt := core.io.interrupt
}
