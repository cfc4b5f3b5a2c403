// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** Some bytes, and what is said of their end. */
case class QueuedRow[D <: Data, E <: Data](dataType: HardType[D], endType: HardType[E]) extends Bundle {
  val data = dataType()
  val end = endType()
}

/** A queue of rows. The first row's `end`, which decides when it leaves, is in a register, so that nothing waits for the
  * memory to find it; its data, of many bits, is read where it lies.
  *
  *  - `push`: always taken; there is room for `depth - 1` rows besides the first.
  *  - `pop`: the first row, from the cycle after it was pushed on.
  *  - `waiting`: rows behind it.
  */
class RowQueue[D <: Data, E <: Data](dataType: HardType[D], endType: HardType[E], depth: Int) extends Component {
  require(isPow2(depth), s"depth must be a power of two, not $depth")

  val io = new Bundle {
    val push = slave(Flow(QueuedRow(dataType, endType)))
    val pop = master(Stream(QueuedRow(dataType, endType)))
    val waiting = out(UInt(log2Up(depth + 1) bits))
  }

  val data = Mem(dataType, depth)
  val ends = Mem(endType, depth)
  val writeAt, nextAt = Reg(UInt(log2Up(depth) bits)) init 0
  val waiting = Reg(UInt(log2Up(depth + 1) bits)) init 0
  val empty = RegInit(True) // nothing waits
  io.waiting := waiting

  data.write(writeAt, io.push.data, io.push.valid)
  ends.write(writeAt, io.push.end, io.push.valid)
  when(io.push.valid)(writeAt := writeAt + 1)

  val first = new Area {
    val valid = RegInit(False)
    val at = Reg(UInt(log2Up(depth) bits))
    val end = Reg(endType())
    val free = !valid || io.pop.ready
    val take = free && (!empty || io.push.valid)
    when(free) {
      valid := !empty || io.push.valid
      at := nextAt
      end := Mux(empty, io.push.end, ends.readAsync(nextAt))
    }
  }
  when(first.take)(nextAt := nextAt + 1)
  when(io.push.valid =/= first.take) {
    waiting := Mux(first.take, waiting - 1, waiting + 1)
    empty := first.take && waiting === 1
  }

  io.pop.valid := first.valid
  io.pop.end := first.end
  io.pop.data := data.readAsync(first.at)
}
