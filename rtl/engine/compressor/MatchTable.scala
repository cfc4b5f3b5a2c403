// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._

/** One position asking the table: its key and where it hashes to. */
case class TableRequest(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val granted = Bool() // false: another position of the window has the bank
  val bank = UInt(log2Up(banks) bits)
  val row = UInt(log2Up(rows) bits)
}

/** What one way of the table knows for a position. */
case class TableHit(parameter: CompressorParameter) extends Bundle {
  import parameter._

  val length = UInt(keyLengthWidth bits) // equal bytes, 0 when there is no entry of this page
  val position = UInt(positionWidth bits) // where they are
}

/** A window and its table requests; `generation` tells pages apart. */
case class TableLookup(parameter: CompressorParameter) extends Bundle {
  val window = Window(parameter)
  val requests = Vec(TableRequest(parameter), parameter.windowBytes)
  val way = UInt((log2Up(parameter.ways) max 1) bits) // the way this window is written to
}

/** A window and what the table knows for each position and way. */
case class TableAnswer(parameter: CompressorParameter) extends Bundle {
  val window = Window(parameter)
  val hits = Vec(Vec(TableHit(parameter), parameter.ways), parameter.windowBytes)
}

/** Remembers where in the page recent bytes were seen.
  *
  * Every bank serves one position a window: it reads the entry and puts the position in its place with the same
  * address, in the same cycle. Entries keep the bytes at their position, so a hit's length is known here. Entries carry
  * their page's generation; after each page one row is wiped, so that none survives until its generation returns.
  * After reset all rows are wiped, during which no window is taken.
  *
  * Latency 2 cycles, one window a cycle but for one cycle after each page. The order of windows alone decides the
  * answers, not when they come.
  */
class MatchTable(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val source = slave(Stream(TableLookup(parameter)))
    val sink = master(Stream(TableAnswer(parameter)))
  }

  /** Says of whom an entry is; its key lies in a memory beside. */
  case class Tag() extends Bundle {
    val generation = UInt(generationWidth bits)
    val position = UInt(positionWidth bits)
  }

  case class Access() extends Bundle {
    val lookup = TableLookup(parameter)
    val generation = UInt(generationWidth bits)
    val asked = Vec(Bool(), banks)
    val key = Vec(Bits(keyBytes * 8 bits), banks)
  }

  val generation = Reg(UInt(generationWidth bits)) init 1

  val wipe = new Area {
    val active = Reg(Bool()) init True
    val all = Reg(Bool()) init True
    val row = Reg(UInt(log2Up(rows) bits)) init 0
    when(active) {
      row := row + 1
      when(row.andR)(all := False)
      active := all && !row.andR
    }
  }

  val source = io.source.haltWhen(wipe.active)
  when(source.fire && source.window.last) {
    wipe.active := True
    generation := Mux(generation.andR, U(1), generation + 1)
  }

  val keys = Vec((0 until windowBytes).map(index => Vec(source.window.span.slice(index, index + keyBytes)).asBits))

  /** For each bank, whether a position has it and which. */
  val serving = for (bank <- 0 until banks) yield new Area {
    val select = Vec(source.requests.map(request => request.granted && request.bank === bank)).asBits
    val asked = select.orR
    val index = OHToUInt(select)
  }

  val access = source.translateWith {
    val access = Access()
    access.lookup := source.payload
    access.generation := generation
    for ((bank, index) <- serving.zipWithIndex) {
      access.asked(index) := bank.asked
      access.key(index) := keys.read(bank.index)
    }
    access
  }
  val stored = access.m2sPipe()

  /** Outer index bank, inner index way. */
  val hits = for (bank <- 0 until banks) yield {
    val row = Vec(source.requests.map(_.row)).read(serving(bank).index)
    val used = source.fire && serving(bank).asked
    val fresh = Tag()
    fresh.generation := generation
    fresh.position := source.window.position | serving(bank).index.resized // windows are aligned
    val wiped = Tag()
    wiped.generation := 0
    wiped.position := 0

    for (way <- 0 until ways) yield new Area {
      val tags = Mem(Tag(), rows)
      val keys = Mem(Bits(keyBytes * 8 bits), rows)
      val tag = tags.readSync(row, used, readUnderWrite = readFirst)
      val key = keys.readSync(row, used, readUnderWrite = readFirst)
      val mine = used && source.way === way
      tags.write(Mux(wipe.active, wipe.row, row), Mux(wipe.active, wiped, fresh), wipe.active || mine)
      keys.write(row, access.key(bank), mine)

      val hit = TableHit(parameter)
      val different = (key ^ stored.key(bank)).subdivideIn(8 bits).map(_.orR)
      hit.position := tag.position
      hit.length := 0
      when(stored.asked(bank) && tag.generation === stored.generation) {
        hit.length := different.zipWithIndex.foldRight(U(keyBytes, keyLengthWidth bits)) { case ((end, index), more) =>
          Mux(end, U(index, keyLengthWidth bits), more)
        }
      }
    }.hit
  }

  io.sink << stored.translateWith {
    val answer = TableAnswer(parameter)
    answer.window := stored.lookup.window
    for ((request, index) <- stored.lookup.requests.zipWithIndex; way <- 0 until ways) {
      val hit = Vec(hits.map(_(way))).read(request.bank)
      answer.hits(index)(way).position := hit.position
      answer.hits(index)(way).length := Mux(request.granted, hit.length, U(0))
    }
    answer
  }.m2sPipe()
}
