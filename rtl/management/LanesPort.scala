// SPDX-License-Identifier: Apache-2.0
package pagepress.management

import pagepress.interface.ManagementInterface._
import spinal.core._
import spinal.lib._

/** Which lanes a card has, in the order of their numbers: decompressors first. */
case class LaneShape(compressors: Int, decompressors: Int, pageBytes: Int) {
  val count: Int = compressors + decompressors
  require(count <= LANE_COUNT, s"$count lanes, but the management interface counts to $LANE_COUNT")
}

/** What is asked of a lane. */
case class LaneAction() extends Bundle {
  val lane = UInt(LANE_ACTION_LANE_WIDTH bits)
  val action = Bits(LANE_ACTION_ACTION_WIDTH bits) // lane_actions
  val length = UInt(LANE_ACTION_LENGTH_WIDTH bits)
}

/** What the registers from LANE_REPORT on show. */
case class LaneReport() extends Bundle {
  val done, isolated, faulty, idle, fresh, proven, testing = Bool()
  val status = Bits(LANE_REPORT_STATUS_WIDTH bits)
  val pages, cycles = UInt(32 bits)
  val verifyFailures, resets = UInt(16 bits)
  val length = UInt(32 bits)
  val crc32c, detail = Bits(32 bits)

  /** LANE_REPORT. */
  def state: Bits = {
    val word = B(0, 32 bits)
    for ((bit, shift) <- Seq(done -> LANE_REPORT_DONE_SHIFT, isolated -> LANE_REPORT_ISOLATED_SHIFT, faulty -> LANE_REPORT_FAULTY_SHIFT,
      idle -> LANE_REPORT_IDLE_SHIFT, fresh -> LANE_REPORT_FRESH_SHIFT, proven -> LANE_REPORT_PROVEN_SHIFT, testing -> LANE_REPORT_TESTING_SHIFT))
      word(shift) := bit
    word(LANE_REPORT_STATUS_SHIFT, LANE_REPORT_STATUS_WIDTH bits) := status
    word
  }
}

/** A word that a test gave. */
case class LaneWord() extends Bundle {
  val index = UInt(LanesPort.indexWidth bits)
  val data = Bits(32 bits)
}

/** All that goes between a management part, the master, and the lanes of a core, by the core's clock.
  *
  * `report` is of the lane that `action` named, from LanesPort.reportCycles after it until the next action; a core in reset reports
  * nothing done. `sourceData` follows `sourceIndex` by a cycle.
  */
case class LanesPort() extends Bundle with IMasterSlave {
  val action = Flow(LaneAction())
  val report = LaneReport()
  val sourceIndex = UInt(LanesPort.indexWidth bits)
  val sourceData = Bits(32 bits)
  val sink = Flow(LaneWord())
  def asMaster(): Unit = {
    master(action)
    in(report)
    in(sourceIndex)
    out(sourceData)
    slave(sink)
  }
}

object LanesPort {
  val indexWidth: Int = log2Up(LANE_BUFFER_BYTES / 4)
  val reportCycles = 4
}
