// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** A beat of a completion by this card. */
case class CompleterCompletionWord() extends Bundle {
  val data = Bits(128 bits)
  val keep = Bits(4 bits)
}

/** The 128-bit interface: no TLPs straddle, `tkeep` and `tlast` say where one ends. */
object BlockStream128 extends BlockStreams {
  override def requestSender(count: Int): RequestSender = RequestSerializer(count)

  private def gathered(port: BlockStream, starts: Int, discontinue: Int): Stream[Fragment[GatheredLine]] = {
    val beat = Stream(Fragment(NarrowBeat()))
    beat.valid := port.tvalid
    port.tready := beat.ready
    beat.last := port.tlast
    beat.data := port.tdata
    beat.starts := port.tuser(starts)
    beat.discontinue := port.tuser(discontinue)
    beat.firstEnables := port.tuser(3 downto 0)
    beat.lastEnables := port.tuser(7 downto 4)
    val gather = LineGather().setCompositeName(port, "gather")
    gather.io.beat << beat.s2mPipe()
    gather.io.line
  }

  override def completerRequests(port: BlockStream): Stream[Fragment[CompleterRequestBeat]] = {
    val line = gathered(port, starts = 40, discontinue = 41)
    val request = Stream(Fragment(CompleterRequestBeat()))
    request.arbitrationFrom(line)
    request.last := line.last
    request.data := line.data
    request.firstEnables := line.head.firstEnables
    request.lastEnables := line.head.lastEnables
    request.discontinue := line.discontinue
    request
  }

  override def requesterCompletions(port: BlockStream): Stream[RequesterCompletionBeat] = {
    val line = gathered(port, starts = 32, discontinue = 42)
    val completion = Stream(RequesterCompletionBeat())
    completion.arbitrationFrom(line)
    completion.data := line.data
    completion.startsLow := line.head.starts
    completion.endsLow := line.last
    completion.startsHigh := False
    completion.endsHigh := False
    completion.discontinue := line.discontinue
    completion
  }

  override def completerCompletions(stream: Stream[Fragment[CompleterCompletionBeat]], port: BlockStream): Unit = {
    val line = stream.s2mPipe()
    val word = RegInit(U(0, 2 bits))
    val beat = Stream(Fragment(CompleterCompletionWord()))
    val behind = line.keep >> (word << 2)
    val isEnd = word === 3 || !behind(4)
    beat.valid := line.valid
    line.ready := beat.ready && isEnd
    when(beat.fire)(word := isEnd ? U(0, 2 bits) | word + 1)
    beat.last := line.last && isEnd
    beat.data := line.data.subdivideIn(128 bits)(word)
    beat.keep := behind(3 downto 0)
    val staged = beat.m2sPipe()
    port.tvalid := staged.valid
    staged.ready := port.tready
    port.tlast := staged.last
    port.tdata := staged.data
    port.tkeep := staged.keep
    port.tuser := 0 // no parity
  }
}
