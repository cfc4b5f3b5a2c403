// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** For proofs: the movers of a core behind their arbiters, as small as they get. Reads under id 0; entries are written under
  * id 0, streams under id 1.
  */
case class SmallManager(config: DmaConfig, lengthWidth: Int, entryBytes: Int) extends Component {
  val io = new Bundle {
    val readJob, writeJob = slave(Stream(Transfer(lengthWidth)))
    val sink = master(DataStream(config.streamBytes))
    val source = slave(DataStream(config.streamBytes))
    val result = master(Stream(WriteResult()))
    val entry = slave(Stream(Entry(entryBytes)))
    val written = master(Flow(Bool()))
    val m_axi = master(Axi4(ManagerPort.axiConfig(config, 1)))
  }

  private val reader = PageReader(config, lengthWidth)
  reader.io.job << io.readJob
  io.sink << reader.io.sink
  private val entries = EntryWriter(config, entryBytes)
  entries.io.entry << io.entry
  io.written << entries.io.written
  private val streams = StreamWriter(config, lengthWidth)
  streams.io.job << io.writeJob
  streams.io.source << io.source
  io.result << streams.io.result

  private val reads = ReadArbiter(config, Seq(true), 1)
  reads.io.ports(0) <> reader.io.port
  private val writes = WriteArbiter(config, Seq(true, false), 1)
  writes.io.ports(0) <> entries.io.port
  writes.io.ports(1) <> streams.io.port
  io.m_axi.ar << reads.io.axi.ar
  io.m_axi.r >> reads.io.axi.r
  io.m_axi.aw << writes.io.axi.aw
  io.m_axi.w << writes.io.axi.w
  io.m_axi.b >> writes.io.axi.b

  Axi4SpecRenamer(io.m_axi)
}
