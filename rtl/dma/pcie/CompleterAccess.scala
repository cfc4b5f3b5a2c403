// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import spinal.core._
import spinal.lib._
import spinal.lib.fsm._

/** Requests to BAR0, dword by dword: registers for the host.
  *
  * Memory reads and writes of any length and byte enables are carried out in order, a dword at a time. Read completions end
  * at multiples of 128 bytes, an endpoint's read completion boundary. Every other request that wants a completion, and a
  * read of another BAR, is answered Unsupported Request; every other posted one is dropped, like a TLP that the block marks
  * void.
  *
  * `request`    back-pressure while an earlier request is worked on
  * `completion` a whole TLP is here before its first beat is offered
  * `hold`       start nothing new; `idle` nothing is under way (completions may still be leaving, and writes be behind
  *              `registers`)
  */
case class CompleterAccess() extends Component {
  val io = new Bundle {
    val request = slave(Stream(Fragment(CompleterRequestBeat())))
    val completion = master(Stream(Fragment(CompleterCompletionBeat())))
    val registers = master(RegisterPort())
    val hold = in Bool ()
    val idle = out Bool ()
  }

  private val boundaryDwords = 32 // 128 bytes
  private val headerDwords = 3

  // The request at hand.
  private val descriptor = Reg(Bits(128 bits))
  private val firstEnables, lastEnables = Reg(Bits(4 bits))
  private val described = CompleterDescriptor(descriptor)
  private val isLocked = described.kind === Tlp.LOCKED_READ
  private val address = Reg(UInt(14 bits)) // of the next dword, in dwords
  private val left = Reg(UInt(11 bits)) // dwords still to do
  private val isFirst = Reg(Bool())

  // Byte count and lower address, as the specification derives them from the enables.
  private val leading = PriorityMux(Seq(
    firstEnables(0) -> U(0, 2 bits), firstEnables(1) -> U(1, 2 bits), firstEnables(2) -> U(2, 2 bits),
    firstEnables(3) -> U(3, 2 bits), True -> U(0, 2 bits)))
  private val ending = (described.dwords === 1) ? firstEnables | lastEnables
  private val trailing = PriorityMux(Seq(
    ending(3) -> U(0, 2 bits), ending(2) -> U(1, 2 bits), ending(1) -> U(2, 2 bits),
    ending(0) -> U(3, 2 bits), True -> U(3, 2 bits))) // no enable at all reads one byte
  private val bytesLeft = Reg(UInt(13 bits))

  // Payload of a write, shifted down a dword at a time.
  private val payload = Reg(Bits(Tlp.BEAT_BITS bits))
  private val payloadDwords = Reg(UInt(5 bits))
  private val payloadLast = Reg(Bool())

  // The completion being gathered.
  private val beat = Reg(Vec(Bits(32 bits), Tlp.BEAT_DWORDS))
  private val filled = Reg(UInt(5 bits))
  private val completionLeft = Reg(UInt(6 bits)) // dwords it still takes

  private def header(lowerAddress: UInt, byteCount: UInt, dwords: UInt, status: Int): Vec[Bits] = Vec(
    B(0, 2 bits) ## isLocked ## byteCount.resize(13) ## B(0, 6 bits) ## descriptor(1 downto 0) ## B(0, 1 bits) ## lowerAddress.resize(7),
    descriptor(95 downto 80) ## B(0, 2 bits) ## B(status, 3 bits) ## dwords.resize(11),
    B(0, 1 bits) ## descriptor(126 downto 124) ## descriptor(123 downto 121) ## B(0, 1 bits) ## B(0, 8 bits) ## descriptor(111 downto 104) ## descriptor(103 downto 96))

  private val finished = Stream(Fragment(CompleterCompletionBeat()))
  finished.valid := False
  finished.last := completionLeft === 0
  finished.data := beat.asBits
  finished.keep := Tlp.lowest(filled)

  io.request.ready := False
  io.registers.command.valid := False
  io.registers.command.address := (address @@ U(0, 2 bits))
  io.registers.command.data := payload(31 downto 0)
  io.registers.command.write := False
  io.registers.command.strobe := isFirst ? firstEnables | ((left === 1) ? lastEnables | B"1111")

  private def advance(): Unit = {
    address := address + 1
    left := left - 1
    isFirst := False
  }

  private val machine = new StateMachine {
    val waiting = new State with EntryPoint
    val sorting, measuring, cutting, beginning, reading, readWait, sending, writing, refilling, refusing, refused, dropping = new State
    val firstBeatLast = Reg(Bool())
    setEncoding(binaryOneHot) // whether there is an access decides a lot behind it

    waiting.whenIsActive {
      io.request.ready := !io.hold
      val coming = CompleterDescriptor(io.request.data(127 downto 0))
      descriptor := coming.bits
      firstEnables := io.request.firstEnables
      lastEnables := io.request.lastEnables
      address := io.request.data(15 downto 2).asUInt
      left := coming.dwords
      isFirst := True
      payload := B(0, 128 bits) ## io.request.data(511 downto 128)
      payloadDwords := Tlp.BEAT_DWORDS - 4
      payloadLast := io.request.last
      firstBeatLast := io.request.last
      when(io.request.fire) {
        when(io.request.discontinue) {
          when(!io.request.last)(goto(dropping))
        } elsewhen (coming.isWrite)(goto(writing)) otherwise goto(sorting)
      }
    }
    sorting.whenIsActive {
      bytesLeft := (left << 2) - leading
      when(described.isRead)(goto(measuring))
        .elsewhen(described.isNonPosted)(goto(refusing))
        .elsewhen(!firstBeatLast)(goto(dropping))
        .otherwise(goto(waiting))
    }

    // Reads: as many completions as boundaries ask for.
    measuring.whenIsActive {
      bytesLeft := bytesLeft - trailing
      goto(cutting)
    }
    cutting.whenIsActive {
      val toBoundary = U(boundaryDwords, 6 bits) - address(4 downto 0)
      completionLeft := (left > toBoundary) ? toBoundary | left.resize(6)
      goto(beginning)
    }
    beginning.whenIsActive {
      val skipped = isFirst ? leading | U(0)
      val head = header((address(4 downto 0) @@ skipped), bytesLeft, completionLeft, status = 0)
      for (dword <- 0 until headerDwords) beat(dword) := head(dword)
      filled := headerDwords
      bytesLeft := bytesLeft - (completionLeft << 2) + skipped
      goto(reading)
    }
    reading.whenIsActive {
      io.registers.command.valid := True
      when(io.registers.command.ready)(goto(readWait))
    }
    readWait.whenIsActive {
      when(io.registers.answer.valid) {
        beat(filled.resize(4)) := io.registers.answer.payload
        filled := filled + 1
        completionLeft := completionLeft - 1
        advance()
        when(filled === Tlp.BEAT_DWORDS - 1 || completionLeft === 1)(goto(sending)) otherwise goto(reading)
      }
    }
    sending.whenIsActive {
      finished.valid := True
      when(finished.ready) {
        filled := 0
        when(completionLeft =/= 0)(goto(reading))
          .elsewhen(left =/= 0)(goto(cutting))
          .otherwise(goto(waiting))
      }
    }

    // Writes.
    writing.whenIsActive {
      io.registers.command.valid := True
      io.registers.command.write := True
      when(io.registers.command.ready) {
        advance()
        payload := payload |>> 32
        payloadDwords := payloadDwords - 1
        when(left === 1) {
          when(payloadLast)(goto(waiting)) otherwise goto(dropping)
        } elsewhen (payloadDwords === 1) {
          when(payloadLast)(goto(waiting)) otherwise goto(refilling) // a TLP shorter than it says: what is here counts
        }
      }
    }
    refilling.whenIsActive {
      io.request.ready := True
      payload := io.request.data
      payloadDwords := Tlp.BEAT_DWORDS
      payloadLast := io.request.last
      when(io.request.fire) {
        when(!io.request.discontinue)(goto(writing))
          .elsewhen(io.request.last)(goto(waiting))
          .otherwise(goto(dropping))
      }
    }

    // The block logs the request in its error registers: it wants the descriptor back.
    refusing.whenIsActive {
      val isRead = described.kind === Tlp.MEMORY_READ || isLocked
      val head = header(isRead ? (address(4 downto 0) @@ leading) | U(0), isRead ? (bytesLeft - trailing) | U(4), U(0, 11 bits), Tlp.UNSUPPORTED_REQUEST)
      for (dword <- 0 until headerDwords) beat(dword) := head(dword)
      beat(3) := B(0, 24 bits) ## lastEnables ## firstEnables
      for (dword <- 0 until 4) beat(4 + dword) := descriptor(32 * dword, 32 bits)
      filled := 8
      completionLeft := 0
      goto(refused)
    }
    refused.whenIsActive {
      finished.valid := True
      when(finished.ready) {
        when(firstBeatLast)(goto(waiting)) otherwise goto(dropping)
      }
    }
    dropping.whenIsActive {
      io.request.ready := True
      when(io.request.fire && io.request.last)(goto(waiting))
    }
  }
  io.idle := machine.isActive(machine.waiting)

  // A TLP leaves when its last beat is here: its beats must not be torn apart. The longest has three.
  private val buffer = StreamFifo(Fragment(CompleterCompletionBeat()), 4, latency = 1)
  private val whole = Reg(UInt(3 bits)) init 0
  buffer.io.push << finished
  whole := whole + U(buffer.io.push.fire && buffer.io.push.last) - U(buffer.io.pop.fire && buffer.io.pop.last)
  io.completion << buffer.io.pop.haltWhen(whole === 0)
}
