// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

object ManagerPort {
  /** The signals of the card's AXI4 manager: incrementing full-width bursts, an id for each port. */
  def axiConfig(config: DmaConfig, idWidth: Int): Axi4Config = Axi4Config(
    addressWidth = 64, dataWidth = config.busBytes * 8, idWidth = idWidth,
    useRegion = false, useLock = false, useQos = false)

  /** Fill an address channel with `granted`. */
  def drive(channel: Axi4Ax, granted: GrantedBurst, config: DmaConfig): Unit = {
    channel.addr := granted.burst.address
    channel.id := granted.port.resized
    channel.len := (granted.burst.beats - 1).resized
    channel.size := log2Up(config.busBytes)
    channel.burst := B"01" // incrementing
    channel.cache := B"0011" // normal, non-cacheable, bufferable
    channel.prot := B"010" // data, non-secure, unprivileged
  }
}

/** Shares the read channels: port n reads under id n. Beats reach their port one cycle after the bus. */
case class ReadArbiter(config: DmaConfig, urgent: Seq[Boolean], idWidth: Int) extends Component {
  val io = new Bundle {
    val ports = Vec(slave(ReadPort(config)), urgent.length)
    val axi = master(Axi4ReadOnly(ManagerPort.axiConfig(config, idWidth)))
  }
  require(urgent.length <= (1 << idWidth), s"${urgent.length} readers need more than $idWidth id bits")

  private val arbiter = BurstArbiter(config, urgent)
  for ((port, request) <- io.ports.zip(arbiter.io.requests)) request << port.request
  io.axi.ar.arbitrationFrom(arbiter.io.granted)
  ManagerPort.drive(io.axi.ar.payload, arbiter.io.granted.payload, config)

  // Readers ask only for what they can hold, so the bus never waits.
  io.axi.r.ready := True
  private val valid = RegNext(io.axi.r.valid) init False
  private val id = RegNext(io.axi.r.id)
  private val data = RegNext(io.axi.r.data)
  private val fault = RegNext(io.axi.r.resp(1)) // SLVERR and DECERR
  for ((port, index) <- io.ports.zipWithIndex) {
    port.data.valid := valid && id === index
    port.data.data := data
    port.data.fault := fault
  }
}

/** Shares the write channels: port n writes under id n. Data follows the order of the addresses. */
case class WriteArbiter(config: DmaConfig, urgent: Seq[Boolean], idWidth: Int) extends Component {
  val io = new Bundle {
    val ports = Vec(slave(WritePort(config)), urgent.length)
    val axi = master(Axi4WriteOnly(ManagerPort.axiConfig(config, idWidth)))
  }
  require(urgent.length <= (1 << idWidth), s"${urgent.length} writers need more than $idWidth id bits")

  private val arbiter = BurstArbiter(config, urgent)
  for ((port, request) <- io.ports.zip(arbiter.io.requests)) request << port.request
  private val (address, order) = StreamFork2(arbiter.io.granted)
  io.axi.aw.arbitrationFrom(address)
  ManagerPort.drive(io.axi.aw.payload, address.payload, config)

  private val turns = order.translateWith(order.port).queueLowLatency(4, latency = 1)
  private val beat = Stream(WriteBeat(config))
  beat.valid := turns.valid && io.ports.map(_.data.valid).read(turns.payload)
  beat.payload := Vec(io.ports.map(_.data.payload))(turns.payload)
  for ((port, index) <- io.ports.zipWithIndex) port.data.ready := turns.valid && turns.payload === index && beat.ready
  turns.ready := beat.fire && beat.last
  private val staged = beat.s2mPipe().m2sPipe()
  io.axi.w.arbitrationFrom(staged)
  io.axi.w.data := staged.data
  io.axi.w.strb := staged.strobe
  io.axi.w.last := staged.last

  io.axi.b.ready := True
  private val valid = RegNext(io.axi.b.valid) init False
  private val id = RegNext(io.axi.b.id)
  private val fault = RegNext(io.axi.b.resp(1))
  for ((port, index) <- io.ports.zipWithIndex) {
    port.response.valid := valid && id === index
    port.response.payload := fault
  }
}
