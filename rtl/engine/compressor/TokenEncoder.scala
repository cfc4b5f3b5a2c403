// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** Writes sequences as LZO1X tokens, with their literals from the page memory.
  *
  * One sequence a cycle when its token and literals fit one piece; longer literal runs take a cycle for every
  * `pieceBytes` more, lengths beyond a token's field a cycle for every 255. When a piece would take the stream beyond
  * the page's limit, it is replaced by an empty last piece with INCOMPRESSIBLE, and the page's other sequences are
  * dropped. `release` pulses when a page's last sequence is done. Latency 2 cycles.
  */
class TokenEncoder(parameter: CompressorParameter) extends Component {
  import parameter._
  import LzoFormat._

  val io = new Bundle {
    val write = slave(Flow(PageWrite(parameter)))
    val limits = in(Vec(UInt(config.lengthWidth bits), 2))
    val source = slave(Stream(Sequence(parameter)))
    val release = out(Bool())
    val sink = master(Stream(Piece(parameter)))
  }

  val PREFIX_BYTES = 4

  /** A piece before its literals are read: `prefix`, then `literals` bytes of the page from `position` on. */
  case class Order() extends Bundle {
    val prefix = Vec(Bits(8 bits), PREFIX_BYTES)
    val prefixCount = UInt(log2Up(PREFIX_BYTES + 1) bits)
    val literals = UInt(log2Up(pieceBytes + 1) bits)
    val slot = UInt(1 bits)
    val position = UInt(positionWidth bits)
    val last = Bool()
    val status = Bits(8 bits)
    val length = UInt(config.lengthWidth bits)
  }

  object Phase extends SpinalEnum {
    // token; its length's extension; the literal run's extension; more literals; end mark; the rest of a dropped page
    val START, MATCH_LENGTH, RUN_LENGTH, LITERALS, END, DROP = newElement()
  }

  val orders = Stream(Order())
  val phase = Reg(Phase()) init Phase.START
  val sequence = io.source.payload
  val extension = Reg(UInt(matchWidth bits)) // what is left to say of a length
  val pending = Reg(UInt(matchWidth bits)) // literals of this sequence still to write
  val cursor = Reg(UInt(matchWidth bits)) init 0 // bytes of the page written
  val produced = Reg(UInt(config.lengthWidth bits)) init 0 // bytes of the stream written

