// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._

/** Which literals to encode: `count` bytes, at least one, from byte `begin` on. */
case class LiteralRun(bufferBytes: Int) extends Bundle {
  val begin = UInt(log2Up(bufferBytes) bits)
  val count = UInt(log2Up(bufferBytes) + 1 bits)
}

/** Encodes one stream of literals, one a cycle, the last literal first.
  *
  * `start` begins; `busy` falls when the last word of the stream has left, and `bytes` is the stream's length then.
  */
class LiteralEncoder(bufferBytes: Int, lengthBits: Int) extends Component {
  val io = new Bundle {
    val start = slave(Flow(LiteralRun(bufferBytes)))
    val request = master(Stream(UInt(log2Up(bufferBytes) - 3 bits)))
    val response = slave(Flow(Bits(64 bits)))
    val word = master(Flow(Bits(64 bits)))
    val busy = out Bool ()
    val bytes = out UInt (lengthBits bits)
  }
  private val bytes = new BackwardBits(8, bufferBytes)
  private val packer = new BitPacker(LiteralCodes.longest, lengthBits)
  io.request << bytes.io.request
  bytes.io.response << io.response
  bytes.io.open.valid := io.start.valid
  bytes.io.open.payload := io.start.begin + io.start.count

  private val left = Reg(cloneOf(io.start.count)) init 0
  private val takes = bytes.io.valid && left =/= 0
  bytes.io.take.valid := takes
  bytes.io.take.payload := 8
  bytes.io.close := takes && left === 1
  when(takes)(left := left - 1)
  when(io.start.valid)(left := io.start.count)

  private val code = RegNext(LiteralCodes.code(bytes.io.window))
  packer.io.bits.valid := RegNext(takes) init False
  packer.io.bits.last := RegNext(left === 1)
  packer.io.bits.fragment.value := code(LiteralCodes.longest - 1 downto 0)
  packer.io.bits.fragment.count := code.drop(LiteralCodes.longest).asUInt
  io.word << packer.io.word
  io.bytes := packer.io.bytes

  private val running = RegInit(False)
  when(packer.io.done)(running := False)
  when(io.start.valid)(running := True)
  io.busy := running || !bytes.io.idle
}
