// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.ByteStream
import pagepress.engine.decompressor.{DecompressorConfig, StreamRows, TokenGroup}

/** Streams of the cold format to tokens, one page at a time.
  *
  * Contract, page by page: one stream on `source`, taken to its end before anything else happens; then its tokens, one a group, and
  * one `pageEnd`. Groups are begun in cycles in which `enable` is up and come `TokenCutter.latency` cycles later, whatever `enable` says
  * then. `limit` is the page's bytes, at most pageBytes, and stands from the stream's first word to its `pageEnd`.
  *
  * rtl/interface/cold.md says what is refused, and the first trouble in the order of the stream decides. The tokens are those of what
  * was right before it; then comes the page's end as `malformed`, or one token longer than any page has room for. Nothing reaches before
  * the page. A stream longer than two pages is malformed.
  *
  * Literals are decoded in four lanes, up to one a cycle each, while sequences are decoded, one every two cycles; these wait until all
  * literals are there and the tokens' turn has come. A stream of n bytes with l literals and s sequences for a page of m bytes takes
  * n/16 + max(l/4 (of one stream l), 2 s) cycles and some 40, or m/16 more where its tokens are long.
  */
class ColdParser(config: DecompressorConfig) extends Component {
  private val pageBytes = config.engine.pageBytes
  private val bufferBytes = 2 * pageBytes
  val io = new Bundle {
    val source = slave(ByteStream(config.engine.streamBytes))
    val limit = in UInt (config.engine.lengthWidth bits)
    val enable = in Bool ()
    val group = master(Flow(TokenGroup(config)))
  }
  private val rows = new StreamRows(config)
  private val reader = new FrameReader(config, bufferBytes)
  private val window = new ByteWindow(bufferBytes)
  private val literals = new LiteralDecoder(pageBytes, bufferBytes)
  private val sequences = new SequenceDecoder(bufferBytes)
  private val judge = new SequenceJudge(pageBytes)
  private val waiting = StreamFifo(JudgedSequence(pageBytes), pageBytes / 8)
  private val cutter = new TokenCutter(config, bufferBytes)

  rows.io.source << io.source
  rows.io.enable := reader.io.room
  reader.io.row << rows.io.row
  reader.io.limit := io.limit
  reader.io.busy := literals.io.busy || !sequences.io.idle
  reader.io.done := cutter.io.done
  window.io.write << reader.io.store
  literals.io.write << reader.io.store
  sequences.io.write << reader.io.store

  // The window is the headers' until they are read, then the literals'.
  private val heads = RegInit(True)
  when(reader.io.frame.valid)(heads := False)
  when(cutter.io.done)(heads := True)
  window.io.at := heads ? reader.io.at | cutter.io.at
  window.io.half << literals.io.half
  reader.io.bytes := window.io.bytes
  cutter.io.bytes := window.io.bytes

  private val frame = reader.io.frame
  literals.io.start.valid := frame.valid && frame.coded
  literals.io.start.payload := frame.streams
  sequences.io.start.valid := frame.valid && frame.plan.sequences && !frame.plan.malformed && !frame.plan.overrun
  sequences.io.start.payload := frame.sequences
  sequences.io.stop := cutter.io.done
  judge.io.start.valid := frame.valid
  judge.io.start.literals := frame.plan.literals
  judge.io.start.limit := io.limit.resized
  judge.io.source << sequences.io.sequence

  private val coded = RegNextWhen(frame.coded, frame.valid)
  cutter.io.start.valid := frame.valid
  cutter.io.start.payload := frame.plan
  cutter.io.ready := !literals.io.busy
  cutter.io.good := !coded || literals.io.good
  waiting.io.push << judge.io.sink
  waiting.io.flush := cutter.io.done
  cutter.io.sequence << waiting.io.pop
  cutter.io.enable := io.enable
  io.group << cutter.io.group
}