  val token = new Area {
    val first = sequence.matchLength === 0
    val short = sequence.matchLength <= SHORT_MAXIMUM_LENGTH && sequence.offset <= SHORT_MAXIMUM_OFFSET
    val extended = !first && !short && sequence.matchLength > LONG_MAXIMUM_LENGTH
    val distance = (sequence.offset - 1).asBits.resize(14)
    val state = Mux(sequence.literals <= STATE_LITERALS, sequence.literals, U(0))(1 downto 0).asBits
    val longTail = Seq(distance(5 downto 0) ## state, distance(13 downto 6))
    val shortBytes = Seq((sequence.matchLength - 1)(2 downto 0).asBits ## distance(2 downto 0) ## state,
      distance(10 downto 3))
    val longBytes = (B(LONG_MARK, 8 bits) | (sequence.matchLength - LONG_BASE_LENGTH).asBits.resize(8)) +: longTail
  }

  /** The literal run's own bytes: none when the match counts its literals itself. */
  val run = new Area {
    val long = sequence.literals > Mux(token.first, U(FIRST_MAXIMUM), U(RUN_MAXIMUM))
    val needed = Mux(token.first, sequence.literals =/= 0, sequence.literals > STATE_LITERALS)
    val base = Mux(token.first, U(FIRST_BASE, 8 bits), U(256 - RUN_BASE, 8 bits))
    val mark = Mux(long, U(0), sequence.literals.resize(8) + base).asBits
  }

  val step = new Area {
    val prefix = Vec.fill(PREFIX_BYTES)(B(0, 8 bits))
    val prefixCount = U(0, log2Up(PREFIX_BYTES + 1) bits)
    val opens = False // this piece may carry the first literals
    val nextPhase = Phase()
    val nextExtension = extension - EXTENSION_STEP
    val lastOfExtension = extension <= EXTENSION_STEP
    val left = Mux(phase === Phase.START, sequence.literals, pending)
    val position = Mux(phase === Phase.START, cursor + sequence.matchLength, cursor)
    val after = Mux(sequence.last, Phase.END(), Phase.START())
    val drop = False
    nextPhase := phase

    /** The prefix ends with `bytes` and, if there is one, the literal run's first byte. */
    def close(bytes: Seq[Bits]): Unit = {
      for ((byte, index) <- bytes.zipWithIndex) prefix(index) := byte
      prefix(bytes.size) := run.mark
      prefixCount := (U(bytes.size, 3 bits) + run.needed.asUInt).resized
      when(run.needed && run.long) {
        nextPhase := Phase.RUN_LENGTH
        nextExtension := (sequence.literals - RUN_MAXIMUM).resized
      } otherwise {
        opens := True
      }
    }

    switch(phase) {
      is(Phase.START) {
        when(token.first) {
          close(Nil)
        } elsewhen token.extended {
          prefix(0) := LONG_MARK
          prefixCount := 1
          nextPhase := Phase.MATCH_LENGTH
          nextExtension := sequence.matchLength - LONG_MAXIMUM_LENGTH
        } elsewhen token.short {
          close(token.shortBytes)
        } otherwise {
          close(token.longBytes)
        }
      }
      is(Phase.MATCH_LENGTH) {
        when(lastOfExtension)(close(extension.resize(8).asBits +: token.longTail)) otherwise (prefixCount := 1)
      }
      is(Phase.RUN_LENGTH) {
        prefix(0) := Mux(lastOfExtension, extension.resize(8), U(0)).asBits
        prefixCount := 1
        opens := lastOfExtension
      }
      is(Phase.LITERALS)(opens := True)
      is(Phase.END) {
        for ((byte, index) <- END_MARK.zipWithIndex) prefix(index) := byte
        prefixCount := END_MARK.size
        nextPhase := Phase.START
      }
      is(Phase.DROP) {
        drop := True
        nextPhase := Mux(sequence.last, Phase.START(), Phase.DROP())
      }
    }

    val room = Mux(phase === Phase.LITERALS, U(pieceBytes), U(pieceBytes - PREFIX_BYTES))
    val literals = Mux(opens, Mux(left > room, room, left), U(0)).resize(log2Up(pieceBytes + 1))
    when(opens)(nextPhase := Mux(left > room, Phase.LITERALS(), after))

    val total = produced +^ prefixCount +^ literals
    // A run known to be too long is refused at once, not literal by literal.
    val over = (total > io.limits(sequence.slot)) || (produced +^ left > io.limits(sequence.slot))
    val ends = phase === Phase.END
  }

  val order = new Area {
    val over = step.over && !step.drop
    val last = step.ends || over
    val finished = Mux(over, sequence.last, Mux(step.drop, True, step.nextPhase === Phase.START))

    // A page without a byte has a first sequence without one: nothing to write but the end mark.
    val empty = !over && step.prefixCount === 0 && step.literals === 0
    orders.valid := io.source.valid && !step.drop && !empty
    orders.prefix := step.prefix
    orders.prefixCount := Mux(over, U(0), step.prefixCount)
    orders.literals := Mux(over, U(0), step.literals)
    orders.slot := sequence.slot
    orders.position := step.position.resized
    orders.last := last
    orders.status := Mux(over, B(Interface.STATUS_INCOMPRESSIBLE), B(Interface.STATUS_SUCCESS)).resized
    orders.length := Mux(over, produced, step.total.resized)

    val advance = io.source.valid && (orders.ready || step.drop || empty)
    io.source.ready := advance && finished
    io.release := advance && finished && sequence.last
    when(advance) {
      extension := step.nextExtension
      pending := step.left - step.literals
      cursor := step.position + step.literals
      produced := step.total.resized
      phase := step.nextPhase
      when(over)(phase := Mux(sequence.last, Phase.START(), Phase.DROP()))
      when(finished && sequence.last) {
        cursor := 0
        produced := 0
      }
    }
  }

  val memory = new PageMemory(parameter, pieceBytes)
  memory.io.write << io.write
  memory.io.enable := orders.fire
  memory.io.slot := orders.slot
  memory.io.position := orders.position
  val read = orders.m2sPipe()

  io.sink << read.translateWith {
    val piece = Piece(parameter)
    val literals = memory.io.data.asBits
    val shifted = (0 to PREFIX_BYTES).map(count => (literals |<< (8 * count)).andMask(read.prefixCount === count))
    val prefix = read.prefix.zipWithIndex.map { case (byte, index) => byte.andMask(read.prefixCount > index) }
    piece.data := shifted.reduce(_ | _) | Vec(prefix).asBits.resize(pieceBytes * 8)
    piece.count := read.literals + read.prefixCount
    piece.last := read.last
    piece.status := read.status
    piece.length := read.length
    piece
  }.m2sPipe()
}
