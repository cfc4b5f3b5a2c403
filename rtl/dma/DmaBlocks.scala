// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import pagepress.interface.Interface
import spinal.core.Component

/** The blocks of this room that are tested alone. */
object DmaBlocks {
  def all(config: DmaConfig, lengthWidth: Int): Seq[(String, () => Component)] = Seq(
    "page_reader" -> (() => PageReader(config, lengthWidth)),
    "stream_writer" -> (() => StreamWriter(config, lengthWidth)),
    "entry_writer" -> (() => EntryWriter(config, Interface.COMPLETION_ENTRY_BYTES)),
    "burst_arbiter" -> (() => BurstArbiter(config, Seq(true, false, true, false))))
}
