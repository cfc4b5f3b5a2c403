// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.interface.Interface.{STATUS_SUCCESS, STATUS_VERIFY_FAILED}
import pagepress.interface.ManagementInterface._
import pagepress.management._
import spinal.core._
import spinal.lib._

/** Isolates, resets, tests and takes back lanes as a management part asks, and counts what they do.
  *
  * What that part may not do, whatever it asks:
  *  - isolate the last lane of a kind that is in service, neither isolated nor faulty. Where such a one becomes faulty later, the healthy
  *    lanes of its kind that are isolated return at once, out of a test too, so a card stops only when all of a kind are faulty;
  *  - reset a lane with anything of the host's in it, or test one that has not been reset since;
  *  - take back a faulty lane whose last test, since its reset, did not end with SUCCESS.
  *
  * A lane that is faulty and isolated stays faulty to all others until it returns. While `ready` is low no lane is isolated: the card
  * starts afresh. Counts stand from power-on, through every reset of the core.
  *
  * `lanes`  what a management part asks and is told; LanesPort says when
  * `cares`  one a lane, decompressors first
  * `busy`   something will happen without anybody doing anything
  */
case class LaneKeeper(config: CoreConfig) extends Component {
  import config.{compressors, decompressors}
  private val kinds = Seq.fill(decompressors)(config.decompressEngine) ++ Seq.fill(compressors)(config.compressEngine)
  private val count = kinds.length
  val io = new Bundle {
    val ready = in Bool ()
    val lanes = slave(LanesPort())
    val cares = kinds.map(engine => master(LaneCare(config.seenFromBus(engine))))
    val busy = out Bool ()
  }

  private val isolated, fresh, proven, testing = Vec.fill(count)(RegInit(False))
  private val inService = Vec(isolated.zip(io.cares).map { case (out, care) => !out && !care.faulty })
  private val ofDecompressors = 0 until decompressors
  private val ofCompressors = decompressors until count
  private def kindOf(lane: Int): Range = if (lane < decompressors) ofDecompressors else ofCompressors

  // A reset takes a lane's clock crossing some cycles to begin; commands and tests wait for that.
  private val settling = Vec.fill(count)(Reg(UInt(4 bits)) init 0)
  for (lane <- settling) when(lane =/= 0)(lane := lane - 1)
  private val renew, cured = Vec.fill(count)(False)
  for ((lane, index) <- settling.zipWithIndex) when(renew(index))(lane := lane.maxValue)

  private val tester = LaneTester(config)
  tester.io.stop := False
  tester.io.start.valid := False
  tester.io.start.compresses := False
  tester.io.start.length := 0

  // A test ends. Its result's last word stands by now.
  when(tester.io.ended)(testing.foreach(_ := False))
  for (lane <- 0 until count) when(tester.io.ended && testing(lane))(proven(lane) := tester.io.result.status === STATUS_SUCCESS)

  // What is asked, a cycle later: it comes from another clock's registers.
  private val asked = io.lanes.action.m2sPipe()
  private val done = RegInit(False)
  private def on(action: Int)(act: => Unit): Unit = when(asked.action === action)(act)
  when(asked.valid)(done := False)
  for (lane <- 0 until count) {
    val care = io.cares(lane)
    val others = kindOf(lane).filter(_ != lane).map(inService(_)).foldLeft(False)(_ || _)
    when(asked.valid && asked.lane === lane && (io.ready || asked.action === LANE_ACTION_LOOK)) {
      on(LANE_ACTION_LOOK)(done := True)
      on(LANE_ACTION_ISOLATE) {
        when(isolated(lane) || care.faulty || others) {
          done := True
          isolated(lane) := True
        }
      }
      on(LANE_ACTION_RESET) {
        when(isolated(lane) && care.idle) {
          done := True
          renew(lane) := True
          fresh(lane) := True
          proven(lane) := False
          when(testing(lane))(tester.io.stop := True)
          testing(lane) := False
        }
      }
      on(LANE_ACTION_TEST) {
        when(isolated(lane) && fresh(lane) && settling(lane) === 0 && !testing.orR) {
          done := True
          testing(lane) := True
          proven(lane) := False
          tester.io.start.valid := True
          tester.io.start.compresses := Bool(lane >= decompressors)
          tester.io.start.length := (if (lane >= decompressors) U(config.pageBytes, tester.io.start.length.getWidth bits) else asked.length.resized)
        }
      }
      on(LANE_ACTION_RETURN) {
        when(!testing(lane) && (!care.faulty || isolated(lane) && proven(lane))) {
          done := True
          isolated(lane) := False
          fresh(lane) := False
          cured(lane) := True
        }
      }
    }
  }

  // The floor.
  for (kind <- Seq(ofDecompressors, ofCompressors); if kind.size > 1) when(!kind.map(inService(_)).orR) {
    for (lane <- kind) when(isolated(lane) && !io.cares(lane).faulty) {
      isolated(lane) := False
      when(fresh(lane))(renew(lane) := True) // a test may have left something
      fresh(lane) := False
      when(testing(lane))(tester.io.stop := True)
      testing(lane) := False
    }
  }
  when(!io.ready) {
    for (bits <- Seq(isolated, fresh, proven, testing); bit <- bits) bit := False
    tester.io.stop := True
  }

  for ((care, lane) <- io.cares.zipWithIndex) {
    care.isolated := isolated(lane) || settling(lane) =/= 0
    care.renew := renew(lane)
    care.testing := testing(lane)
    care.cured := cured(lane)
  }
  for ((port, kind) <- Seq(tester.io.decompress -> ofDecompressors, tester.io.compress -> ofCompressors)) {
    val tests = kind.map(io.cares(_).test)
    val mine = kind.map(testing(_))
    for ((test, is) <- tests.zip(mine)) {
      test.command.valid := port.command.valid && is
      test.source.valid := port.source.valid && is
      test.source.payload := port.source.payload
      test.result.ready := port.result.ready
      test.sink.ready := port.sink.ready
    }
    port.command.ready := tests.zip(mine).map { case (test, is) => test.command.ready && is }.orR
    port.source.ready := tests.zip(mine).map { case (test, is) => test.source.ready && is }.orR
    port.result.valid := tests.zip(mine).map { case (test, is) => test.result.valid && is }.orR
    port.sink.valid := tests.zip(mine).map { case (test, is) => test.sink.valid && is }.orR
    def ofMine(words: Seq[Data]): Bits = words.zip(mine).map { case (word, is) => word.asBits.andMask(is) }.reduce(_ | _)
    port.result.payload.assignFromBits(ofMine(tests.map(_.result.payload)))
    port.sink.payload.assignFromBits(ofMine(tests.map(_.sink.payload)))
  }
  io.lanes.sourceIndex := tester.io.sourceIndex
  tester.io.sourceData := io.lanes.sourceData
  io.lanes.sink << tester.io.sink

  /** Counted through resets of the core. */
  private val counted = ClockDomain.current.withBootReset()(new Area {
    def counter(add: Bool, width: Int): UInt = {
      val count = Reg(UInt(width bits)) init 0
      when(RegNext(add) init False)(count := count + 1)
      count
    }
    val pages = Vec(io.cares.map(care => counter(care.ended.valid, 32)))
    val cycles = Vec(io.cares.map(care => counter(!care.idle, 32)))
    val verifyFailures = Vec(io.cares.map(care => counter(care.ended.valid && care.ended.payload === STATUS_VERIFY_FAILED, 16)))
    val resets = Vec(renew.map(counter(_, 16)))
  })

  private val reports = Vec(for (lane <- 0 until count) yield {
    val report = LaneReport()
    report.done := done
    report.isolated := isolated(lane)
    report.faulty := io.cares(lane).faulty
    report.idle := io.cares(lane).idle
    report.fresh := fresh(lane)
    report.proven := proven(lane)
    report.testing := testing(lane)
    report.status := tester.io.result.status
    report.pages := counted.pages(lane)
    report.cycles := counted.cycles(lane)
    report.verifyFailures := counted.verifyFailures(lane)
    report.resets := counted.resets(lane)
    report.length := tester.io.result.length.resized
    report.crc32c := tester.io.result.crc32c
    report.detail := tester.io.result.detail(31 downto 0)
    report
  })
  private val chosen = RegNextWhen(asked.lane, asked.valid) init 0
  private val report = LaneReport()
  report := reports(chosen.resize(log2Up(count) bits))
  when(chosen >= count)(report.assignFromBits(B(0, report.getBitsWidth bits)))
  // asked: 1, chosen and done: 2, report: 3
  private val reporting = RegNext(asked.valid) init False
  private val shown = Reg(Bits(report.getBitsWidth bits)) init 0
  when(reporting)(shown := report.asBits)
  io.lanes.report.assignFromBits(shown)
  require(LanesPort.reportCycles >= 3)

  io.busy := testing.orR || settling.map(_ =/= 0).orR || asked.valid || reporting
}
