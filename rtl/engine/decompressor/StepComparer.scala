// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.{ByteStream, Choose, EngineResult}
import pagepress.interface.Interface

/** Holds copy steps against the page that they should make, and makes none.
  *
  * Input: pages, one for each `pageEnd`, in full words but the last; and steps, one a cycle at most, issued in cycles in which `room` is up.
  * `room` is a register, and low in the cycle behind one in which a page's end is issued (`ends`). Output: one result a page, when its
  * end has been issued and its last word taken; the next page's first word is taken after it.
  *
  *  - SUCCESS: the page has exactly `limit` bytes, and steps make them all;
  *  - VERIFY_FAILED: it has not, or some byte is another; what StepJudge finds has its own status.
  *
  * A match's byte is held against the page's own byte `distance` before it. That is the byte which decompressing the stream would copy: by
  * induction over the page, as each byte before it has been held against what the stream says of it, and the first that differs fails the page
  * for good. So what a step makes is never needed by another, the rows that it reads are there before it is issued, and none is written meanwhile.
  *
  * Seven stages: judge, address (the reading of the matches' bytes begins), read, turn (into their lanes, as are literals), compare, join, judgement.
  *
  * @param memory what the page is kept in
  */
class StepComparer(config: DecompressorConfig, memory: (Int, Int) => RowMemory) extends Component {
  private val width = config.copyBytes
  private val lanes = new Lanes(width)
  private val pageRows = config.engine.pageBytes / width
  private val rowBits = log2Up(pageRows) + 1 bits // of a row's number, or a number of rows
  val io = new Bundle {
    val page = slave(ByteStream(width))
    val step = slave(Flow(CopyStep(config)))
    val ends = in Bool ()
    val limit = in UInt (config.engine.lengthWidth bits) // pageBytes; steady
    val room = out Bool ()
    val offends = out Bool () // as HistoryCopier's
    val result = master(Stream(EngineResult(config.engine.lengthWidth)))
  }
  private val step = io.step.payload
  private def row(position: UInt): UInt = position(log2Up(width), rowBits)

  private val judge = new StepJudge(config, io.step.valid, step, io.limit)
  io.offends := judge.rejects

  /** Stages behind `judge`. */
  private object At { val ADDRESS = 1; val READ = 2; val TURN = 3; val COMPARE = 4; val JOIN = 5; val JUDGEMENT = 6 }

  // The page comes in ahead of the steps, as far as the rows that they are held against have places.
  private val page = new Area {
    val rows = Reg(UInt(rowBits)) init 0 // that are here
    val complete = RegInit(False)
    val whole = Reg(Bool()) // with `complete`: it has as many bytes as it should
    val wanted = RegInit(False)
    io.page.ready := wanted
    when(io.page.fire) {
      rows := rows + 1
      complete := io.page.last
      whole := io.page.last && rows === pageRows - 1 && io.page.fragment.count === width
    }
    def write: Bool = io.page.fire && !rows.msb
  }
  // Rows in which the last step begins that is known of, and the last one that is compared. Of a page that has failed they are any rows, but
  // the same ones in the end: then either a step may be issued, or the page goes on coming.
  private val issued, compared = Reg(UInt(rowBits)) init 0
  private val begins = io.step.valid && !step.pageEnd
  private val ending = RegInit(False) // the page's end has been issued
  private val over = RegInit(False) // and all before it is judged
  private val status = Reg(Bits(8 bits))
  private val differs = RegInit(False)
  when(begins) { issued := row(step.position) }
  when(io.ends) { ending := True }
  io.room := RegNext((page.complete || page.rows - issued >= StepComparer.ROWS_AHEAD) && !ending && !io.ends) init False

  // Rows of the last few words, for the comparison itself.
  private val kept = 16 min pageRows
  private val recent = new Area {
    val even, odd = Mem(Bits(width * 8 bits), kept / 2)
    private val bits = log2Up(kept / 2)
    even.write((page.rows >> 1).resize(bits), io.page.fragment.data, page.write && !page.rows(0))
    odd.write((page.rows >> 1).resize(bits), io.page.fragment.data, page.write && page.rows(0))
    def read(position: UInt): HistoryRows = {
      val rows = HistoryRows(width)
      rows.even := even.readAsync(((row(position) + 1) >> 1).resize(bits))
      rows.odd := odd.readAsync((row(position) >> 1).resize(bits))
      rows
    }
  }
  // Its own page's end apart, no step is compared later than the one that is now, and `wanted` may count for two words.
  page.wanted := (over || page.rows - compared < kept - 1) && !page.complete && !(io.page.fire && io.page.last)

