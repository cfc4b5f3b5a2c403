// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._

/** What the registers from MONITOR_CYCLES_LOW on show: of the queue that was asked for, and of the link. */
case class MonitorReport() extends Bundle {
  val cycles = UInt(64 bits)
  val depth, depthPeak = UInt(MONITOR_DEPTH_NOW_WIDTH bits)
  val commands = UInt(32 bits)
  val depthCycles, waitingCycles = UInt(64 bits)
  val completionsFaulted, readsOverdue, writesFailed, completionsUnexpected = UInt(32 bits)
}

/** All that goes between a management part, the master, and the monitor of a card's queues and link, by the card's clock: `report` answers
  * each `ask`, the number of a queue, once; of a queue that there is not it says 0. Nothing is asked while a report is to come.
  */
case class MonitorPort() extends Bundle with IMasterSlave {
  val ask = Flow(UInt(log2Up(QUEUE_COUNT) bits))
  val report = Flow(MonitorReport())
  def asMaster(): Unit = {
    master(ask)
    slave(report)
  }
}
