// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Answers write bursts, in order, when the number of their last TLP has come back from the block: from then on neither a
  * completion nor a message of the card can overtake their data. A burst with a dropped TLP, or whose number does not come
  * in time, is answered SLVERR. Each has its own time, so that many lost ones take no longer than one.
  *
  * `begin`    a number goes out: an old return of it counts no more
  * `end`      at most 63 of them wait here, so that a number is never in use twice
  * `returned` numbers from the block, 0 is nobody's
  * `idle`     no burst waits
  *
  * @param places how many may wait behind the first
  */
case class WriteResponses(config: PcieConfig, places: Int = 32) extends Component {
  import config._

  val io = new Bundle {
    val begin = slave(Flow(UInt(6 bits)))
    val end = slave(Stream(WriteEnd(config)))
    val returned = Vec(slave(Flow(UInt(6 bits))), 2)
    val response = master(Stream(Axi4B(axi)))
    val idle = out Bool ()
  }

  private val arrived = Reg(Bits(64 bits)) init 0
  for (number <- io.returned) when(number.valid)(arrived(number.payload) := True)
  private val begun = io.begin.m2sPipe() // long before its number comes back
  when(begun.valid)(arrived(begun.payload) := False)

  /** A burst and when it left. */
  case class Stamped() extends Bundle {
    val end = WriteEnd(config)
    val stamp = UInt(3 bits)
  }
  private val epoch = Epoch(timeoutCycles)
  private val waiting = StreamFifo(Stamped(), places)
  waiting.io.push.arbitrationFrom(io.end)
  waiting.io.push.end := io.end.payload
  waiting.io.push.stamp := epoch.now
  private val first = waiting.io.pop.m2sPipe()
  private val head = first.translateWith(first.end)
  private val overdue = RegNext(epoch.isOver(first.stamp) && head.valid && !head.ready) init False
  private val comes = arrived(head.number) || io.returned.map(number => number.valid && number.payload === head.number).orR
  private val come = RegNext(comes && head.valid && !head.ready) init False // head is the same as a cycle ago
  private val answers = head.valid && (!head.sent || come || overdue)

  private val response = Stream(Axi4B(axi))
  response.valid := answers
  response.id := head.id
  response.resp := (head.fault || !come) ? Axi4.resp.SLVERR | Axi4.resp.OKAY
  head.ready := answers && response.ready
  io.response << response.m2sPipe().s2mPipe()
  io.idle := RegNext(!io.end.valid && waiting.io.occupancy === 0 && !head.valid && !io.response.valid) init True
}
