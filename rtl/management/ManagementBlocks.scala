// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import spinal.core.Component

/** The blocks of this room that are tested alone. */
object ManagementBlocks {
  /** For tests: time is soon over. */
  private val hasty = ManagementConfig(clockKilohertz = 20, watchdogMilliseconds = 40)

  private val lanes = LaneShape(compressors = 1, decompressors = 1, pageBytes = 4096)

  private val queues = MonitorShape(queues = 4, sampleCycles = 16)

  def all: Seq[(String, () => Component)] = Seq(
    "management" -> (() => Management(ManagementConfig(), lanes, queues)),
    // For simulation of the whole: a millisecond of 10,000 cycles.
    "management_simulated" -> (() => Management(ManagementConfig(clockKilohertz = 10000), lanes, queues)),
    "management_host" -> (() => HostRegisters()),
    "management_reset" -> (() => CoreReset()),
    "management_timer" -> (() => TimerWatchdog(hasty)),
    "management_mailbox" -> (() => Mailbox()),
    "management_log" -> (() => EventLog()),
    "management_sensors" -> (() => SensorPort()),
    "management_flash" -> (() => FlashPort()),
    "management_lanes" -> (() => LaneRegisters(lanes.copy(compressors = 3, decompressors = 2))),
    "management_telemetry" -> (() => TelemetryPage()),
    "management_monitor" -> (() => MonitorRegisters(queues)),
    "management_system" -> (() => SystemRegisters(hasty)))
}
