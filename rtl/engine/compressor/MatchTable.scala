// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Remembers where in the page the bytes at each position were seen before.
  *
  *  - `window`: windows in order, at any time but while `wiping`.
  *  - `offsets`: LATENCY cycles after its window, for each position the distance back to an earlier window's position
  *    that very likely begins with the same `keyBytes` bytes: hashes are compared, not the bytes.
  *
  * Every bank serves one position a window, the first that asks: it reads the entry and puts the position in its place
  * with the same address, in the same cycle. Positions whose key goes beyond the page ask too, and get no answer; the
  * entries they leave are not asked for any more, as no later window of the page has a whole key.
  * Entries carry their page's generation. After reset, and before a
  * generation number returns, all rows are wiped; that takes a little more than `rows` cycles. The order of windows
  * alone decides the answers, not when they come.
  */
class MatchTable(parameter: CompressorParameter) extends Component {
  import parameter._

  val io = new Bundle {
    val window = slave(Flow(Window(parameter)))
    val wiping = out(Bool())
    val offsets = out(Vec(Flow(UInt(positionWidth bits)), windowBytes))
  }

  val bankWidth = log2Up(banks)
  val rowWidth = log2Up(rows)

  case class Entry() extends Bundle {
    val generation = UInt(generationWidth bits) // 0 in a wiped one
    val tag = Bits(tagWidth bits)
    val position = UInt(positionWidth bits)
  }

  val generation = Reg(UInt(generationWidth bits)) init 1

  val wipe = new Area {
    val CYCLES_TO_MEMORY = 3
    val active = Reg(Bool()) init True
    val row = Reg(UInt(rowWidth bits)) init 0
    val write = active && Delay(active, CYCLES_TO_MEMORY, init = False)
    when(write) {
      row := row + 1
      active.clearWhen(row.andR)
    }
    when(io.window.valid && io.window.last) {
      generation := Mux(generation.andR, U(1), generation + 1)
      active.setWhen(generation.andR)
    }
  }
  io.wiping := wipe.active

  /** Which position each bank serves, and for each position whether its bank serves it. */
  val granted = new Area {
    val hashes = (0 until windowBytes).map(index =>
      RegNext(KeyHash(parameter, io.window.span.slice(index, index + keyBytes).toSeq)))
    val banksAsked = hashes.map(_.take(bankWidth).asUInt)
    def asking(bank: Int): Bits = Vec(banksAsked.map(_ === bank)).asBits

    val valid = Delay(io.window.valid, 2, init = False)

    /** The first position that asks each bank is found in halves of the window; a cycle later, which has less to do, one is taken. */
    val halves = (0 until banks).map(bank => Seq(asking(bank).take(windowBytes / 2), asking(bank).drop(windowBytes / 2))
      .map(half => (RegNext(half.orR), RegNext(FirstSet.index(half)))))
    val asked = halves.map(_.map(_._1).reduce(_ || _))
    val index = halves.map { case Seq((early, first), (_, second)) => Mux(early, U"0" @@ first, U"1" @@ second) }
    val position = RegNext(Vec((0 until windowBytes).map { index =>
      val whole = RegNext(SmallTable(io.window.available, 1)(available => if (available >= index + keyBytes) 1 else 0).lsb)
      val others = (0 until index).map(other => banksAsked(other) === banksAsked(index))
      whole && (if (others.isEmpty) True else !others.reduceBalancedTree(_ || _))
    }))
    val hash = hashes.map(RegNext(_))
    val page = Delay(generation, 2)
    val from = Delay(io.window.position, 2)
  }

  val access = for (bank <- 0 until banks) yield new Area {
    val asked = RegNext(granted.valid && granted.asked(bank)) init False
    val hash = RegNext(Choose(granted.hash.map(_.drop(bankWidth)), granted.index(bank)))
    val entry = Entry()
    entry.generation := RegNext(granted.page)
    entry.tag := hash.drop(rowWidth)
    entry.position := RegNext(granted.from) | RegNext(granted.index(bank)).resized // windows are aligned

    val memory = Mem(Entry(), rows)
    val row = hash.take(rowWidth).asUInt
    val found = memory.readSync(row, asked, readUnderWrite = readFirst)
    val wiped = Entry().getZero
    memory.write(Mux(wipe.write, wipe.row, row), Mux(wipe.write, wiped, entry), wipe.write || asked)

    val position = RegNext(found.position) // at once: block RAM answers late in its cycle, and far from who asked
    val hit = RegisteredEquality(found.generation ## found.tag, RegNext(entry.generation ## entry.tag), RegNext(asked))
  }

  /** Banks' answers, back at the positions that asked. Each choice of four is kept as it is: in what mapping tools make of
    * a choice of thirty-two and a difference they find it in few places. */
  for (index <- 0 until windowBytes) {
    val bank = Delay(granted.hash(index).take(bankWidth).asUInt, 3)
    val here = Delay(granted.from, 3) | index
    val inFour = log2Up(banks min 4)
    val fours = access.map(_.position).grouped(4).map(Choose(_, bank(inFour - 1 downto 0)).addAttribute("keep")).toSeq
    val offset = here - Choose(fours, bank >> inFour)
    val hit = Choose(access.map(_.hit.asBits), bank).lsb && Delay(granted.position(index), 3)
    val near = if (maximumOffset < pageBytes - 1) offset <= maximumOffset else True
    io.offsets(index).valid := RegNext(hit && near)
    io.offsets(index).payload := RegNext(offset)
  }
}

object MatchTable {
  val LATENCY = 6
}
