// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.cold

import spinal.core._
import spinal.lib._
import pagepress.interface.ColdFormat

/** A sequence held against the page: the first thing that is wrong with it, in the stream's order, and what is to be copied. */
case class JudgedSequence(pageBytes: Int) extends Bundle {
  private def number = UInt(log2Up(pageBytes + 1) bits)
  val noLiterals = Bool() // it has more literals than are left, or was not there
  val noSource = Bool() // its literals are fine, but its match has none, or reaches before the page
  val tooLong = Bool() // that is fine too, but its match and the literals left would pass the page's end
  val literals, length = number
  val distance = UInt(16 bits)
  val last = Bool()
  val uneven = Bool()
}

/** What is known of a page before its sequences. */
case class PageStart(pageBytes: Int) extends Bundle {
  val literals = UInt(log2Up(pageBytes + 1) bits) // no more than `limit`
  val limit = UInt(log2Up(pageBytes + 1) bits) // bytes of the page
}

/** Finds each sequence's distance and judges it, two stages; what comes behind one that is wrong means nothing. */
class SequenceJudge(pageBytes: Int) extends Component {
  private val numberBits = log2Up(pageBytes + 1)
  val io = new Bundle {
    val start = slave(Flow(PageStart(pageBytes)))
    val source = slave(Stream(ColdSequence()))
    val sink = master(Stream(JudgedSequence(pageBytes)))
  }
  private val source = io.source

  /** The last three distances. Behind a match the last would only lengthen it: the three values name others then. */
  private val recent = Vec.fill(ColdFormat.FIRST_OFFSETS.size)(Reg(UInt(CodeTable.valueBits bits)))
  private val names = (source.offset >> 2) === 0 // one of them, or what follows from them
  private val place = source.offset(1 downto 0) - (source.literals =/= 0).asUInt
  private val distance = names ? place.mux(0 -> recent(0), 1 -> recent(1), 2 -> recent(2), 3 -> (recent(0) - 1)) | (source.offset - 3)
  when(source.fire) {
    recent(0) := distance
    when(!(names && place === 0)) { recent(1) := recent(0) }
    when(!(names && place < 2)) { recent(2) := recent(1) }
  }

  private val made, left, room = Reg(UInt(numberBits bits)) // of the page: bytes so far, literals to come, bytes for matches to come
  private val begins = made + source.literals.resize(numberBits) // its match
  when(source.fire) {
    made := begins + source.length.resize(numberBits)
    left := left - source.literals.resize(numberBits)
    room := room - source.length.resize(numberBits)
  }
  when(io.start.valid) {
    for ((register, first) <- recent.zip(ColdFormat.FIRST_OFFSETS)) register := first
    made := 0
    left := io.start.literals
    room := io.start.limit - io.start.literals
  }

  private case class Measured() extends Bundle {
    val sequence = JudgedSequence(pageBytes)
    val distance = UInt(CodeTable.valueBits bits)
    val begins = UInt(numberBits bits)
  }
  private val measured = source.map { source =>
    val measured = Measured()
    measured.distance := distance
    measured.begins := begins
    measured.sequence.noLiterals := source.cut || source.literals > left
    measured.sequence.noSource := False
    measured.sequence.tooLong := source.length > room
    measured.sequence.literals := source.literals.resized
    measured.sequence.length := source.length.resized
    measured.sequence.distance := distance.resized
    measured.sequence.last := source.last
    measured.sequence.uneven := source.uneven
    measured
  }.m2sPipe(flush = io.start.valid)
  io.sink << measured.map { measured =>
    val sequence = JudgedSequence(pageBytes)
    sequence.noSource := measured.distance === 0 || measured.distance > measured.begins
    sequence.assignUnassignedByName(measured.sequence)
    sequence
  }.m2sPipe(flush = io.start.valid)
}
