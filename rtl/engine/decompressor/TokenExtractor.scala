// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.Choose

/** Fetches what the walker's steps point at and makes token groups of it, four cycles later and never stalled.
  *
  * A step that ends behind the stream's end makes its page malformed; it and the page's later ones are dropped.
  */
class TokenExtractor(config: DecompressorConfig) extends Component {
  private val headBytes = 4
  private val windowBytes = 5 + config.literalBytes - 2 // 14 literals behind a fused run's instruction, 16 in other places
  private val countBits = log2Up(config.literalBytes + 1) bits
  val io = new Bundle {
    val step = slave(Flow(TokenStep(config)))
    val places = master(RowRead(config, Vec(Place(config), config.rowBytes)))
    val rows = Vec.fill(3)(master(RowRead(config, StreamRow(config))))
    val group = master(Flow(TokenGroup(config)))
  }

  // Stage 1: what was prepared for the place where the step starts.
  private val foundValid = RegNext(io.step.valid) init False
  private val found = RegNext(io.step.payload)
  io.places.index := found.row
  private val chosen = Choose(io.places.data, found.start)

  // Stage 2: the bytes from each token's start on, and how many literals there are.
  private val stepValid = RegNext(foundValid) init False
  private val step = RegNext(found)
  private val place = RegNext(chosen)
  private val isRun = RegNext(chosen.isRun && !found.direct && (if (config.everyToken) !found.afterLiterals else True))
  for (i <- 0 until 3) io.rows(i).index := RegNext(found.row + i)
  private val bytes = io.rows.toList.flatMap(_.data.bytes.toList)
  private val starts = Seq(step.start.resize(5), place.second).take(config.tokens)
  private val ends = Seq(if (config.tokens == 2) step.pair ? place.second.resize(6) | step.end else step.end, step.end)

  private def streamEnd: UInt = {
    val ends = io.rows.zipWithIndex.map { case (read, i) =>
      (read.data.last, (read.data.count +^ U(i * config.rowBytes, 6 bits)).resize(6)) }
    ends.foldRight(U(63, 6 bits)) { case ((last, end), behind) => last ? end | behind }
  }

  /** `windowBytes` bytes from `start` on, in two steps for less fan-out; places beyond `reach` do not come. */
  private def window(start: UInt, reach: Int): Vec[Bits] = {
    def at(i: Int): Bits = if (i < bytes.length) bytes(i) else B(0, 8 bits)
    val coarse = (0 until windowBytes + 7).map(i => Vec((0 to reach by 8).map(from => at(from + i))).read(
      start(log2Up(reach + 1) - 1 downto 3)))
    Vec((0 until windowBytes).map(i => Vec((0 until 8).map(by => coarse(i + by))).read(start(2 downto 0))))
  }

  // Stage 3: tokens.
  private case class Fetched() extends Bundle {
    val step = TokenStep(config)
    val isRun = Bool() // the first token is
    val literalsAt = Vec(UInt(3 bits), config.tokens) // from each token's start
    val windows = Vec(Vec(Bits(8 bits), windowBytes), config.tokens)
    val literals = Vec(UInt(countBits), config.tokens)
    val streamEnd = UInt(6 bits)
  }
  private val fetch = Fetched()
  fetch.step := step
  fetch.isRun := isRun
  fetch.literalsAt := Vec(place.literalsAt.take(config.tokens))
  when(isRun) { fetch.literalsAt(0) := 1 }
  when(step.direct) { fetch.literalsAt(0) := 0 }
  fetch.streamEnd := streamEnd
  for (i <- 0 until config.tokens) {
    fetch.windows(i) := window(starts(i), if (i == 0) 15 else 15 + config.pairReach)
    fetch.literals(i) := (ends(i) - starts(i) - fetch.literalsAt(i)).resized
  }
  when(step.direct) { fetch.literals(0) := step.literals }
  private val fetchedValid = RegNext(stepValid) init False
  private val fetched = RegNext(fetch)

  private val afterLongRun = config.everyToken generate RegInit(False) // of the token before
  private val truncated = !fetched.step.pageEnd && fetched.step.end > fetched.streamEnd
  private val malformed = RegInit(False)
  when(fetchedValid) { malformed := !fetched.step.pageEnd && (malformed || truncated) }

  private val group = TokenGroup(config)
  group.pageEnd := fetched.step.pageEnd
  group.malformed := fetched.step.malformed || malformed
  for (i <- 0 until config.tokens) {
    val token = group.tokens(i)
    val after: Bool = if (!config.everyToken) False else if (i == 0) afterLongRun else fetched.literals(0) >= 4
    val window = fetched.windows(i)
    val (length, distance) = MatchFields.decode(config, window.take(headBytes).toList, after)
    token.valid := !fetched.step.pageEnd && (if (i == 0) True else fetched.step.pair && !fetched.step.direct)
    if (config.everyToken) token.zeroRun := False
    token.matchLength := length
    token.distance := distance
    token.literals := fetched.literals(i)
    token.runLength := fetched.literals(i).resized
    val shifted = Vec((0 to 5).map(by => Cat((0 until config.literalBytes).map(j =>
      if (by + j < windowBytes) window(by + j) else B(0, 8 bits)))))
    token.bytes := shifted.read(fetched.literalsAt(i))
  }
  private val first = group.tokens(0)
  when(fetched.isRun) { first.matchLength := 0 }
  when(fetched.step.direct) {
    if (config.everyToken) first.zeroRun := fetched.step.zeroRun
    first.matchLength := fetched.step.matchLength
    first.distance := fetched.step.distance
    first.runLength := fetched.step.runLength
  }
  if (config.everyToken) when(fetchedValid) {
    afterLongRun := (if (config.tokens == 2) fetched.step.pair ? (fetched.literals(1) >= 4) | (fetched.literals(0) >= 4)
                     else fetched.literals(0) >= 4)
    when(fetched.step.direct) { afterLongRun := fetched.step.afterLongRun }
  }
  io.group.valid := RegNext(fetchedValid && !truncated && (fetched.step.pageEnd || !malformed)) init False
  io.group.payload := RegNext(group)
}
