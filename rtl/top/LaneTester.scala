// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.engine.{EngineConfig, LaneResult, PackedBytes, StreamWidth}
import pagepress.interface.Interface
import pagepress.management.{LanesPort, LaneWord}
import spinal.core._
import spinal.lib._

/** Which kind of lane a test is for, and what it is given. */
case class LaneTest(config: CoreConfig) extends Bundle {
  val compresses = Bool()
  val length = UInt(config.compressEngine.lengthWidth bits) // bytes of the source
}

/** Runs one page from the test's buffer through a lane, and what comes out into the other buffer. Nothing of it comes near the bus.
  *
  * `start` while no test runs; `stop` at any time forgets the page
  * `ended` one cycle: the source is taken, the result is there, and so is the output, if any
  * `result` of the last page, until the next
  *
  * Four bytes take three cycles on the way in, one on the way out.
  */
case class LaneTester(config: CoreConfig) extends Component {
  private val width = 4
  private val engines = Seq(config.decompressEngine, config.compressEngine).map(config.seenFromBus)
  val io = new Bundle {
    val start = slave(Flow(LaneTest(config)))
    val stop = in Bool ()
    val ended = out Bool ()
    val result = out(Reg(LaneResult(config.compressEngine)))
    val decompress = master(LaneTestPort(engines.head))
    val compress = master(LaneTestPort(engines.last))
    val sourceIndex = out UInt (LanesPort.indexWidth bits)
    val sourceData = in Bits (32 bits)
    val sink = master(Flow(LaneWord()))
  }
  private val test = RegNextWhen(io.start.payload, io.start.valid)
  private val active = RegInit(False)
  // All that a page leaves behind is forgotten before the next one.
  private val cleared = RegNext(io.start.valid || io.stop) init True
  when(RegNext(io.start.valid) init False)(active := True)
  when(io.ended || io.stop)(active := False)

  private val page = new ResetArea(cleared, cumulative = true) {
    val commanded, sourced, told, drained = RegInit(False)

    // A word's index goes out; a cycle later its data is there, and stands until it is taken.
    val index = Reg(UInt(LanesPort.indexWidth bits)) init 0
    val taken = Reg(UInt(test.length.getWidth bits)) init 0 // bytes
    val rest = RegNext(test.length - taken) init 0
    val step = Reg(UInt(2 bits)) init 0
    val source = Stream(Fragment(PackedBytes(width)))
    source.valid := step === 3
    source.data := io.sourceData
    source.last := rest <= width
    source.count := source.last ? rest.resize(log2Up(width + 1)) | U(width)
    when(active && !sourced && step =/= 3)(step := step + 1)
    when(source.fire) {
      step := 0
      index := index + 1
      taken := taken + width
      sourced := source.last
    }
    val feeds = StreamDemux(source, test.compresses.asUInt, 2)

    val written = Reg(UInt(LanesPort.indexWidth + 1 bits)) init 0
    val words = for (((port, engine), index) <- Seq(io.decompress, io.compress).zip(engines).zipWithIndex) yield {
      val mine = test.compresses === Bool(index == 1)
      port.command.valid := active && mine && !commanded
      when(port.command.fire)(commanded := True)
      port.source << StreamWidth.adapt(feeds(index), width, engine.streamBytes)
      port.result.ready := True
      when(port.result.fire) {
        told := True
        io.result := port.result.payload
        // A compressor's stream follows SUCCESS alone; a decompressor's page always has its last.
        if (index == 1) drained.setWhen(port.result.status =/= Interface.STATUS_SUCCESS)
      }
      val given = StreamWidth.adapt(port.sink, engine.streamBytes, width)
      given.ready := True
      // Between two clocks the result may come before the page, although the lane gives it after.
      when(given.valid && given.last)(drained := True)
      given
    }
    io.sink.valid := words.map(_.valid).orR && !written.msb
    io.sink.index := written.resized
    io.sink.data := test.compresses ? words(1).data | words(0).data
    when(io.sink.valid)(written := written + 1)
    // The last word of a source may still be gathered when its last part has been taken.
    val gathered = Vec(Seq(io.decompress, io.compress).map(port => RegInit(False).setWhen(port.source.fire && port.source.last)))
  }
  io.sourceIndex := page.index
  io.ended := active && page.gathered.orR && page.told && page.drained
}
