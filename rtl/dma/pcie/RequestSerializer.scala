// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._

/** Puts requests onto the RQ of a block of 16 bytes a cycle: a descriptor, then four dwords of payload a beat. Latency 2 cycles. */
case class RequestSerializer(count: Int) extends RequestSender(count, bytes = 16) {
  private val line = turns.out.m2sPipe() // whose turn it is may change until a line is taken
  private val isFirst = RegNextWhen(line.last, line.fire) init True
  private val given = RegInit(U(0, 3 bits)) // beats of this line
  private val isDescriptor = isFirst && given === 0
  private val word = (given - U(isFirst)).resize(2)
  private val behind = line.dwords.resize(6) - (word << 2).resize(6) // dwords of payload from this word on
  private val isEnd = isDescriptor ? (line.dwords === 0) | (line.last ? (behind <= 4) | (word === 3))

  private val beat = Stream(Fragment(Bits(128 + 4 + 62 bits)))
  beat.valid := line.valid
  line.ready := beat.ready && isEnd
  when(beat.fire)(given := isEnd ? U(0, 3 bits) | given + 1)
  beat.last := isEnd && line.last
  private val keep = Mux(isDescriptor, B"1111", (0 until 4).map(dword => behind > dword).asBits())
  private val user = B(0, 62 bits)
  user(3 downto 0) := line.firstEnables
  user(7 downto 4) := line.lastEnables
  user(27 downto 24) := line.sequence(3 downto 0).asBits
  user(61 downto 60) := line.sequence(5 downto 4).asBits
  beat.fragment := user ## keep ## (isDescriptor ? line.descriptor | line.data.subdivideIn(128 bits)(word))

  private val staged = beat.m2sPipe()
  stalled := staged.isStall
  io.idle := !line.valid && !staged.valid
  io.block.tvalid := staged.valid
  staged.ready := io.block.tready
  io.block.tlast := staged.last
  io.block.tdata := staged.fragment(127 downto 0)
  io.block.tkeep := staged.fragment(131 downto 128)
  io.block.tuser := staged.fragment(193 downto 132)
}
