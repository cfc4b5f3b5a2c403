// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import pagepress.dma.Turns
import spinal.core._
import spinal.lib._

/** Figures of the UltraScale+ PCIE4 block's 512-bit user interface. RQ and RC straddle: a TLP begins at byte 0 or 32 of a
  * beat, at 32 only behind the end of another. A beat of CQ and CC holds one TLP's dwords only. NarrowStreams.scala has the
  * 128-bit interface.
  */
object Tlp {
  val BEAT_BYTES = 64
  val BEAT_BITS = 512
  val BEAT_DWORDS = 16
  val HALF_BITS = BEAT_BITS / 2
  val HALF_DWORDS = BEAT_DWORDS / 2

  // Request types in CQ and RQ descriptors.
  val MEMORY_READ = 0
  val MEMORY_WRITE = 1
  val LOCKED_READ = 7
  val LAST_NON_POSTED = 7 // of those that are no memory write

  // Completion status.
  val UNSUPPORTED_REQUEST = 1

  // Error codes in RC descriptors.
  val ERROR_STATUS = 2
  val ERROR_INVALID_TAG = 6
  val ERROR_FUNCTION_RESET = 8
  val ERROR_TIMEOUT = 9

  /** A mask of the lowest `count` (0 to 16) dwords. */
  def lowest(count: UInt): Bits = (0 until BEAT_DWORDS).map(dword => count > dword).asBits()
}

/** An AXI4-Stream port of the block, with the block's own signal names. `tkeep` has a bit a dword; it and `tlast` mean
  * nothing where TLPs straddle.
  */
case class BlockStream(bytes: Int, userWidth: Int) extends Bundle with IMasterSlave {
  val tvalid, tready, tlast = Bool()
  val tdata = Bits(8 * bytes bits)
  val tkeep = Bits(bytes / 4 bits)
  val tuser = Bits(userWidth bits)
  override def asMaster(): Unit = { out(tvalid, tdata, tkeep, tlast, tuser); in(tready) }
}

/** The block's four streams, of 64 or 16 bytes a cycle. */
object BlockStream {
  private def of(bytes: Int, userWide: Int, userNarrow: Int) = BlockStream(bytes, if (bytes == Tlp.BEAT_BYTES) userWide else userNarrow)
  def cq(bytes: Int): BlockStream = of(bytes, 183, 88)
  def cc(bytes: Int): BlockStream = of(bytes, 81, 33)
  def rq(bytes: Int): BlockStream = of(bytes, 137, 62)
  def rc(bytes: Int): BlockStream = of(bytes, 161, 75)
}

/** A beat of a request to this card; `data` of the first starts with a descriptor of four dwords. */
case class CompleterRequestBeat() extends Bundle {
  val data = Bits(Tlp.BEAT_BITS bits)
  val firstEnables, lastEnables = Bits(4 bits) // of the TLP's payload, valid with its first beat
  val discontinue = Bool() // the block met an error of its own: the TLP is void
}

/** A beat of a completion by this card; the first starts with a descriptor of three dwords. */
case class CompleterCompletionBeat() extends Bundle {
  val data = Bits(Tlp.BEAT_BITS bits)
  val keep = Bits(Tlp.BEAT_DWORDS bits)
}

/** Part of a request by this card: up to 64 bytes of its payload, all 64 but in the last. A read is one without payload. */
case class RequesterRequestLine() extends Bundle {
  val descriptor = Bits(128 bits) // like the next three, valid with the TLP's first line
  val firstEnables, lastEnables = Bits(4 bits)
  val sequence = UInt(6 bits) // comes back once nothing can pass the TLP; 0: nobody waits for it
  val data = Bits(Tlp.BEAT_BITS bits) // payload
  val dwords = UInt(5 bits) // of it, 0 to 16
}

/** A beat of completions for this card, of two at most. The low one begins at byte 0, now or in an earlier beat; the high
  * one at byte 32, behind the low one's end if there is one. Each begins with a descriptor of three dwords.
  */
case class RequesterCompletionBeat() extends Bundle {
  val data = Bits(Tlp.BEAT_BITS bits)
  val startsLow, startsHigh = Bool()
  val endsLow, endsHigh = Bool()
  val discontinue = Bool() // the block met an error of its own: what is in this beat is void
}

/** Between the block's signals and the streams of this room; every direction is cut by registers. */
abstract class BlockStreams {
  def completerRequests(port: BlockStream): Stream[Fragment[CompleterRequestBeat]]
  def requesterCompletions(port: BlockStream): Stream[RequesterCompletionBeat]
  def completerCompletions(stream: Stream[Fragment[CompleterCompletionBeat]], port: BlockStream): Unit
  def requestSender(count: Int): RequestSender
}

object BlockStreams {
  def of(bytes: Int): BlockStreams = if (bytes == Tlp.BEAT_BYTES) BlockStream512 else BlockStream128
}

