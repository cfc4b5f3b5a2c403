// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Carries out copy steps: fetches match bytes from the page so far, adds literals, and writes both to the page's
  * history and, word by word, to the output.
  *
  * Input: steps, one a cycle at most; none is made to wait, so whoever sends them keeps room for the words. Output: the
  * page in full words, then at the page's end what is left, 0 to `copyBytes` - 1 bytes, with `last`; the page's status
  * and length count with the last. A word comes five cycles behind its last step.
  *
  * Six stages: judge, address (the history's read begins), read, gather (far bytes and literals turned into their lanes),
  * write, keep (into the history, and out as a word). Which byte a lane takes depends on addresses alone and is known before
  * the bytes are: the one loop, from the bytes a step writes to those of the next step, is a single choice that stands ready.
  *
  * A match byte comes from one of three places. Near: the page's last `copyBytes` bytes, kept by lane in `recent`;
  * overlapping matches repeat there by taking byte number modulo distance. Just written: not yet in the history when it
  * was read, found in `recent` in the stages behind that. Far: the history. It is never cleared; the judge lets no match
  * reach before its own page.
  *
  * @param memory what the history is made of
  */
class HistoryCopier(config: DecompressorConfig, memory: (Int, Int) => RowMemory) extends Component {
  private val width = config.copyBytes
  private val lanes = new Lanes(width)
  val io = new Bundle {
    val step = slave(Flow(CopyStep(config)))
    val limit = in UInt (config.engine.lengthWidth bits) // bytes the page must have; steady while its steps come
    val offends = out Bool () // the step that comes now does, and nothing more of its page will be written
    val word = master(Flow(PageWord(config)))
  }

  /** A judged step on its way to the write stage. */
  private case class Passage() extends Bundle {
    val writes, ends = Bool()
    val status = Bits(8 bits)
    val position = UInt(config.engine.lengthWidth bits)
    val count = UInt(config.countBits bits) // 0 unless it writes
    def start: UInt = lanes.of(position)
  }
  private def afterwards(passage: Passage): Passage = {
    val next = RegNext(passage)
    next.writes init False
    next.ends init False
    next.count init 0
    next
  }

  private val recent = Vec.fill(width)(Reg(Bits(8 bits)))
  private val pages = Seq.iterate(recent, 3)(RegNext(_)) // as it is, and was one and two cycles ago

  private val step = io.step.payload
  private val judge = new StepJudge(config, io.step.valid, step, io.limit)
  io.offends := judge.rejects

  private val judged = Passage()
  judged.writes := judge.writes
  judged.ends := judge.ends
  judged.status := judge.status
  judged.position := judge.position
  judged.count := judge.writes ? step.count | U(0)
  private val address = afterwards(judged)
  private val read = afterwards(address)
  private val gather = afterwards(read)
  private val write = afterwards(gather)
  private val keep = afterwards(write)

  private val choice = new LaneChoice(config, step)
  private val memories = step.shares.map(_ => new HistoryMemory(config.engine.pageBytes, width, memory))
  private val two = address.count +^ read.count
  private val three = two +^ gather.count
  private val ahead = Seq(address.count, two, address.count +^ (RegNext(two) init 0), address.count +^ (RegNext(three) init 0))
  private val far = (step.shares zip memories).map { case (share, memory) =>
    new FarSource(config, step.position, share.distance, ahead, memory, pages)
  }

  // Gather: of far bytes and literals one is zero in every lane, of zeros both.
  private val farBytes, literals = Vec.fill(width)(Reg(Bits(8 bits)))
  for (i <- 0 until width) {
    def literal(k: Int): Bits = choice.gather.literals(k)(i % config.literalBytes)
    val second = choice.gather.second(i)
    farBytes(i) := Choose(far.flatMap(_.bytes(i)),
      if (config.pairs) (second ## (second ? far(1).half | far(0).half)).asUInt else far(0).half.asUInt)
    literals(i) := (if (config.pairs) second ? literal(1) | literal(0) else literal(0))
    when(!choice.gather.isFar(i))(farBytes(i) := 0)
    when(!choice.gather.isLiteral(i))(literals(i) := 0)
  }

  // Write
  private val result = Vec((0 until width).map { i =>
    val near = recent.read(choice.write.from(i))
    choice.write.isNear(i) ? near | (farBytes(i) | literals(i))
  })
  for (i <- 0 until width) when(write.writes && choice.write.mask(i))(recent(i) := result(i))

  // Keep: lanes below the step's start hold the bytes of earlier steps in the row where it begins.
  private val fresh = RegNext(lanes.up(write.start))
  private val row = Vec((0 until width).map(i => fresh(i) ? recent(i) | pages(1)(i))).asBits
  private val completes = RegNext(write.writes && (write.start +^ write.count) >= width) init False
  memories.foreach(_.write(keep.position, row, recent.asBits, keep.writes, completes))
  io.word.valid := completes || keep.ends
  io.word.bytes.data := row
  io.word.bytes.count := keep.ends ? keep.start.resize(config.countBits) | U(width)
  io.word.last := keep.ends
  io.word.status := keep.status
  io.word.length := keep.position
}

object HistoryCopier {
  /** Cycles from a step to the word it completes. */
  val latency = 5
}
