// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.ByteStream

/** For a proof, never part of a product: the parser that takes every token and the one of a verifier, given the same streams in the same cycles.
  *
  * `differs` says that the groups of this cycle are not the same, in what both have; it is without meaning where neither has one.
  */
class TokenParsers(config: DecompressorConfig) extends Component {
  val io = new Bundle {
    val source = slave(ByteStream(config.engine.streamBytes))
    val enable = in Bool ()
    val ended, accepted = out Bool () // by the verifier's: the page is over; and well formed
    val differs = out Bool ()
  }
  private val every = new TokenParser(config)
  private val own = new TokenParser(config.copy(verifies = true))
  every.io.source.valid := io.source.valid && own.io.source.ready
  own.io.source.valid := io.source.valid && every.io.source.ready
  for (parser <- Seq(every, own)) {
    parser.io.source.payload := io.source.payload
    parser.io.enable := io.enable
  }
  io.source.ready := every.io.source.ready && own.io.source.ready

  private val (left, right) = (every.io.group, own.io.group)
  io.ended := right.valid && right.pageEnd
  io.accepted := io.ended && !right.malformed
  private def sameToken(one: Token, other: Token): Bool = {
    val literals = (0 until config.literalBytes).map(i => one.literals <= i ||
      one.bytes.subdivideIn(8 bits)(i) === other.bytes.subdivideIn(8 bits)(i)).andR
    one.valid === other.valid && (!one.valid || one.matchLength === other.matchLength && one.literals === other.literals &&
      one.runLength === other.runLength && literals && (one.matchLength === 0 || !one.zeroRun && one.distance === other.distance))
  }
  io.differs := left.valid =/= right.valid || left.valid && (left.pageEnd =/= right.pageEnd || Mux(left.pageEnd, left.malformed =/= right.malformed,
    !left.tokens.zip(right.tokens).map { case (one, other) => sameToken(one, other) }.andR))
}
