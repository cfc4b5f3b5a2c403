// SPDX-License-Identifier: Apache-2.0
package pagepress.dma

import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** What a system on chip wants of the manager's addresses; all bursts are alike.
  *
  * @param addressWidth bits of an address, 32 to 64. Whoever makes addresses keeps them below: higher bits are not sent
  * @param readCache    ARCACHE; 3: normal, non-cacheable, bufferable
  * @param writeCache   AWCACHE
  * @param protection   AxPROT; 2: data, non-secure, unprivileged
  * @param userWidth    bits of AxUSER, 0 to 32; 0: there is none
  * @param user         AxUSER
  */
case class AddressAttributes(addressWidth: Int = 64, readCache: Int = 3, writeCache: Int = 3, protection: Int = 2, userWidth: Int = 0,
                             user: BigInt = 0) {
  require(addressWidth >= 32 && addressWidth <= 64, s"addressWidth is $addressWidth: use 32 to 64")
  for ((name, value) <- Seq("readCache" -> readCache, "writeCache" -> writeCache))
    require(value >= 0 && value < 16, s"$name is $value: use 0 to 15")
  require(protection >= 0 && protection < 8, s"protection is $protection: use 0 to 7")
  require(userWidth >= 0 && userWidth <= 32, s"userWidth is $userWidth: use 0 to 32")
  require(user >= 0 && user < (BigInt(1) << userWidth), s"user is $user: it does not fit userWidth, $userWidth bits")
}

object ManagerPort {
  /** The signals of the card's AXI4 manager: incrementing full-width bursts, an id for each port. */
  def axiConfig(config: DmaConfig, idWidth: Int, attributes: AddressAttributes = AddressAttributes()): Axi4Config = {
    val user = if (attributes.userWidth > 0) attributes.userWidth else -1 // how SpinalHDL says that there is none
    Axi4Config(addressWidth = attributes.addressWidth, dataWidth = config.busBytes * 8, idWidth = idWidth,
      useRegion = false, useLock = false, useQos = false, arUserWidth = user, awUserWidth = user)
  }

  /** Fill an address channel with `granted`. */
  def drive(channel: Axi4Ax, granted: GrantedBurst, config: DmaConfig, attributes: AddressAttributes, cache: Int): Unit = {
    channel.addr := granted.burst.address.resized
    channel.id := granted.port.resized
    channel.len := (granted.burst.beats - 1).resized
    channel.size := log2Up(config.busBytes)
    channel.burst := B"01" // incrementing
    channel.cache := B(cache, 4 bits)
    channel.prot := B(attributes.protection, 3 bits)
    if (attributes.userWidth > 0) channel.user := B(attributes.user, attributes.userWidth bits)
  }
}

/** Shares the read channels: port n reads under id n. Beats reach their port one cycle after the bus. */
case class ReadArbiter(config: DmaConfig, urgent: Seq[Boolean], idWidth: Int, attributes: AddressAttributes = AddressAttributes()) extends Component {
  val io = new Bundle {
    val ports = Vec(slave(ReadPort(config)), urgent.length)
    val axi = master(Axi4ReadOnly(ManagerPort.axiConfig(config, idWidth, attributes)))
  }
  require(urgent.length <= (1 << idWidth), s"${urgent.length} readers need more than $idWidth id bits")

  private val arbiter = BurstArbiter(config, urgent)
  for ((port, request) <- io.ports.zip(arbiter.io.requests)) request << port.request
  io.axi.ar.arbitrationFrom(arbiter.io.granted)
  ManagerPort.drive(io.axi.ar.payload, arbiter.io.granted.payload, config, attributes, attributes.readCache)

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
case class WriteArbiter(config: DmaConfig, urgent: Seq[Boolean], idWidth: Int, attributes: AddressAttributes = AddressAttributes()) extends Component {
  val io = new Bundle {
    val ports = Vec(slave(WritePort(config)), urgent.length)
    val axi = master(Axi4WriteOnly(ManagerPort.axiConfig(config, idWidth, attributes)))
  }
  require(urgent.length <= (1 << idWidth), s"${urgent.length} writers need more than $idWidth id bits")

  private val arbiter = BurstArbiter(config, urgent)
  for ((port, request) <- io.ports.zip(arbiter.io.requests)) request << port.request
  private val (address, order) = StreamFork2(arbiter.io.granted)
  io.axi.aw.arbitrationFrom(address)
  ManagerPort.drive(io.axi.aw.payload, address.payload, config, attributes, attributes.writeCache)

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
