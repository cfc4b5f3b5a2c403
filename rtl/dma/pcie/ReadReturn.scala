// SPDX-License-Identifier: Apache-2.0
package pagepress.dma.pcie

import pagepress.dma.Turns
import spinal.core._
import spinal.lib._
import spinal.lib.bus.amba4.axi._

/** Brings reads back to AXI: the bursts of one id in order, different ids as their completions come. Pieces of different
  * ids may alternate. A faulted or refused piece is beats of SLVERR and zeros.
  *
  * Latency 4 cycles from `answer`; a beat a cycle.
  *
  * `order`   pieces as they were asked for
  * `answer`  a tag of `answered` from the next cycle on
  * `release` tags whose data has been taken
  * `idle`    no piece is waited for or on its way
  */
case class ReadReturn(config: PcieConfig) extends Component {
  import config._

  val io = new Bundle {
    val order = slave(Stream(ReadPieceOfId(config)))
    val answered, faulted = in Bits (tags bits)
    val answer = slave(Flow(UInt(tagWidth bits)))
    val read = master(Flow(BufferLine(config)))
    val data = in Bits (Tlp.BEAT_BITS bits)
    val beat = master(Stream(Axi4R(axi)))
    val release = master(Stream(UInt(tagWidth bits)))
    val idle = out Bool ()
  }

  /** A piece whose data is here. */
  case class Chosen() extends Bundle {
    val id = UInt(idWidth bits)
    val piece = ReadPiece(config)
  }

  // Each id waits for its own oldest piece.
  private val heads = for (id <- 0 until ids) yield {
    val piece = Stream(ReadPiece(config))
    piece.valid := io.order.valid && io.order.id === id
    piece.payload := io.order.piece
    val waiting = StreamFifo(ReadPiece(config), 2 * tags)
    waiting.io.push << piece
    val next = waiting.io.pop
    val head = next.m2sPipe()
    // Looked up when the piece becomes the oldest, and seen to change from then on: the look-up takes most of a cycle.
    def isAnswered(piece: ReadPiece): Bool = io.answer.valid && io.answer.payload === piece.tag
    val ready = Reg(Bool())
    when(next.fire)(ready := next.refused || io.answered(next.tag) || isAnswered(next.payload))
      .elsewhen(isAnswered(head.payload))(ready := True)
    val chosen = Stream(Chosen())
    chosen.arbitrationFrom(head.haltWhen(!ready))
    chosen.id := id
    chosen.piece := head.payload
    (chosen, piece.ready)
  }
  io.order.ready := heads.map(_._2).zipWithIndex.map { case (ready, id) => ready && io.order.id === id }.orR

  // One after the other, a beat a cycle.
  private val chosen = Turns[Chosen](heads.map(_._1.m2sPipe()), stays = _ => False).out.s2mPipe().m2sPipe()
  private val done = Reg(UInt(pieceBeatsWidth bits)) // the beat that is next
  private val begun = RegInit(False)
  private val index = begun ? done | (if (beatsPerLine == 1) U(0) else chosen.piece.first.resize(pieceBeatsWidth))
  private val following = index + 1
  private val lastOfPiece = following === chosen.piece.beats
  private val release = Stream(UInt(tagWidth bits))

  /** A beat on its way through the buffer. */
  case class Fetched() extends Bundle {
    val id = UInt(idWidth bits)
    val place = UInt(log2Up(beatsPerLine) bits)
    val fault, last = Bool()
  }
  private val fetch = Stream(Fetched())
  fetch.valid := chosen.valid && (!lastOfPiece || release.ready)
  fetch.id := chosen.id
  fetch.place := index.resize(log2Up(beatsPerLine))
  fetch.fault := chosen.piece.refused || io.faulted(chosen.piece.tag)
  fetch.last := lastOfPiece && chosen.piece.last
  chosen.ready := fetch.fire && lastOfPiece
  when(fetch.fire) {
    done := following
    begun := !lastOfPiece
  }
  io.read.valid := fetch.fire
  io.read.tag := chosen.piece.tag
  io.read.line := (index >> log2Up(beatsPerLine)).resized
  release.valid := fetch.fire && lastOfPiece && !chosen.piece.refused
  release.payload := chosen.piece.tag
  io.release << release.s2mPipe().m2sPipe()

  private val fetched = fetch.m2sPipe()
  private val beat = Stream(Axi4R(axi))
  beat.arbitrationFrom(fetched)
  beat.id := fetched.id
  beat.last := fetched.last
  beat.resp := fetched.fault ? Axi4.resp.SLVERR | Axi4.resp.OKAY
  private val word = if (beatsPerLine == 1) io.data else io.data.subdivideIn(dma.busBytes * 8 bits)(fetched.place)
  beat.data := fetched.fault ? B(0, axi.dataWidth bits) | word
  io.beat << beat.s2mPipe()

  private val inside = Reg(UInt(log2Up((2 * tags + 4) * ids) bits)) init 0
  inside := inside + U(RegNext(io.order.fire, init = False)) - U(RegNext(chosen.fire, init = False))
  io.idle := RegNext(inside === 0 && !fetched.valid && !io.beat.valid && !release.valid && !io.release.valid) init True
}
