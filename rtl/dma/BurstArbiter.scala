// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._

/** A burst and the port that asked for it. */
case class GrantedBurst(config: DmaConfig, ports: Int) extends Bundle {
  val burst = Burst(config)
  val port = UInt(log2Up(ports) max 1 bits)
}

/** Chooses whose burst goes next: urgent ports before ordinary ones, each class in turn. An ordinary port waits for at
  * most `patience` urgent bursts before its class is served once, so nobody starves. Latency 2 cycles, a burst a cycle,
  * one port's every second cycle. No path leads through from ready to ready: each port's burst waits in a register.
  *
  * @param urgent one flag a port
  */
case class BurstArbiter(config: DmaConfig, urgent: Seq[Boolean], patience: Int = 4) extends Component {
  private val ports = urgent.length

  val io = new Bundle {
    val requests = Vec(slave(Stream(Burst(config))), ports)
    val granted = master(Stream(GrantedBurst(config, ports)))
  }

  private val requests = io.requests.map(_.halfPipe())
  private val waiting = requests.map(_.valid).asBits()
  private val urgentPorts = urgent.map(Bool(_)).asBits()
  private val urgentWaiting = (waiting & urgentPorts).orR
  private val ordinaryWaiting = (waiting & ~urgentPorts).orR
  private val overtaken = Reg(UInt(log2Up(patience + 1) bits)) init 0 // urgent bursts granted while an ordinary one waited
  private val serveUrgent = urgentWaiting && !(ordinaryWaiting && overtaken === patience)

  // One pointer a class: the port after the last one served comes first.
  private def turn = Reg(Bits(ports bits)) init 1
  private val urgentTurn, ordinaryTurn = turn
  private val chosen = serveUrgent ? Turns.first(waiting & urgentPorts, urgentTurn) | Turns.first(waiting & ~urgentPorts, ordinaryTurn)

  private val next = Stream(GrantedBurst(config, ports))
  next.valid := waiting.orR
  next.burst := MuxOH(chosen, requests.map(_.payload))
  next.port := OHToUInt(chosen).resized
  for ((request, index) <- requests.zipWithIndex) request.ready := next.ready && chosen(index)

  when(next.fire) {
    when(serveUrgent) {
      urgentTurn := chosen.rotateLeft(1)
      overtaken := Mux(ordinaryWaiting, overtaken + 1, U(0))
    } otherwise {
      ordinaryTurn := chosen.rotateLeft(1)
      overtaken := 0
    }
  }
  io.granted << next.m2sPipe()
}
