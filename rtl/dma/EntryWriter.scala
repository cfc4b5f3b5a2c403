// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** A small aligned block of memory. */
case class Entry(bytes: Int) extends Bundle {
  val address = UInt(64 bits)
  val data = Bits(bytes * 8 bits)
}

/** Writes aligned entries of fixed size, each in a burst of its own, also where an entry is narrower than the bus.
  *
  * `entry`   what to write; its address is a multiple of `entryBytes`
  * `written` one pulse an entry, in order, once it is in memory (true: the bus failed)
  */
case class EntryWriter(config: DmaConfig, entryBytes: Int) extends Component {
  import config._
  require(isPow2(entryBytes) && entryBytes <= burstBytes, s"an entry of $entryBytes bytes does not fit a burst")

  val io = new Bundle {
    val entry = slave(Stream(Entry(entryBytes)))
    val port = master(WritePort(config))
    val written = master(Flow(Bool()))
  }

  private val beats = (entryBytes / busBytes) max 1
  private val requested = RegInit(False)
  private val beat = Reg(UInt(log2Up(beats + 1) bits)) init 0

  io.port.request.valid := io.entry.valid && !requested
  io.port.request.address := io.entry.address & ~U(busBytes - 1, 64 bits)
  io.port.request.beats := beats
  when(io.port.request.fire)(requested := True)

  io.port.data.valid := requested
  io.port.data.last := beat === beats - 1
  if (entryBytes >= busBytes) {
    io.port.data.data := io.entry.data.subdivideIn(busBytes * 8 bits)(beat.resize(log2Up(beats)))
    io.port.data.strobe.setAll()
  } else {
    val copies = busBytes / entryBytes
    val lane = io.entry.address(log2Up(busBytes) - 1 downto log2Up(entryBytes))
    io.port.data.data := Cat(Seq.fill(copies)(io.entry.data))
    io.port.data.strobe := (0 until busBytes).map(byte => lane === byte / entryBytes).asBits()
  }
  when(io.port.data.fire) {
    beat := beat + 1
    when(io.port.data.last) {
      beat := 0
      requested := False
    }
  }
  io.entry.ready := io.port.data.fire && io.port.data.last

  io.written << io.port.response
}