  // Judge and address
  private val start = RegNext(lanes.of(step.position))
  private val shares = step.shares.map(new ShareLanes(config, step.position, start, _))
  private val history = step.shares.map(_ => new HistoryMemory(config.engine.pageBytes, width, memory))
  history.foreach(_.write((page.rows << log2Up(width)).resize(config.engine.lengthWidth), io.page.fragment.data, io.page.fragment.data, page.write, False))

  // Read and turn: a match's bytes.
  private val copied = step.shares.zip(history).map { case (share, history) =>
    new Area {
      private val source = (step.position - share.distance.resized).resize(log2Up(config.engine.pageBytes))
      private val rows = history.read(source)
      private val inOdd = RegNext(history.inOdd(RegNext(source)))
      private val (even, odd) = (rows.even.subdivideIn(8 bits), rows.odd.subdivideIn(8 bits))
      private val picked = (0 until width).map(i => RegNext(inOdd(i) ? odd(i) | even(i)))
      private val by = Delay(lanes.of(share.distance), At.TURN)
      private val turned = lanes.turnBelow(picked, by, log2Up(width) - 1)
      /** The last step of the turn is left to who has more to choose from. */
      def bytes(i: Int): Seq[Bits] = Seq(turned(i), turned((i + width / 2) % width))
      val half = by.msb
    }
  }
  private val inSecond = RegNext(if (config.pairs) shares(0).isPast else B(0, width bits))
  private val isLiteral = RegNext(if (config.pairs) (shares(0).isLiteral & ~shares(0).isPast) | (shares(1).isLiteral & shares(0).isPast)
                                  else shares(0).isLiteral)
  private val literals = shares.map(share => RegNext(share.literals))

  // Turn: of copied bytes and literals one is zero in every lane.
  private val copiedBytes, literalBytes = Vec.fill(width)(Reg(Bits(8 bits)))
  for (i <- 0 until width) {
    val second = inSecond(i)
    def literal(k: Int): Bits = literals(k)(i % config.literalBytes)
    copiedBytes(i) := Choose(copied.flatMap(_.bytes(i)),
      if (config.pairs) (second ## (second ? copied(1).half | copied(0).half)).asUInt else copied(0).half.asUInt)
    literalBytes(i) := (if (config.pairs) second ? literal(1) | literal(0) else literal(0))
    when(isLiteral(i))(copiedBytes(i) := 0)
    when(!isLiteral(i))(literalBytes(i) := 0)
  }
  private val position = Delay(step.position, At.TURN)
  when(Delay(begins, At.TURN, init = False)) { compared := row(position) }
  private val expected = {
    val rows = recent.read(position)
    val inOdd = history.head.inOdd(position.resized)
    Vec(rows.even.subdivideIn(8 bits).zip(rows.odd.subdivideIn(8 bits)).zipWithIndex.map { case ((even, odd), i) =>
      RegNext(inOdd(i) ? odd | even) })
  }

  // Compare, join
  private val counts = Delay(~shares.last.isPast, At.COMPARE - At.READ)
  private val unequal = RegNext(Vec((0 until width).map(i => counts(i) && (copiedBytes(i) | literalBytes(i)) =/= expected(i))).asBits)
  when(Delay(judge.writes, At.JOIN, init = False) && unequal.orR) { differs := True }

  // Judgement
  when(Delay(judge.ends, At.JUDGEMENT, init = False)) {
    over := True
    status := Delay(judge.status, At.JUDGEMENT)
  }
  io.result.valid := over && page.complete
  io.result.length := 0
  io.result.status := status
  when(status === Interface.STATUS_SUCCESS && (differs || !page.whole)) { io.result.status := Interface.STATUS_VERIFY_FAILED }
  when(io.result.fire) {
    page.rows := 0
    page.complete := False
    issued := 0
    compared := 0
    ending := False
    over := False
    differs := False
  }
}

object StepComparer {
  /** Rows from that in which the last step known of begins to the last one that a step may read which is begun two cycles later: each of the
    * three steps behind it begins in the next row at most, and reads one row more. The row of that number is the last of so many. */
  val ROWS_AHEAD = 5
}
