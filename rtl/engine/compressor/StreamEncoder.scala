// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.{ByteStream, EngineResult}
import spinal.core._
import spinal.lib._

/** Writes windows of literals and matches as LZO1X streams.
  *
  *  - `source`: the windows of page after page; `limits(slot)` is its page's limit while a page's windows come.
  *  - `release`: one cycle high when a page's last window has been taken; its slot is free then.
  *  - `sink`, `result`: as PageCompressor has them.
  *
  * What a window is written as is known when the sequence that is open at its end is: windows wait for that in a memory
  * of two pages, and then pass as a whole, a window a cycle:
  * {{{
  *   WindowTokens → WindowMarker → SequenceTracker → windows, continuations (queues)
  *                → PartSequencer → TokenLanes → LaneCompactor → StreamLimiter → pieces (queue) → BytePacker
  * }}}
  * A window goes in and up to streamBytes bytes come out each cycle. A run of more than 273 literals takes some cycles
  * more, the part of a page that becomes longer than it was takes those it needs, and nothing else waits. The steps
  * between queues never stop: they begin only when the queue behind has room for all that is under way.
  */
class StreamEncoder(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val limits = in(Vec(UInt(config.lengthWidth bits), 2))
    val source = slave(Stream(WindowTokens(parameter)))
    val release = out(Bool())
    val sink = master(ByteStream(streamBytes))
    val result = master(Stream(EngineResult(config.lengthWidth)))
  }

  /** A literal run may hold a whole page back, and must never hold back the windows that end it. */
  val WINDOW_DEPTH = 2 * pageBytes / windowBytes max 64
  val PIECE_DEPTH = 16
  val UNDER_WAY = 8 // most windows, or parts, between two queues

  val marker = new WindowMarker(parameter)
  val tracker = new SequenceTracker(parameter)
  val windows = StreamFifo(PendingWindow(parameter), WINDOW_DEPTH)
  val continuations = StreamFifo(Continuation(parameter), WINDOW_DEPTH)
  val sequencer = new PartSequencer(parameter)
  val lanes = new TokenLanes(parameter)
  val compactor = new LaneCompactor(parameter)
  val limiter = new StreamLimiter(parameter)
  val pieces = StreamFifo(Piece(parameter), PIECE_DEPTH, latency = 1)
  val packer = new BytePacker(parameter)

  /** Registered: room for all that is under way. */
  def room(queue: StreamFifo[_]): Bool = RegNext(queue.io.occupancy < queue.depth - UNDER_WAY) init False

  /** What `source` brings, past the queue while that is empty: a page's end waits for nothing else. */
  def through[T <: Data](queue: StreamFifo[T], source: Flow[T]): Stream[T] = {
    val sink = Stream(cloneOf(source.payload))
    val empty = queue.io.occupancy === 0
    sink.valid := Mux(empty, source.valid, queue.io.pop.valid)
    sink.payload := Mux(empty, source.payload, queue.io.pop.payload)
    queue.io.pop.ready := sink.ready
    queue.io.push.valid := source.valid && !(empty && sink.ready)
    queue.io.push.payload := source.payload
    sink
  }

  val enter = io.source.haltWhen(!(room(windows) && room(continuations)))
  io.release := enter.fire && enter.last
  marker.io.source << enter.toFlow
  marker.io.limit := io.limits(io.source.slot)
  tracker.io.source << marker.io.sink
  windows.io.push << tracker.io.window.toStream
  sequencer.io.window << windows.io.pop
  sequencer.io.continuation << through(continuations, tracker.io.continuation)
  sequencer.io.room := room(pieces)
  lanes.io.source << sequencer.io.sink
  compactor.io.source << lanes.io.sink
  limiter.io.source << compactor.io.sink
  pieces.io.push << limiter.io.sink.toStream
  packer.io.source << pieces.io.pop
  io.sink << packer.io.sink
  io.result << packer.io.result
}
