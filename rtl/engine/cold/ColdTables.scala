// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.interface.{ColdLiteralLength, ColdLiterals, ColdMatchLength, ColdOffset}

/** What a state of one of the sequences' tables says. */
case class TableState() extends Bundle {
  val next = UInt(CodeTable.stateBits bits) // the next state, but for the value of the next `bits` bits
  val bits = UInt(4 bits)
  val code = UInt(CodeTable.codeBits bits)
  val extra = UInt(CodeTable.extraBits bits) // bits of the stream that follow the code
}

/** One of the sequences' tables, as the interface has it. */
case class CodeTable(log: Int, bases: Seq[Int], extras: Seq[Int], counts: Seq[Int], codes: Seq[Int], bits: Seq[Int], nexts: Seq[Int],
    ordered: Seq[Int]) {

  /** What the state of this number says. */
  def state(number: UInt): TableState = {
    val entries = codes.indices.map { at =>
      B(extras(codes(at)), CodeTable.extraBits bits) ## B(codes(at), CodeTable.codeBits bits) ## B(bits(at), 4 bits) ##
        B(nexts(at), CodeTable.stateBits bits)
    }
    val found = TableState()
    found.assignFromBits(Vec(entries).read(number.resize(log)))
    found
  }

  /** The smallest value of a code. */
  def base(code: UInt): UInt = Vec(bases.map(U(_, CodeTable.valueBits bits))).read(code.resize(log2Up(bases.size)))

  /** Bits that follow a code. */
  def extra(code: UInt): UInt = Vec(extras.map(U(_, CodeTable.extraBits bits))).read(code.resize(log2Up(bases.size)))

  /** The code of a value, none below the first code's. */
  def codeOf(value: UInt): UInt = {
    val plain = extras.indexWhere(_ > 0) max 1 // so many codes are of one value each
    val reached = bases.drop(plain).takeWhile(base => log2Up(base + 1) <= value.getWidth).map(value >= _) :+ False
    val codes = reached.zip(reached.tail).zipWithIndex.map { case ((here, next), index) => U(plain + index, CodeTable.codeBits bits).andMask(here && !next) }
    reached.head ? codes.reduceBalancedTree(_ | _) | (value - bases.head).resize(CodeTable.codeBits)
  }

  /** Most bits of values up to `most`, of any code. */
  def mostExtra(most: Int): Int = bases.zip(extras).collect { case (base, extra) if base <= most => extra }.max

  /** What an encoder does: `code` leads it from a state to another, and to bits that lead a decoder back. Of a code of c states these are
    * the lowest of the state it comes from, `least(code)` of them or one more, and only those above matter for where it goes: for each
    * value of these a code has an entry, in a region of the encoder's memory from `place(code)` on. */
  private def bitsFrom(code: Int, state: Int): Int = Iterator.from(0).find(bits => ((state + (1 << log)) >> bits) < 2 * counts(code)).get
  private def nextFrom(code: Int, state: Int): Int =
    ordered(counts.take(code).sum + ((state + (1 << log)) >> bitsFrom(code, state)) - counts(code))
  private val leasts = counts.indices.map(bitsFrom(_, 0))
  private val places = { // the largest first, so that each is aligned
    val bySize = counts.indices.sortBy(leasts(_))
    bySize.zip(bySize.scanLeft(0)((at, code) => at + (1 << (log - leasts(code))))).toMap
  }

  /** Bits of an entry's number. */
  val transitionBits: Int = log2Up(leasts.map(least => 1 << (log - least)).sum)

  /** What the entry says: the next state, and above it whether one bit more is written. */
  def transition(number: UInt): Bits = {
    val entries = Array.fill(1 << transitionBits)(0)
    for (code <- counts.indices; above <- 0 until 1 << (log - leasts(code))) {
      val states = (0 until 1 << leasts(code)).map(low => (above << leasts(code)) + low)
      val found = states.map(state => (bitsFrom(code, state) - leasts(code)) << CodeTable.stateBits | nextFrom(code, state)).distinct
      require(found.size == 1, "the bits that are written tell nothing of the next state")
      entries(places(code) + above) = found.head
    }
    Vec(entries.toSeq.map(B(_, CodeTable.stateBits + 1 bits))).read(number)
  }
  private def byCode(bits: Int)(value: Int => Int)(code: UInt): UInt = Vec(counts.indices.map(at => U(value(at), bits bits))).read(code.resize(log2Up(counts.size)))
  def least(code: UInt): UInt = byCode(4)(leasts(_))(code)
  def place(code: UInt): UInt = byCode(transitionBits)(places(_))(code)

  /** The entry that leads to a code's lowest state, with which an encoder begins. */
  def begin(code: UInt): UInt = byCode(transitionBits) { at =>
    val lowest = ordered(counts.take(at).sum)
    places(at) + (0 until 1 << (log - leasts(at))).find(above => nextFrom(at, above << leasts(at)) == lowest).get
  }(code)
}

object CodeTable {
  val stateBits = 9
  val codeBits = 6
  val extraBits = 5
  val valueBits = 17

  val literalLength = CodeTable(ColdLiteralLength.log, ColdLiteralLength.bases, ColdLiteralLength.extras, ColdLiteralLength.counts,
    ColdLiteralLength.codes, ColdLiteralLength.bits, ColdLiteralLength.nexts, ColdLiteralLength.ordered)
  val matchLength = CodeTable(ColdMatchLength.log, ColdMatchLength.bases, ColdMatchLength.extras, ColdMatchLength.counts,
    ColdMatchLength.codes, ColdMatchLength.bits, ColdMatchLength.nexts, ColdMatchLength.ordered)
  val offset = CodeTable(ColdOffset.log, ColdOffset.bases, ColdOffset.extras, ColdOffset.counts, ColdOffset.codes, ColdOffset.bits,
    ColdOffset.nexts, ColdOffset.ordered)
}

/** The literals' Huffman codes. */
object LiteralCodes {
  val longest: Int = ColdLiterals.bits.max

  /** How many bits the code has that a window of `longest` bits begins with: longer codes have smaller values. */
  def length(window: Bits): UInt = {
    val lengths = ColdLiterals.bits.distinct.sorted.toSeq
    def first(bits: Int): Int = (0 until 256).filter(ColdLiterals.bits(_) == bits).map(ColdLiterals.codes(_)).min << (longest - bits)
    lengths.init.foldRight(U(lengths.last, 4 bits)) { (bits, longer) => Mux(window.asUInt >= first(bits), U(bits, 4 bits), longer) }
  }

  /** A byte's code, its first bit highest, and above it how many bits it has. */
  def code(byte: Bits): Bits =
    Vec(ColdLiterals.codes.zip(ColdLiterals.bits).toSeq.map { case (code, bits) => B(bits, 4 bits) ## B(code, longest bits) }).read(byte.asUInt)

  /** The byte of that code. */
  def byte(window: Bits): Bits = {
    val bytes = Array.fill(1 << longest)(0)
    for (byte <- 0 until 256; more <- 0 until 1 << (longest - ColdLiterals.bits(byte)))
      bytes((ColdLiterals.codes(byte) << (longest - ColdLiterals.bits(byte))) + more) = byte
    Vec(bytes.toSeq.map(B(_, 8 bits))).read(window.asUInt)
  }
}
