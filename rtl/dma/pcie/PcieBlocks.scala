// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import pagepress.dma.DmaConfig
import spinal.core.Component

/** The blocks of this room that are generated alone for proofs, as small as they get. */
object PcieBlocks {
  private val small = PcieConfig(DmaConfig(busBytes = 64, streamBytes = 16), idWidth = 1, ids = 2, vectors = 1, tags = 4, timeoutCycles = 3)

  def all: Seq[(String, () => Component)] = Seq(
    "tag_table_small" -> (() => TagTable(small, ordinary = 2)),
    "write_responses_small" -> (() => WriteResponses(small, places = 2)))
}
