// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** A row of a stream on its way into the memories that keep it; bytes behind the stream's end mean nothing. */
case class StoredRow(bufferBytes: Int) extends Bundle {
  val row = UInt(log2Up(bufferBytes / StoredRow.bytes) bits)
  val data = Bits(StoredRow.bytes * 8 bits)
}

object StoredRow {
  val bytes = 16
}

/** A stream by words of 64 bits: each asked for is there in the next cycle. */
class StreamMemory(bufferBytes: Int) extends Component {
  val io = new Bundle {
    val write = slave(Flow(StoredRow(bufferBytes)))
    val request = slave(Flow(UInt(log2Up(bufferBytes) - 3 bits)))
    val response = master(Flow(Bits(64 bits)))
  }
  private val rows = Mem(Bits(StoredRow.bytes * 8 bits), bufferBytes / StoredRow.bytes)
  rows.addAttribute("no_rw_check") // nothing is read of a stream before all of it is written
  rows.write(io.write.row, io.write.data, io.write.valid)
  private val row = rows.readSync(io.request.payload >> 1, io.request.valid)
  io.response.valid := RegNext(io.request.valid) init False
  io.response.payload := RegNext(io.request.payload.lsb) ? row(127 downto 64) | row(63 downto 0)
}

/** Sixteen bytes from any byte on, two cycles after it has been named, of a memory that is written by rows or halves of them. */
class ByteWindow(bufferBytes: Int) extends Component {
  private val rows = bufferBytes / StoredRow.bytes
  val io = new Bundle {
    val write = slave(Flow(StoredRow(bufferBytes)))
    val half = slave(Flow(HalfRow(bufferBytes))) // never with `write`
    val at = in UInt (log2Up(bufferBytes) bits)
    val bytes = out(Vec(Bits(8 bits), StoredRow.bytes))
  }
  // Even and odd rows apart, and of each the halves.
  private val row = io.at >> 4
  private val banks = for (odd <- 0 until 2; high <- 0 until 2) yield {
    val memory = Mem(Bits(64 bits), rows / 2)
    memory.addAttribute("no_rw_check") // literals are read when all are there
    val mine = io.write.valid && io.write.row.lsb === Bool(odd == 1)
    val mineOfHalf = io.half.valid && io.half.row.lsb === Bool(high == 1) && io.half.row(1) === Bool(odd == 1)
    memory.write(mine ? (io.write.row >> 1) | (io.half.row >> 2),
      mine ? io.write.data(64 * high + 63 downto 64 * high) | io.half.data, mine || mineOfHalf)
    memory.readSync(if (odd == 1) row >> 1 else (row + row.lsb.asUInt) >> 1)
  }
  private val first = RegNext(io.at(4 downto 0)) // within an even and an odd row
  private val bytes = banks.flatMap(_.subdivideIn(8 bits))
  private val window = Seq(3, 1, 0).foldLeft(bytes) { (from, low) =>
    val high = if (low == 0) 0 else low + 1
    val (step, ways) = (1 << low, 1 << (high - low + 1))
    (0 until StoredRow.bytes + step - 1).map(i =>
      Choose((0 until ways).map(way => from((i + way * step) % from.size)), first(high downto low)))
  }
  io.bytes := RegNext(Vec(window))
}

/** Half a row of literals. */
case class HalfRow(bufferBytes: Int) extends Bundle {
  val row = UInt(log2Up(bufferBytes) - 3 bits)
  val data = Bits(64 bits)
}
