// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.{ByteStream, EngineResult, PackedBytes}
import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** Packs pieces into full words, and gives the page's result after its last word.
  *
  *  - `source`: a piece a cycle, always taken.
  *  - `room`: a register; a piece may come up to `latePieces` cycles after one in which it was high.
  *  - `sink`: a word a cycle, the first 3 cycles after the piece that completes it. A page's last word waits until the
  *    result before it has been taken.
  *
  * The words that a piece completes are queued as one row, so that pieces of many bytes and of few make up for each
  * other.
  */
class BytePacker(parameter: CompressorParameter, latePieces: Int) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Flow(Piece(parameter)))
    val room = out(Bool())
    val sink = master(ByteStream(streamBytes))
    val result = master(Stream(EngineResult(config.lengthWidth)))
  }

  val placeWidth = log2Up(streamBytes)
  val STEP = 4 // lanes are moved by less than this, then by multiples of it
  val DEPTH = 32

  /** A piece behind the bytes that wait for their word to fill. */
  val lanes = laneCount + streamBytes - 1
  val wordsWidth = log2Up(lanes / streamBytes + 2)

  /** What a piece ends. */
  case class RowEnd() extends Bundle {
    val more = UInt(wordsWidth bits) // words after the first
    val lastCount = UInt(log2Up(streamBytes + 1) bits) // bytes of the last word
    val last = Bool() // of the page
    val refused = Bool()
    val length = UInt(config.lengthWidth bits)
  }

  /** A piece before it is moved to its place, which is `held` lanes up. */
  case class Placed() extends Bundle {
    val data = Vec(Bits(8 bits), laneCount)
    val held = UInt(placeWidth bits) // bytes that wait
    val completed = UInt(wordsWidth bits) // words
    val end = RowEnd()
  }

  val held = Reg(UInt(placeWidth bits)) init 0
  val placed = io.source.map { piece =>
    // As if it were not refused: that is known late.
    val total = held +^ piece.count
    val completed = (total >> placeWidth).resize(wordsWidth)
    val left = total(placeWidth - 1 downto 0)
    val ends = piece.last || piece.refused
    val placed = Placed()
    placed.data := piece.data
    placed.held := held
    placed.completed := Mux(piece.refused, U(0), completed)
    // A last word that would be empty is not, unless it is the only one.
    val partial = left =/= 0 || completed === 0
    placed.end.more := Mux(piece.refused, U(0), completed - (!(piece.last && partial)).asUInt)
    placed.end.lastCount := Mux(piece.refused, held, Mux(partial, left.resize(placed.end.lastCount.getWidth), U(streamBytes)))
    placed.end.last := ends
    placed.end.refused := piece.refused
    placed.end.length := piece.length
    when(io.source.valid)(held := Mux(ends, U(0), left))
    placed
  }

  case class Moved() extends Bundle {
    val placed = Placed()
    val data = Vec(Bits(8 bits), lanes)
    val mine = Bits(streamBytes bits) // lanes of the first word that the piece fills
    val isRow = Bool() // it completes a word, or ends the page
  }

  val moved = placed.m2sPipe().map { piece =>
    val moved = Moved()
    moved.placed := piece
    val near = shifted(piece.data.toSeq, piece.held(1 downto 0), 1, laneCount + STEP - 1)
    moved.data := shifted(near.toSeq, piece.held >> 2, STEP, lanes)
    moved.mine := Vec((0 until streamBytes).map(piece.held <= _)).asBits
    moved.isRow := piece.completed =/= 0 || piece.end.last
    moved
  }.m2sPipe()

  /** Lanes moved up by `amount` times `step`; what is left free is undefined. */
  def shifted(data: Seq[Bits], amount: UInt, step: Int, size: Int): Vec[Bits] = Vec((0 until size).map { lane =>
    val choices = (0 until 1 << amount.getWidth).map(lane - _ * step)
    Vec(choices.map(from => data(if (data.isDefinedAt(from)) from else choices.find(data.isDefinedAt(_)).get))).read(amount)
  })

  /** Word `number` of a row, a vector of words of which the last may be short. */
  def word(data: Vec[Bits], number: UInt): Bits =
    Vec(data.grouped(streamBytes).map(Vec(_).asBits.resize(streamBytes * 8)).toSeq).read(number.resize(log2Up((lanes + streamBytes - 1) / streamBytes)))

  /** The words a piece completes, and what it adds to the next one; behind that undefined. */
  val rows = new RowQueue(Vec(Bits(8 bits), lanes), RowEnd(), DEPTH)
  val merge = new Area {
    val waiting = Vec.fill(streamBytes)(Reg(Bits(8 bits))) // the bytes of the word that fills
    val piece = moved.placed
    val row = rows.io.push
    row.end := piece.end
    row.data := moved.data
    for (lane <- 0 until streamBytes) when(!moved.mine(lane))(row.data(lane) := waiting(lane))
    when(moved.valid)(waiting := word(row.data, piece.completed).subdivideIn(8 bits))
    row.valid := moved.valid && moved.isRow
  }
  io.room := RegNext(rows.io.waiting < DEPTH - 1 - latePieces) init False

  val cut = new Area {
    val row = rows.io.pop
    val number = Reg(UInt(wordsWidth bits)) init 0
    val done = number === row.end.more
    val last = row.end.last && done
    val pending = Reg(Bool()) init False
    val result = Reg(EngineResult(config.lengthWidth))

    io.sink.valid := row.valid && !(last && pending)
    io.sink.last := last
    io.sink.fragment.data := word(row.data, number)
    io.sink.fragment.count := Mux(last, row.end.lastCount, U(streamBytes))
    row.ready := io.sink.fire && done
    when(io.sink.fire)(number := Mux(done, U(0), number + 1))

    pending.clearWhen(io.result.ready)
    when(io.sink.fire && last) {
      pending := True
      result.status := Mux(row.end.refused, B(Interface.STATUS_INCOMPRESSIBLE), B(Interface.STATUS_SUCCESS)).resized
      result.length := row.end.length
    }
    io.result.valid := pending
    io.result.payload := result
  }
}
