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
  * and length count with the last. A word comes four cycles behind its last step.
  *
  * Four stages: address (the step is judged, the history's read begins), read, gather (far bytes and literals turned
  * into their lanes), write. Which byte a lane takes depends on addresses alone and is known before the bytes are: the
  * one loop, from the bytes a step writes to those of the next step, is a single choice that stands ready.
  *
  * A match byte comes from one of three places. Near: the page's last `copyBytes` bytes, kept by lane in `recent`;
  * overlapping matches repeat there by taking byte number modulo distance. Just written: not yet in the history when it
  * was read, found in `recent` in the gather stage. Far: the history. It is never cleared; the judge lets no match
  * reach before its own page.
  */
class HistoryCopier(config: DecompressorConfig) extends Component {
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

  private val recent, recentBefore = Vec.fill(width)(Reg(Bits(8 bits)))
  recentBefore := recent

  private val step = io.step.payload
  private val judge = new StepJudge(config, io.step.valid, step, io.limit)
  io.offends := judge.rejects

  private val address = Passage()
  address.writes := judge.writes
  address.ends := judge.ends
  address.status := judge.status
  address.position := judge.position
  address.count := judge.writes ? step.count | U(0)
  private val read = afterwards(address)
  private val gather = afterwards(read)
  private val write = afterwards(gather)

  private val choice = new LaneChoice(config, step)
  private val memories = step.shares.map(_ => new HistoryMemory(config.engine.pageBytes, width))
  private val ahead = Ahead(config)
  ahead.one := read.count
  ahead.two := gather.count
  private val far = (step.shares zip memories).map { case (share, memory) =>
    new FarSource(config, step.position, share.distance, ahead, memory, recent, recentBefore)
  }

  // Gather
  private val gathered = Vec((0 until width).map { i =>
    def literal(k: Int): Bits = choice.gather.literals(k)(i % config.literalBytes)
    val second = choice.gather.second(i)
    val bytes = Choose(far.flatMap(_.bytes(i)),
      if (config.pairs) (second ## (second ? far(1).half | far(0).half)).asUInt else far(0).half.asUInt)
    RegNext(choice.gather.isLiteral(i) ? (if (config.pairs) second ? literal(1) | literal(0) else literal(0)) | bytes)
  })

  // Write
  private val result = Vec((0 until width).map { i =>
    val near = recent.read(choice.write.from(i))
    choice.write.isZero(i) ? B(0, 8 bits) | (choice.write.isNear(i) ? near | gathered(i))
  })
  for (i <- 0 until width) when(write.writes && choice.write.mask(i))(recent(i) := result(i))
  memories.foreach(_.write(write.position, result.asBits, choice.write.mask, write.writes))

  // Lanes below the step's start hold the word's bytes of earlier steps.
  private val fresh = lanes.up(write.start)
  private val completes = write.writes && (write.start +^ write.count) >= width
  io.word.valid := RegNext(completes || write.ends) init False
  io.word.bytes.data := RegNext(Vec((0 until width).map(i => fresh(i) ? result(i) | recent(i))).asBits)
  io.word.bytes.count := RegNext(write.ends ? write.start.resize(config.countBits) | U(width))
  io.word.last := RegNext(write.ends)
  io.word.status := RegNext(write.status)
  io.word.length := RegNext(write.position)
}

object HistoryCopier {
  /** Cycles from a step to the word it completes. */
  val latency = 4
}
