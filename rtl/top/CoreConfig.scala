// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.{AddressAttributes, DmaConfig}
import pagepress.dma.pcie.PcieConfig
import pagepress.engine.EngineConfig
import pagepress.queues.QueueConfig
import spinal.core._

/** Every parameter of the card.
  *
  * @param pageBytes      bytes of a page, 4, 16 or 64 KiB or what lies between, a power of two
  * @param busBytes       bytes a cycle on the AXI manager, a power of two from 8 to 64. A compressor takes 16 of them, a
  *                       decompressor 32, or what there is
  * @param queuePairs     ring pairs, 1 to 64
  * @param maxDepthLog2   log2 of the deepest ring offered
  * @param compressors    compress engines, 1 to 8
  * @param decompressors  decompress engines, 1 to 8
  * @param burstBytes     longest AXI burst, a power of two from 64 to 4096
  * @param clockKilohertz what the CLOCK register tells software
  * @param engineKilohertz the lanes' own clock, `engine_clk`; 0: they run on the clock of all the rest
  * @param attributes     what the AXI manager's addresses are like; a card and a kernel for XRT have the usual ones
  * @param oneInterrupt   one interrupt output, the OR of all vectors, instead of one each
  * @param gated          a lane's clock stands while there is nothing in the lane (LaneClock)
  * @param coldFormat     the engines know the cold format (rtl/interface/cold.md), besides LZO1X: pages of at most 8 KiB
  * @param compressorBytes bytes a cycle of a compressor, 4, 8 or 16, at most busBytes: with 4 or 8 its match table is smaller, too; 0: as busBytes
  *                       says, with the largest table
  * @param decompressorTokens tokens a cycle of a decompressor, and of the one that verifies in each compress lane, 1 or 2; with one it copies 16
  *                       bytes a cycle at most
  * @param tended         ports `lanes` and `monitor`, by which a management part tends the lanes and sees what queues have to do
  */
case class CoreConfig(
    pageBytes: Int = 4096,
    busBytes: Int = 16,
    queuePairs: Int = 4,
    maxDepthLog2: Int = 10,
    compressors: Int = 1,
    decompressors: Int = 1,
    burstBytes: Int = 512,
    clockKilohertz: Int = 250000,
    engineKilohertz: Int = 0,
    attributes: AddressAttributes = AddressAttributes(),
    oneInterrupt: Boolean = false,
    gated: Boolean = false,
    coldFormat: Boolean = false,
    compressorBytes: Int = 0,
    decompressorTokens: Int = 2,
    tended: Boolean = false) {
  // All that can be refused is refused here, before anything is built.
  require(isPow2(pageBytes) && pageBytes >= 4096 && pageBytes <= 65536, s"pageBytes is $pageBytes: use a power of two from 4096 to 65536")
  for ((name, count) <- Seq("compressors" -> compressors, "decompressors" -> decompressors))
    require(count >= 1 && count <= 8, s"$name is $count: use 1 to 8")
  require(clockKilohertz > 0, s"clockKilohertz is $clockKilohertz: use the kilohertz of clk")
  require(engineKilohertz >= 0, s"engineKilohertz is $engineKilohertz: use 0 for no clock of the engines' own, or its kilohertz")

  val compressEngine: EngineConfig = EngineConfig(
    pageBytes = pageBytes, streamBytes = busBytes min 16, coldFormat = coldFormat, compressorBytes = compressorBytes, decompressorTokens = decompressorTokens)
  val decompressEngine: EngineConfig = compressEngine.copy(streamBytes = busBytes min 32)
  /** `engine` as its reader and writer see it: behind a faster clock it takes more than a word of its own in a bus cycle. */
  def seenFromBus(engine: EngineConfig): EngineConfig =
    if (engineKilohertz > clockKilohertz) engine.copy(streamBytes = engine.streamBytes max (busBytes min 32)) else engine
  val queues: QueueConfig = QueueConfig(
    queuePairs = queuePairs, maxDepthLog2 = maxDepthLog2, pageBytes = pageBytes, busBytes = busBytes,
    compressors = compressors, decompressors = decompressors, clockKilohertz = clockKilohertz,
    addressWidth = attributes.addressWidth, monitored = tended, coldFormat = coldFormat)
  /** For reading pages and streams; what is as wide as the bus on both sides. A compressor eats 2.8 KB (at 300 MHz 3.4) in
    * the 700 ns that a read takes across PCIe: room for two pages of 4 KiB keeps the next one coming while one is consumed.
    */
  val readDma: DmaConfig = DmaConfig(
    busBytes = busBytes, streamBytes = busBytes, burstBytes = burstBytes, bufferBytes = 8192 max 2 * burstBytes)
  /** For writing. A burst leaves when all of it is here, so short ones leave early, and PCIe seldom takes longer ones. */
  val writeDma: DmaConfig = readDma.copy(burstBytes = burstBytes min 256, bufferBytes = pageBytes max 2 * burstBytes)
  /** For reading ring entries: little is read ahead. */
  val ringDma: DmaConfig = readDma.copy(streamBytes = queues.fetchBytes, bufferBytes = 2 * (burstBytes max 512))
  val lengthWidth: Int = queues.lengthWidth
  /** One id for the rings, one for each engine. */
  val idWidth: Int = log2Up(1 + compressors + decompressors) max 1
  /** For the card, whose engines and rings are the adapter's ids. */
  def pcie: PcieConfig = PcieConfig(readDma, idWidth, ids = 1 + compressors + decompressors, vectors = 1 + queuePairs)
}
