// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** The rows between preparing and walking, in LUT memory: each as it came, once more where the row behind it is found, and
  * each as it was prepared, what the walker follows apart from the rest.
  *
  * Rows are numbered as they come, modulo twice the ring; `parsable` is the first that cannot be walked.
  * A row can be once it is prepared and the two behind it are here, or its page ends before: no step from it needs more
  * than these.
  *
  * `room` tells the source of rows whether more may come; it is registered, and leaves space for the rows on their
  * way.
  */
class RowRing(config: DecompressorConfig) extends Component {
  private val numberBits = log2Up(2 * config.rows) bits
  private val indexBits = log2Up(config.rows)
  val io = new Bundle {
    val row = slave(Flow(StreamRow(config)))
    val prepared = slave(Flow(PreparedRow(config)))
    val room = out Bool ()
    val walked = in UInt (numberBits) // no longer needed: the rows before this one
    val parsable = out UInt (numberBits)
    val walkedRead = slave(RowRead(config, WalkedRow(config)))
    val placesRead = slave(RowRead(config, Vec(Place(config), config.rowBytes)))
    val rowReads = Vec.fill(RowRing.readers)(slave(RowRead(config, StreamRow(config))))
    val rowBefore = slave(RowRead(config, StreamRow(config))) // the row before the one it names
  }

  private val rows, rowsBefore = Mem(StreamRow(config), config.rows)
  private val walkedRows = Mem(WalkedRow(config), config.rows)
  private val places = Mem(Vec(Place(config), config.rowBytes), config.rows)
  private val arrived, prepared, parsable = Reg(UInt(numberBits)) init 0
  rows.write(arrived(indexBits - 1 downto 0), io.row.payload, enable = io.row.valid)
  rowsBefore.write((arrived + 1)(indexBits - 1 downto 0), io.row.payload, enable = io.row.valid)
  walkedRows.write(prepared(indexBits - 1 downto 0), io.prepared.walked, enable = io.prepared.valid)
  places.write(prepared(indexBits - 1 downto 0), io.prepared.places, enable = io.prepared.valid)
  io.walkedRead.data := walkedRows.readAsync(io.walkedRead.index)
  io.placesRead.data := places.readAsync(io.placesRead.index)
  io.rowBefore.data := rowsBefore.readAsync(io.rowBefore.index)
  io.rowReads.foreach(read => read.data := rows.readAsync(read.index))

  private val preparedNext = prepared + io.prepared.valid.asUInt
  private val endInSight = io.prepared.walked.last || io.prepared.walked.nextIsLast
  when(io.row.valid) { arrived := arrived + 1 }
  prepared := preparedNext
  when(io.row.valid || (io.prepared.valid && endInSight)) {
    parsable := preparedNext
  } elsewhen (io.prepared.valid) {
    parsable := prepared
  }
  io.parsable := parsable

  // Three rows may be on their way when this falls; the walker runs ahead of `walked` by two at most.
  private val used = (arrived - io.walked).asSInt
  io.room := RegNext(used < config.rows - 7) init False
}

object RowRing {
  /** A row for the walker, three for the extractor. */
  val readers = 4
}

/** An asynchronous read port of the ring; master is who reads. */
case class RowRead[T <: Data](config: DecompressorConfig, row: HardType[T]) extends Bundle with IMasterSlave {
  val index = UInt(log2Up(config.rows) bits)
  val data = row()

  override def asMaster(): Unit = {
    out(index)
    in(data)
  }
}
