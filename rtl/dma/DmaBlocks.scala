// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import pagepress.interface.Interface
import spinal.core._
import spinal.lib.StreamFifo

/** The blocks of this room that are tested alone. */
object DmaBlocks {
  def all(config: DmaConfig, lengthWidth: Int): Seq[(String, () => Component)] = Seq(
    "page_reader" -> (() => PageReader(config, lengthWidth)),
    "page_reader_wide" -> (() => PageReader(config.copy(busBytes = 64, streamBytes = 16), lengthWidth)),
    "stream_writer" -> (() => StreamWriter(config, lengthWidth)),
    "stream_writer_wide" -> (() => StreamWriter(config.copy(busBytes = 64, streamBytes = 16), lengthWidth)),
    "entry_writer" -> (() => EntryWriter(config, Interface.COMPLETION_ENTRY_BYTES)),
    "burst_arbiter" -> (() => BurstArbiter(config, Seq(true, false, true, false))),
    // For proofs: the smallest that still has bursts of several beats and several bursts a transfer.
    "page_reader_small" -> (() => PageReader(DmaConfig(busBytes = 8, streamBytes = 8, burstBytes = 64, bufferBytes = 128), lengthWidth = 7)),
    "stream_writer_small" -> (() => StreamWriter(DmaConfig(busBytes = 8, streamBytes = 8, burstBytes = 64, bufferBytes = 128), lengthWidth = 7)),
    "manager_small" -> (() => SmallManager(DmaConfig(busBytes = 8, streamBytes = 8, burstBytes = 64, bufferBytes = 128), lengthWidth = 7, entryBytes = 16)),
    "stream_fifo" -> (() => new StreamFifo(Bits(2 bits), 4)))
}
