// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._

/** The card looking after itself: a small processor with memory, clock and reset of its own, which reaches its peripherals and nothing
  * else, and the host's window onto it.
  *
  * The host's port and `reset` belong to `clk`, everything else to `management_clk`, of any ratio and phase; that clock may be
  * stopped only while nobody waits for an answer. An access takes about ten cycles of the slower clock. There is no path from the
  * processor to anything of the host's but what the window shows.
  *
  * `sensor`   values of a system monitor, at most one a cycle
  * `flash`    pins of a serial flash of its own
  * `throttle` how hard the firmware asks to slow down, 0 to 3; 0 while the core is in reset
  * `lanes`    the card's lanes, by `clk`
  * `monitor`  the card's queues and link, by `clk`
  */
case class Management(config: ManagementConfig, shape: LaneShape, monitored: MonitorShape) extends Component {
  val io = new Bundle {
    val host = slave(HostPort())
    val management_clk = in Bool ()
    val sensor = slave(Flow(SensorValue()))
    val flash = master(FlashPins())
    val throttle = out UInt (2 bits)
    val lanes = master(LanesPort())
    val monitor = master(MonitorPort())
  }
  private val hostClock = ClockDomain.current
  private val clockAlone = ClockDomain(io.management_clk, config = ClockDomainConfig(resetKind = BOOT))
  // The reset of `clk`, seen by the other clock: held for three of its cycles at least, because they end it.
  private val ownReset = clockAlone(BufferCC(ClockDomain.current.isResetActive, init = True, bufferDepth = Some(3)))
  private val ownClock = ClockDomain(io.management_clk, ownReset, config = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = HIGH),
    frequency = ClockDomain.FixedFrequency(config.clockKilohertz kHz))

  val part = ownClock(new Area {
    val registers = HostRegisters()
    registers.io.host.access << StreamCCByToggle(io.host.access, hostClock, ownClock)
    val system = SystemRegisters(config)
    val timer = TimerWatchdog(config)
    val mailbox = Mailbox()
    val log = EventLog()
    val sensors = SensorPort()
    val flash = FlashPort()
    val lanes = LaneRegisters(shape)
    val buffers = LaneBuffers(hostClock)
    val telemetry = TelemetryPage()
    val monitor = MonitorRegisters(monitored)
    val peripherals = Seq(system.io.apb, timer.io.apb, mailbox.io.apb, log.io.apb, sensors.io.apb, flash.io.apb, lanes.io.apb, buffers.io.source, buffers.io.sink,
      telemetry.io.apb, monitor.io.apb)
    require(Seq(CORE_SYSTEM_BASE, CORE_TIMER_BASE, CORE_MAILBOX_BASE, CORE_LOG_BASE, CORE_SENSOR_BASE, CORE_FLASH_BASE, CORE_LANES_BASE,
      CORE_LANE_SOURCE_BASE, CORE_LANE_SINK_BASE, CORE_TELEMETRY_BASE, CORE_MONITOR_BASE) ==
      peripherals.indices.map(0x80000000L + _ * 0x1000L), "peripherals stand in the order of their bases")

    val core = CoreReset()
    core.io.hold := registers.io.hold
    core.io.bite := timer.io.bite
    core.io.ask := system.io.ask
    for (signal <- Seq(registers.io.coreReset, system.io.coreReset, timer.io.coreReset, mailbox.io.coreReset, flash.io.coreReset)) signal := core.io.reset
    for (signal <- Seq(registers.io.cause, system.io.cause, log.io.cause)) signal := core.io.cause
    registers.io.bites := core.io.bites
    log.io.happened := core.io.happened
    registers.io.state := system.io.state
    registers.io.milliseconds := timer.io.milliseconds
    log.io.milliseconds := timer.io.milliseconds
    mailbox.io.write << registers.io.bufferWrite
    mailbox.io.send << registers.io.send
    registers.io.mailboxState := mailbox.io.state
    registers.io.responseLength := mailbox.io.responseLength
    mailbox.io.responseWord := registers.io.responseWord
    registers.io.responseData := mailbox.io.responseData
    registers.io.logNext := log.io.next
    log.io.word := registers.io.logWord
    registers.io.logData := log.io.data
    telemetry.io.take := registers.io.telemetryTake
    registers.io.telemetrySequence := telemetry.io.sequence
    telemetry.io.word := registers.io.telemetryWord
    registers.io.telemetryData := telemetry.io.data
    sensors.io.value << io.sensor
    io.flash <> flash.io.pins
    io.throttle := system.io.state.throttle

    // The processor and its bus begin anew with every reset of the core.
    val processor = ClockDomain(io.management_clk, core.io.reset, config = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = HIGH))(new Area {
      val cpu = new VexRiscv
      cpu.io.timerInterrupt := False
      cpu.io.softwareInterrupt := False
      cpu.io.externalInterrupt := False
      val bus = CoreBus(config.romFile, peripherals.length)
      bus.io.instructions <> cpu.io.iBus
      bus.io.data <> cpu.io.dBus
      for ((port, peripheral) <- bus.io.apb.zip(peripherals)) port <> peripheral
    })
  })
  io.host.answer << StreamCCByToggle(part.registers.io.host.answer, ownClock, hostClock)

  // The lanes' side: an action is answered whether or not the core, which has a reset of its own, has heard of it.
  part.buffers.io.sourceIndex := io.lanes.sourceIndex
  io.lanes.sourceData := part.buffers.io.sourceData
  part.buffers.io.word << io.lanes.sink
  private val action = StreamCCByToggle(part.lanes.io.action, ownClock, hostClock)
  private val reported = Stream(LaneReport())
  private val reports = Counter(LanesPort.reportCycles + 1)
  private val waits = RegInit(False)
  io.lanes.action.valid := action.fire
  io.lanes.action.payload := action.payload
  action.ready := !waits
  when(action.fire)(waits := True)
  when(waits && !reports.willOverflowIfInc)(reports.increment())
  reported.valid := waits && reports.willOverflowIfInc
  reported.payload := io.lanes.report
  when(reported.fire) {
    waits := False
    reports.clear()
  }
  part.lanes.io.report << StreamCCByToggle(reported, hostClock, ownClock).toFlow

  // The monitor's side: one report is to come at most, so each finds room.
  io.monitor.ask << StreamCCByToggle(part.monitor.io.ask, ownClock, hostClock).toFlow
  part.monitor.io.report << StreamCCByToggle(io.monitor.report.toStream, hostClock, ownClock).toFlow
}
