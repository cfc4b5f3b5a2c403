// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.ByteStream

/** Cuts an LZO1X or lzo-rle stream into tokens, up to `tokens` instructions with their literals a cycle.
  *
  * Input: one stream a page. Output: its tokens in groups, then one `pageEnd`, which comes only when the stream's last
  * word has been taken, whatever the stream holds. Grammar is judged here; whether distances and lengths fit the page
  * is the copier's business. TokenWalker says what a cycle does; no seven bytes take more than fifteen cycles in which the
  * output was enabled and the input there.
  *
  * Nothing is halted on the way: rows are let in when the ring has room for them, and groups are begun in cycles in
  * which `enable` is up; they come `latency` cycles later, whatever `enable` says then.
  */
class TokenParser(config: DecompressorConfig) extends Component {
  val io = new Bundle {
    val source = slave(ByteStream(config.engine.streamBytes))
    val enable = in Bool () // a register's
    val group = master(Flow(TokenGroup(config)))
  }
  private val rows = new StreamRows(config)
  private val preparer = new RowPreparer(config)
  private val ring = new RowRing(config)
  private val walker = new TokenWalker(config)
  private val extractor = new TokenExtractor(config)

  rows.io.source << io.source
  rows.io.enable := ring.io.room
  preparer.io.row << rows.io.row
  ring.io.row << preparer.io.marked
  ring.io.prepared << preparer.io.output
  ring.io.walked := walker.io.walked
  walker.io.parsable := ring.io.parsable
  ring.io.walkedRead <> walker.io.prepared
  ring.io.placesRead <> extractor.io.places
  for ((from, by) <- ring.io.rowReads.zip(walker.io.rowBehind +: extractor.io.rows)) from <> by
  ring.io.rowBefore <> walker.io.rowHere

  walker.io.enable := io.enable
  extractor.io.step << walker.io.step
  io.group << extractor.io.group
}

object TokenParser {
  /** Cycles from the one in which a group is begun to the group. */
  val latency = 4
}
