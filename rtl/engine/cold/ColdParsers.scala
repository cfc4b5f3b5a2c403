// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.engine.ByteStream
import pagepress.engine.decompressor.{DecompressorConfig, TokenGroup}

/** Parsers of the cold format side by side, with the contract of one: pages go to them in turn, so that one reads a page while another's
  * tokens leave.
  */
class ColdParsers(config: DecompressorConfig, parsers: Int) extends Component {
  require(isPow2(parsers), s"parsers must be a power of two, not $parsers")
  val io = new Bundle {
    val source = slave(ByteStream(config.engine.streamBytes))
    val limit = in UInt (config.engine.lengthWidth bits)
    val enable = in Bool ()
    val group = master(Flow(TokenGroup(config)))
  }
  private val each = Seq.fill(parsers)(new ColdParser(config))
  private val (taking, giving) = (Reg(UInt(log2Up(parsers) bits)) init 0, Reg(UInt(log2Up(parsers) bits)) init 0)
  private val sources = StreamDemux(io.source, taking, parsers)
  for ((parser, index) <- each.zipWithIndex) {
    parser.io.source << sources(index)
    parser.io.limit := io.limit
    parser.io.enable := io.enable && giving === index
  }
  io.group.valid := each.map(_.io.group.valid).orR
  io.group.payload := MuxOH.or(Vec(each.map(_.io.group.valid)), each.map(_.io.group.payload))
  // A parser that has ended its page begins no other before the next one has had its turn.
  when(io.source.fire && io.source.last)(taking := (taking + 1).resized)
  when(io.group.valid && io.group.pageEnd)(giving := (giving + 1).resized)
}

object ColdParsers {
  /** Most pages that are inside: of each parser its own, one whose first word it holds, and one of which half a word waits for the other. */
  def pages(parsers: Int): Int = 3 * parsers
}
