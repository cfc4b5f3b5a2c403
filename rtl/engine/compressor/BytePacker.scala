// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import pagepress.engine.{ByteStream, EngineResult, PackedBytes}
import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** Packs pieces into full words, and gives the page's result after its last word.
  *
  * A piece a cycle; one that reaches into a second or third word takes a cycle for each word it completes, a page's last
  * one also for the word it ends in. Latency 3 cycles. A page's last word waits until the result before it has been
  * taken.
  */
class BytePacker(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Stream(Piece(parameter)))
    val sink = master(ByteStream(streamBytes))
    val result = master(Stream(EngineResult(config.lengthWidth)))
  }

  val placeWidth = log2Up(streamBytes)
  val STEP = 4 // lanes are moved by less than this, then by multiples of it

  /** A piece before it is moved to its place, which is `held` lanes up. */
  case class Placed() extends Bundle {
    val data = Vec(Bits(8 bits), laneCount)
    val held = UInt(placeWidth bits) // bytes that wait for their word to fill
    val completes = Bool() // its first word
    val more = UInt(2 bits) // words after the first
    val endCount = UInt(log2Up(streamBytes + 1) bits) // bytes of the last word
    val last = Bool()
    val refused = Bool()
    val length = UInt(config.lengthWidth bits)
  }

  val held = Reg(UInt(placeWidth bits)) init 0
  val placed = io.source.translateWith {
    val piece = io.source.payload
    val total = held +^ piece.count
    val words = (total >> placeWidth).resize(2)
    val left = total(placeWidth - 1 downto 0)
    val placed = Placed()
    placed.assignSomeByName(piece)
    placed.held := held
    placed.completes := words =/= 0
    // A last word that would be empty is not, unless it is the only one.
    val wordsAll = words + Mux(piece.last && left =/= 0, U(1), U(0))
    placed.more := Mux(wordsAll === 0, U(0), wordsAll - 1).resized
    when(!piece.last && words =/= 0)(placed.more := (words - 1).resized)
    placed.endCount := Mux(words =/= 0 && left === 0, U(streamBytes), left.resize(placed.endCount.getWidth))
    placed
  }
  when(io.source.fire)(held := Mux(io.source.last, U(0), placed.held + io.source.count).resized)

  /** Three words with the piece at its place in them. */
  val lanes = laneCount + streamBytes - 1
  case class Moved() extends Bundle {
    val piece = Placed()
    val data = Vec(Bits(8 bits), lanes)
    val mine = Bits(streamBytes bits) // lanes of the first word that the piece fills
  }

  val moved = placed.m2sPipe().map { piece =>
    val moved = Moved()
    moved.piece := piece
    val near = shifted(piece.data.toSeq, piece.held(1 downto 0), 1, laneCount + STEP - 1)
    moved.data := shifted(near.toSeq, piece.held >> 2, STEP, lanes)
    moved.mine := Vec((0 until streamBytes).map(piece.held <= _)).asBits
    moved
  }.m2sPipe()

  /** Lanes moved up by `amount` times `step`; what is left free is undefined. */
  def shifted(data: Seq[Bits], amount: UInt, step: Int, size: Int): Vec[Bits] = Vec((0 until size).map { lane =>
    val choices = (0 until 1 << amount.getWidth).map(lane - _ * step)
    Vec(choices.map(from => data(if (data.isDefinedAt(from)) from else choices.find(data.isDefinedAt(_)).get))).read(amount)
  })

  case class Word() extends Bundle {
    val data = Bits(streamBytes * 8 bits)
    val count = UInt(log2Up(streamBytes + 1) bits)
    val last = Bool()
    val result = EngineResult(config.lengthWidth)
  }

  val words = Stream(Word())
  val merge = new Area {
    val bytes = Vec.fill(streamBytes)(Reg(Bits(8 bits)))
    val word = Reg(UInt(2 bits)) init 0 // of the piece's
    val piece = moved.piece
    val first = word === 0
    val done = word === piece.more
    val merged = Vec((0 until streamBytes).map(lane => Mux(moved.mine(lane), moved.data(lane), bytes(lane))))
    def from(start: Int): Vec[Bits] =
      Vec((start until start + streamBytes).map(lane => moved.data(lane min lanes - 1))) // beyond: undefined

    words.valid := moved.valid && (!first || piece.completes || piece.last)
    words.data := Mux(first, merged, bytes).asBits
    words.last := piece.last && done
    words.count := Mux(words.last, piece.endCount, U(streamBytes))
    words.result.status := Mux(piece.refused, B(Interface.STATUS_INCOMPRESSIBLE), B(Interface.STATUS_SUCCESS)).resized
    words.result.length := piece.length

    val advance = moved.valid && (words.ready || !words.valid)
    moved.ready := done && (words.ready || !words.valid)
    when(advance) {
      word := Mux(done, U(0), word + 1)
      bytes := Mux(first, Mux(piece.completes, from(streamBytes), merged), from(2 * streamBytes))
    }
  }

  val output = words.m2sPipe()
  val pending = Reg(Bool()) init False
  val result = RegNextWhen(output.result, io.sink.fire && io.sink.last)
  pending.clearWhen(io.result.ready)
  pending.setWhen(io.sink.fire && io.sink.last)
  io.result.valid := pending
  io.result.payload := result

  io.sink << output.haltWhen(pending && output.last).translateWith {
    val word = Fragment(PackedBytes(streamBytes))
    word.data := output.data
    word.count := output.count
    word.last := output.last
    word
  }
}
