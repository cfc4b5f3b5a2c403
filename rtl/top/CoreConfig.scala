// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.DmaConfig
import pagepress.dma.pcie.PcieConfig
import pagepress.engine.EngineConfig
import pagepress.queues.QueueConfig
import spinal.core._

/** Every parameter of the card.
  *
  * @param pageBytes      bytes of a page, a power of two
  * @param streamBytes    bytes a cycle on the data path and the AXI manager, a power of two from 8 to 64
  * @param queuePairs     ring pairs, 1 to 64
  * @param maxDepthLog2   log2 of the deepest ring offered
  * @param compressors    compress engines
  * @param decompressors  decompress engines
  * @param burstBytes     longest AXI burst, a power of two to 4096
  * @param clockKilohertz what the CLOCK register tells software
  */
case class CoreConfig(
    pageBytes: Int = 4096,
    streamBytes: Int = 16,
    queuePairs: Int = 4,
    maxDepthLog2: Int = 10,
    compressors: Int = 1,
    decompressors: Int = 1,
    burstBytes: Int = 512,
    clockKilohertz: Int = 250000) {

  val engine: EngineConfig = EngineConfig(pageBytes = pageBytes, streamBytes = streamBytes)
  val queues: QueueConfig = QueueConfig(
    queuePairs = queuePairs, maxDepthLog2 = maxDepthLog2, pageBytes = pageBytes, streamBytes = streamBytes,
    compressors = compressors, decompressors = decompressors, clockKilohertz = clockKilohertz)
  /** For pages and streams. */
  val dma: DmaConfig = DmaConfig(streamBytes = streamBytes, burstBytes = burstBytes, bufferBytes = pageBytes max 2 * burstBytes)
  /** For ring entries: little is read ahead. */
  val ringDma: DmaConfig = dma.copy(bufferBytes = 2 * (burstBytes max 512))
  val lengthWidth: Int = queues.lengthWidth
  /** One id for the rings, one for each engine. */
  val idWidth: Int = log2Up(1 + compressors + decompressors) max 1
  /** For the card, whose engines and rings are the adapter's ids. */
  def pcie: PcieConfig = PcieConfig(dma, idWidth, ids = 1 + compressors + decompressors, vectors = 1 + queuePairs)
}