/** Puts requests onto the block's RQ, whosever they are: those who ask take turns, TLP by TLP.
  *
  * The block wants a TLP's beats in consecutive cycles: once a TLP has begun its lines must come without a gap, and its beats
  * leave without one.
  *
  * `requests` valid stays until ready, but that of a TLP of at most four dwords of payload may fall; `last` ends a TLP
  * `stands`   the block has taken nothing for some cycles though there was something to take
  * `idle`     no TLP is here
  */
abstract class RequestSender(count: Int, bytes: Int) extends Component {
  val io = new Bundle {
    val requests = Vec(slave(Stream(Fragment(RequesterRequestLine()))), count)
    val block = master(BlockStream.rq(bytes))
    val stands = out Bool ()
    val idle = out Bool ()
  }

  protected val turns = Turns[Fragment[RequesterRequestLine]](io.requests.toSeq, stays = !_.last)

  protected val stalled = Bool() // a beat waits for the block
  private val waited = Reg(UInt(2 bits)) init 0
  when(!stalled)(waited := 0) elsewhen (!waited.andR)(waited := waited + 1)
  io.stands := waited.andR
}

object BlockStream512 extends BlockStreams {
  override def requestSender(count: Int): RequestSender = RequestStraddler(count)

  def completerRequests(port: BlockStream): Stream[Fragment[CompleterRequestBeat]] = {
    val stream = Stream(Fragment(CompleterRequestBeat()))
    stream.valid := port.tvalid
    port.tready := stream.ready
    stream.last := port.tlast
    stream.data := port.tdata
    stream.firstEnables := port.tuser(3 downto 0)
    stream.lastEnables := port.tuser(11 downto 8)
    stream.discontinue := port.tuser(96)
    stream.s2mPipe().m2sPipe()
  }

  def requesterCompletions(port: BlockStream): Stream[RequesterCompletionBeat] = {
    val stream = Stream(RequesterCompletionBeat())
    val starts = port.tuser(65 downto 64)
    val firstStartsHigh = port.tuser(69) // its dword / 4 is 0 or 2
    val ends = port.tuser(77 downto 76)
    stream.valid := port.tvalid
    port.tready := stream.ready
    stream.data := port.tdata
    stream.startsLow := starts(0) && !firstStartsHigh
    stream.startsHigh := starts(1) || starts(0) && firstStartsHigh
    stream.endsLow := ends(0)
    stream.endsHigh := ends(1) // if there is a low one: so short as to end here, the high one never comes alone
    stream.discontinue := port.tuser(96)
    stream.s2mPipe().m2sPipe()
  }

  def completerCompletions(stream: Stream[Fragment[CompleterCompletionBeat]], port: BlockStream): Unit = {
    val staged = stream.s2mPipe().m2sPipe()
    port.tvalid := staged.valid
    staged.ready := port.tready
    port.tlast := staged.last
    port.tdata := staged.data
    port.tkeep := staged.keep
    port.tuser := 0 // start and end marks count only where TLPs straddle; no parity
  }
}

/** Descriptor of a memory request by this card; attributes and traffic class 0: strictly ordered. The block fills in its
  * own requester id.
  */
object RequestDescriptor {
  def apply(address: UInt, dwords: UInt, write: Boolean, tag: UInt): Bits =
    B(0, 24 bits) ## tag.resize(8) ## B(0, 17 bits) ## B(if (write) Tlp.MEMORY_WRITE else Tlp.MEMORY_READ, 4 bits) ##
      dwords.resize(11) ## address(63 downto 2) ## B"00"
}

/** What the descriptor of a request to this card says, its four dwords as they come. */
case class CompleterDescriptor(bits: Bits) {
  val dwords: UInt = bits(74 downto 64).asUInt
  val kind: UInt = bits(78 downto 75).asUInt
  private val moves = bits(114 downto 112) === 0 && dwords =/= 0 // BAR0's bytes
  val isRead: Bool = moves && kind === Tlp.MEMORY_READ
  val isWrite: Bool = moves && kind === Tlp.MEMORY_WRITE
  /** A completion answers it. */
  val isNonPosted: Bool = kind =/= Tlp.MEMORY_WRITE && kind <= Tlp.LAST_NON_POSTED
}

/** A read or write of one register. */
case class RegisterCommand() extends Bundle {
  val address = UInt(16 bits) // in BAR0, a multiple of 4
  val write = Bool()
  val data = Bits(32 bits)
  val strobe = Bits(4 bits)
}

/** Registers as the completer uses them: a read is answered, and nothing follows before; writes are not. Accesses take
  * effect in order.
  */
case class RegisterPort() extends Bundle with IMasterSlave {
  val command = Stream(RegisterCommand())
  val answer = Flow(Bits(32 bits))
  override def asMaster(): Unit = { master(command); slave(answer) }
}
