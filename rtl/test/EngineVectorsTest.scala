// SPDX-License-Identifier: Apache-2.0
package pagepress.test

import org.scalatest.funsuite.AnyFunSuite
import pagepress.engine._
import pagepress.engine.decompressor.PageDecompressor
import pagepress.interface.Interface
import spinal.core._
import spinal.core.sim._
import spinal.lib._
import spinal.lib.sim._

import scala.collection.mutable

/** The golden CRCs and streams, which the reference codecs replay as well, against the hardware: all examples one behind
  * the other, at full rate and with stalls on every side.
  */
class EngineVectorsTest extends AnyFunSuite {
  private val seed = BigInt(sys.env.getOrElse("SEED", "1")).toInt
  private val mostCycles = 100000
  /** Chance of a transfer in a cycle. */
  private val rates = Seq(1.0f, 0.3f)

  private def simulate[T <: Component](made: => T)(body: T => Unit): Unit =
    SimConfig
      .withConfig(SpinalConfig(defaultConfigForClockDomains = ClockDomainConfig(resetKind = SYNC, resetActiveLevel = HIGH)))
      .workspacePath(sys.env.getOrElse("SPINALSIM_WORKSPACE", fail("SPINALSIM_WORKSPACE is not set: . build/tools/env.sh")))
      .compile(made)
      .doSim("golden_vectors", seed) { dut =>
        SimTimeout(2 * mostCycles)
        dut.clockDomain.forkStimulus(period = 2)
        body(dut)
      }

  /** Feeds a ByteStream; what stands past a word's count is noise. */
  private class ByteSource(stream: Stream[Fragment[PackedBytes]], clock: ClockDomain) {
    private val width = stream.fragment.width
    private val (driver, words) = StreamDriver.queue(stream, clock)
    def rate(chance: Float): Unit = driver.setFactor(chance)

    def send(bytes: Seq[Int]): Unit = {
      val parts = if (bytes.isEmpty) Seq(bytes) else bytes.grouped(width).toSeq
      for ((part, index) <- parts.zipWithIndex) words.enqueue { word =>
        val padded = part ++ Seq.fill(width - part.length)(simRandom.nextInt(256))
        word.fragment.data #= padded.foldRight(BigInt(0))((byte, above) => above << 8 | byte)
        word.fragment.count #= part.length
        word.last #= index == parts.length - 1
      }
    }
  }

  /** Takes a stream: `received` holds what `read` makes of each transfer. */
  private class Taken[P <: Data, T](stream: Stream[P], clock: ClockDomain)(read: P => T) {
    val received = mutable.Buffer[T]()
    private val ready = StreamReadyRandomizer(stream, clock)
    StreamMonitor(stream, clock)(payload => received += read(payload))
    def rate(chance: Float): Unit = ready.setFactor(chance)
  }

  private def wordBytes(word: Fragment[PackedBytes]): (Seq[Int], Boolean) = {
    val data = word.fragment.data.toBigInt
    ((0 until word.fragment.count.toInt).map(index => ((data >> 8 * index) & 0xff).toInt), word.last.toBoolean)
  }

  test("crc32c gives the golden CRCs") {
    val records = GoldenVectors("crc32c.txt")
    simulate(new Crc32c(EngineConfig().streamBytes)) { dut =>
      val clock = dut.clockDomain
      val source = new ByteSource(dut.io.source, clock)
      val results = new Taken(dut.io.result, clock)(_.toLong)
      for (rate <- rates) {
        source.rate(rate)
        results.rate(rate)
        results.received.clear()
        records.foreach(record => source.send(record.bytes("data")))
        clock.waitSamplingWhere(results.received.length == records.length)
        for ((record, crc) <- records.zip(results.received))
          assert(crc == java.lang.Long.parseLong(record.values("crc"), 16), s"${record.words.head} at rate $rate")
      }
    }
  }

  test("page_decompressor answers the golden streams") {
    val records = GoldenVectors("streams.txt")
    simulate(new PageDecompressor) { dut =>
      val clock = dut.clockDomain
      val source = new ByteSource(dut.io.source, clock)
      val words = new Taken(dut.io.sink, clock)(wordBytes)
      val results = new Taken(dut.io.result, clock)(result => (result.status.toInt, result.length.toInt))
      for (rate <- rates; record <- records) {
        val what = s"${record.words.head} at rate $rate"
        source.rate(rate)
        words.rate(rate)
        results.rate(rate)
        words.received.clear()
        results.received.clear()
        val limit = record.values("bytes").toInt
        dut.io.limit #= limit
        source.send(record.bytes("stream"))
        clock.waitSamplingWhere(results.received.nonEmpty)
        val page = words.received.flatMap(_._1)
        assert(words.received.map(_._2).lastOption.contains(true) && words.received.count(_._2) == 1, s"$what: ends")
        assert(results.received.head == (status(record) -> page.length), s"$what: (status, length)")
        assert(page.length <= limit, what)
        if (record.values.contains("plain")) assert(page == record.bytes("plain"), what)
      }
    }
  }

  /** The number of a status the interface names. */
  private def status(record: GoldenRecord): Int =
    Interface.getClass.getMethod(s"STATUS_${record.values("status")}").invoke(Interface).asInstanceOf[Int]
}
