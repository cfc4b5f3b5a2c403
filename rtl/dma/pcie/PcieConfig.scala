// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import pagepress.dma.{DmaConfig, ManagerPort}
import spinal.core._
import spinal.lib.bus.amba4.axi.Axi4Config
import spinal.lib.bus.misc.SizeMapping

/** Shape of the PCIe adapter.
  *
  * @param dma           the manager it serves: data width and longest burst
  * @param idWidth       bits of an AXI id
  * @param ids           ids in use, 0 to ids - 1
  * @param vectors       MSI-X vectors, one an interrupt level
  * @param tags          reads that may be outstanding, a power of two from 4 to 256; without Extended Tags the host allows 32
  * @param requestBytes  most that one read asks for, however much the host allows: each tag has a buffer of this size
  * @param completionHeaders completions that the block's receive buffer holds; what comes beyond that it drops. PG213 ("Completion
  *                      Space") lists 128, cocotbext-pcie's model has 256, as its author measured on blocks. 128 would halve what
  *                      may be outstanding, and no longer cover the round trip of a full link: rtl/README.md has the figures
  * @param completionBytes their payload that it holds, by the same table
  * @param timeoutCycles how long a completion, or word that a write has left, is waited for; PCIe asks for 50 µs to 50 ms
  * @param blockBytes    bytes a cycle of the block's interface: 64, of a link of sixteen lanes, or 16, of four (Gen3, 250 MHz)
  * @param window        bytes of BAR0's lower half that are not the core's but of the port `window`, if any
  * @param counted       there is a port `linkErrors`
  */
case class PcieConfig(
    dma: DmaConfig,
    idWidth: Int,
    ids: Int,
    vectors: Int,
    tags: Int = 256,
    requestBytes: Int = 512,
    completionHeaders: Int = 256,
    completionBytes: Int = 32768,
    timeoutCycles: Int = 12500000,
    blockBytes: Int = Tlp.BEAT_BYTES,
    window: Option[SizeMapping] = None,
    counted: Boolean = false) {
  require(isPow2(tags) && tags >= 4 && tags <= 256, s"tags is $tags: use a power of two from 4 to 256")
  require(isPow2(requestBytes) && requestBytes >= 128 && requestBytes <= 4096, s"requestBytes is $requestBytes: use a power of two from 128 to 4096")
  require(completionLines >= linesPerTag, s"$completionHeaders completions of $completionBytes bytes in all do not hold one read of $requestBytes")
  require(blockBytes == Tlp.BEAT_BYTES || blockBytes == 16, s"blockBytes is $blockBytes: use 64, or 16 for a link of four lanes")
  require(vectors <= 65, s"$vectors vectors: at most 65")

  val axi: Axi4Config = ManagerPort.axiConfig(dma, idWidth)
  val tagWidth: Int = log2Up(tags)
  /** Lines of 64 bytes in a tag's buffer. */
  lazy val linesPerTag: Int = requestBytes / Tlp.BEAT_BYTES
  /** Lines that may be outstanding: a host may answer each with a completion of its own, as its boundary may be 64 bytes. */
  lazy val completionLines: Int = completionHeaders min completionBytes / Tlp.BEAT_BYTES
  /** AXI beats in a line. */
  val beatsPerLine: Int = Tlp.BEAT_BYTES / dma.busBytes
  /** Wide enough for the beats of one read request. */
  val pieceBeatsWidth: Int = log2Up(requestBytes / dma.busBytes + 1)
}
