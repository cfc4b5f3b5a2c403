// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.{ByteStream, EngineResult}
import spinal.core._
import spinal.lib._

/** Writes windows of literals and matches as LZO1X streams.
  *
  *  - `source`: the windows of page after page, always taken; `limits(slot)` is its page's limit while a page's windows
  *    come.
  *  - `room`: a register; a window may come up to `lateWindows` cycles after one in which it was high.
  *  - `release`: one cycle high when a page's last window comes; its slot is free then.
  *  - `sink`, `result`: as PageCompressor has them.
  *
  * What a window is written as is known when the sequence that is open at its end is: windows wait for that in a memory
  * of two pages, and then pass as a whole, a window a cycle:
  * {{{
  *   WindowTokens → WindowMarker → SequenceTracker → windows, continuations (queues)
  *                → PartSequencer → TokenLanes → LaneCompactor → StreamLimiter → BytePacker (queue)
  * }}}
  * A window goes in and up to streamBytes bytes come out each cycle. A run of more than 783 literals takes two cycles
  * more, the part of a page that becomes longer than it was takes those it needs, and nothing else waits. The steps
  * between queues never stop: they begin only when the queue behind has room for all that is under way.
  */
class StreamEncoder(parameter: CompressorParameter, lateWindows: Int = 8) extends Component {
  import parameter._

  val io = new Bundle {
    val limits = in(Vec(UInt(config.lengthWidth bits), 2))
    val source = slave(Flow(WindowTokens(parameter)))
    val room = out(Bool())
    val release = out(Bool())
    val sink = master(ByteStream(streamBytes))
    val result = master(Stream(EngineResult(config.lengthWidth)))
  }

  /** A literal run may hold a whole page back, and must never hold back the windows that end it. */
  val WINDOW_DEPTH = 2 * pageBytes / windowBytes max 128
  val UNDER_WAY = 8 // most windows, or parts, between two queues

  val marker = new WindowMarker(parameter)
  val tracker = new SequenceTracker(parameter)
  val windows = StreamFifo(PendingWindow(parameter), WINDOW_DEPTH)
  val continuations = StreamFifo(Continuation(parameter), WINDOW_DEPTH)
  val sequencer = new PartSequencer(parameter)
  val lanes = new TokenLanes(parameter)
  val compactor = new LaneCompactor(parameter)
  val limiter = new StreamLimiter(parameter)
  val packer = new BytePacker(parameter, latePieces = UNDER_WAY)

  // A StreamFifo uses nothing that it reads in the cycle it is written in.
  windows.logic.ram.addAttribute("no_rw_check")
  continuations.logic.ram.addAttribute("no_rw_check")

  /** Room for all that is under way. */
  def room(queue: StreamFifo[_]): Bool = queue.io.occupancy < queue.depth - UNDER_WAY - lateWindows

  /** What `source` brings, from the next cycle on: a page's end waits for nothing else. Block RAM is slow to answer, so
    * what it holds waits in a small memory in front of it, and what finds nothing in the queue goes there at once.
    */
  def fronted[T <: Data](queue: StreamFifo[T], source: Flow[T]): Stream[T] = {
    val DEPTH = 16
    val front = StreamFifo(cloneOf(source.payload), DEPTH, latency = 1)
    val room = RegNext(front.io.occupancy < DEPTH - 1) init False
    val pop = queue.io.pop.m2sPipe()
    val waiting = Reg(UInt(queue.io.occupancy.getWidth bits)) init 0
    val empty = RegInit(True) // nothing waits
    when(queue.io.push.fire =/= pop.fire) {
      waiting := Mux(pop.fire, waiting - 1, waiting + 1)
      empty := pop.fire && waiting === 1
    }
    pop.ready := room
    queue.io.push.valid := source.valid && !(empty && room)
    queue.io.push.payload := source.payload
    front.io.push.valid := Mux(empty, source.valid, pop.valid) && room
    front.io.push.payload := Mux(empty, source.payload, pop.payload)
    front.io.pop
  }

  io.room := RegNext(room(windows) && room(continuations)) init False
  io.release := io.source.valid && io.source.last
  marker.io.source << io.source
  marker.io.limit := io.limits(io.source.slot)
  tracker.io.source << marker.io.sink
  windows.io.push << tracker.io.window.toStream
  sequencer.io.window << windows.io.pop.m2sPipe() // meanwhile a page's last continuation comes
  sequencer.io.continuation << fronted(continuations, tracker.io.continuation)
  sequencer.io.room := packer.io.room
  lanes.io.source << sequencer.io.sink
  compactor.io.source << lanes.io.sink
  limiter.io.source << compactor.io.sink
  packer.io.source << limiter.io.sink
  io.sink << packer.io.sink
  io.result << packer.io.result
}
