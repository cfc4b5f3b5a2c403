// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** What an interrupt writes, and where. */
case class MsixMessage() extends Bundle {
  val address = UInt(64 bits)
  val data = Bits(32 bits)
}

/** The MSI-X table and pending bits, and the messages: one whenever a level has risen, a masked one when it is unmasked.
  *
  * Vectors wait in turn. A level that falls before its message is sent, because software has looked by itself, takes its
  * pending bit along. All vectors are masked after reset.
  *
  * `registers` dword accesses: the table at MSIX_TABLE_OFFSET, pending bits at MSIX_PENDING_OFFSET; a write with a strobe
  *             missing, or outside the table, is ignored; reads outside give 0. Reads are answered after two cycles
  * `enabled`   messages may go out now: MSI-X on, function not masked, bus mastering on
  * `message`   withdrawn when that falls, its vector is masked or its level falls, at the latest two cycles after; its
  *             pending bit stays until it is taken
  */
case class MsixTable(vectors: Int) extends Component {
  val io = new Bundle {
    val registers = slave(RegisterPort())
    val levels = in Bits (vectors bits)
    val enabled = in Bool ()
    val message = master(Stream(MsixMessage()))
  }

  private val indexWidth = log2Up(vectors) max 1
  private val addressLow, addressHigh, data = Mem(Bits(32 bits), vectors)
  private val masked = Reg(Bits(vectors bits)) init (BigInt(1) << vectors) - 1
  private val pending = Reg(Bits(vectors bits)) init 0

  // Software's side: the table's entries are four dwords, the last is the mask.
  private val access = io.registers.command.m2sPipe()
  access.ready := True
  private val inPending = access.address(14) // offsets differ in this bit
  require((Interface.MSIX_TABLE_OFFSET ^ Interface.MSIX_PENDING_OFFSET) == (1 << 14), "table and pending bits are told apart by bit 14")
  private val entry = access.address(13 downto 4)
  private val word = access.address(3 downto 2)
  private val exists = !inPending && entry < vectors
  private val index = entry.resize(indexWidth)
  private val writes = access.valid && access.write && access.strobe.andR && exists
  private val fresh = access.data(31 downto 0)
  addressLow.write(index, fresh & ~B(3, 32 bits), enable = writes && word === 0)
  addressHigh.write(index, fresh, enable = writes && word === 1)
  data.write(index, fresh, enable = writes && word === 2)
  for (vector <- 0 until vectors) when(writes && word === 3 && entry === vector)(masked(vector) := fresh(0))

  private val pendingWords = pending.resize(128).subdivideIn(32 bits)
  private val answer = Flow(Bits(32 bits))
  answer.valid := access.valid && !access.write
  answer.payload := 0
  when(exists) {
    answer.payload := Vec(addressLow.readAsync(index), addressHigh.readAsync(index), data.readAsync(index),
      (0 until vectors).map(vector => entry === vector && masked(vector)).orR.asBits.resize(32))(word)
  }
  when(inPending && access.address(13 downto 4) === 0)(answer.payload := pendingWords(word))
  io.registers.answer << answer.m2sPipe()

  // The messages.
  private val before = RegNext(io.levels) init 0
  private val sending = Reg(UInt(indexWidth bits)) init 0 // also whose turn it was last
  private val chosen = RegInit(False) // `sending` has something to send
  private val sent = Bits(vectors bits)
  sent := 0
  private val message = Stream(MsixMessage())
  when(message.fire)(sent(sending) := True)
  pending := ((pending & ~sent) | (io.levels & ~before)) & io.levels

  private val wanted = RegNext((pending & ~masked).andMask(io.enabled)) init 0
  private val later = wanted & (0 until vectors).map(vector => sending < vector).asBits()
  // `wanted` lags: a new choice waits until it has seen the last message leave.
  private val resting = Reg(UInt(2 bits)) init 0
  when(resting =/= 0)(resting := resting - 1)
  when(!chosen && resting === 0 && wanted.orR) {
    chosen := True
    sending := OHToUInt(OHMasking.first(later.orR ? later | wanted))
  }
  // Looked up in the cycle before, again and again while it waits. There is no register behind: what is taken has left.
  private val may = RegNext(chosen && io.enabled && pending(sending) && !masked(sending)) init False
  private val looked = RegNext(chosen) init False // `may` speaks of this choice
  message.valid := chosen && may
  when(chosen && (message.fire || looked && !may)) {
    chosen := False
    resting := 3
  }
  message.address := RegNext(addressHigh.readAsync(sending) ## addressLow.readAsync(sending)).asUInt
  message.data := RegNext(data.readAsync(sending))
  io.message << message
}
