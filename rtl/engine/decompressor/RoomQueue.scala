// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._

/** A queue behind a pipeline that is never halted.
  *
  * Input: `push`, always taken. `room` is a register: while it is up, whatever begins now, and all that is under way,
  * finds a place, as long as no more than `underWay` elements begin from an element's beginning to two cycles after its push.
  * Output: `pop`, one cycle behind the push at the earliest; its `valid` is a register.
  */
class RoomQueue[T <: Data](payload: HardType[T], depth: Int, underWay: Int) extends Component {
  require(isPow2(depth) && depth > underWay, s"depth must be a power of two above $underWay, not $depth")
  val io = new Bundle {
    val push = slave(Flow(payload()))
    val room = out Bool ()
    val pop = master(Stream(payload()))
  }
  private val memory = Mem(payload(), depth)
  private val pushAt, popAt = Reg(UInt(log2Up(depth) bits)) init 0
  private val filled = RegInit(False)
  // Whether one leaves is known late in the cycle, so it is counted in the next: one place too few is no harm.
  private val count = Reg(UInt(log2Up(depth + 1) bits)) init 0
  private val left = RegNext(io.pop.fire) init False

  when(io.push.valid)(pushAt := pushAt + 1)
  when(io.pop.fire)(popAt := popAt + 1)
  when(io.push.valid && !left) {
    count := count + 1
  } elsewhen (!io.push.valid && left) {
    count := count - 1
  }
  filled := io.push.valid || (filled && (!io.pop.ready || popAt + 1 =/= pushAt))
  memory.write(pushAt, io.push.payload, io.push.valid)
  io.pop.valid := filled
  io.pop.payload := memory.readAsync(popAt)
  io.room := RegNext(count <= depth - underWay) init False
}
