// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.PackedBytes

/** Carries out copy steps, one a cycle: fetches match bytes from the page so far, adds literals, and writes both to
  * the page's history and, word by word, to the output.
  *
  * The history has one bank for each byte lane, so any `copyBytes` neighbouring bytes are read at once. Two stages:
  * fetch (addresses and lane choices; the banks' read) and write. A step that reads what the step just before it
  * writes gets those bytes past the banks. Overlapping copies repeat by taking byte number modulo distance, in one
  * cycle like the rest. History is never cleared: the issuer lets no match reach before its own page.
  *
  * Output: the page in full words, then at the page's end what is left, 0 to `copyBytes` - 1 bytes, with `last`; the
  * page's status and length ride along with every word and count with the last.
  */
class HistoryCopier(config: DecompressorConfig) extends Component {
  private val width = config.copyBytes
  private val laneBits = log2Up(width)
  private val rows = config.engine.pageBytes / width
  private val lanes = 0 until width
  val io = new Bundle {
    val step = slave(Stream(CopyStep(config)))
    val word = master(Stream(PageWord(config)))
  }

  /** What the write stage needs to know of a step, lane by lane. */
  private case class Write() extends Bundle {
    val pageEnd = Bool()
    val status = Bits(8 bits)
    val position = UInt(config.engine.lengthWidth bits)
    val completesWord = Bool()
    val mask = Bits(width bits) // lanes written
    val wrapped = Bits(width bits) // lanes that belong to the next word
    val constant = Bits(width bits) // lanes that take `constants` and not history
    val constants = Vec(Bits(8 bits), width) // literals and zeros, in place
    val from = Vec(UInt(laneBits bits), width) // bank each lane takes its byte from
    val bypass = Bits(width bits) // banks whose byte the previous step wrote
  }

  private val banks = lanes.map(_ => Mem(Bits(8 bits), rows))
  private val writeValid = RegInit(False)
  private val write = Reg(Write())
  private val previous = Vec.fill(width)(Reg(Bits(8 bits))) // the bytes the last step wrote, by lane
  private val partial = Vec.fill(width)(Reg(Bits(8 bits))) // the output word being filled

  private val advance = !writeValid || !(write.pageEnd || write.completesWord) || io.word.ready
  io.step.ready := advance

  private def row(address: UInt): UInt = address(log2Up(config.engine.pageBytes) - 1 downto laneBits)
  private def lane(address: UInt): UInt = address(laneBits - 1 downto 0)

  // Fetch
  private val step = io.step.payload
  private val start = lane(step.position)
  private val fetch = Write()
  fetch.pageEnd := step.pageEnd
  fetch.status := step.status
  fetch.position := step.position
  fetch.completesWord := !step.pageEnd && (start +^ step.count >= width)
  private val writeRow = row(write.position)
  private val stepRow = row(step.source)
  // Byte numbers modulo distance: what an overlapping match repeats. Longer distances repeat nothing in one step.
  private val repeated = Vec.tabulate(width)(n => U(n, laneBits bits))
  for (distance <- 1 until width) when(step.distance === distance) {
    for (n <- lanes) repeated(n) := n % distance
  }
  private val literalBytes = step.literals.subdivideIn(8 bits)
  for (i <- lanes) {
    val number = U(i, laneBits bits) - start // of the step's bytes, the one that falls on this lane
    fetch.mask(i) := !step.pageEnd && number < step.count
    fetch.wrapped(i) := start > i
    val isMatch = number < step.matchCount
    val literal = literalBytes.read((number - step.matchCount).resize(laneBits))
    fetch.constant(i) := !isMatch || step.zeros
    fetch.constants(i) := isMatch ? B(0, 8 bits) | literal
    fetch.from(i) := lane(step.source) + repeated.read(number)

    val readRow = stepRow + (lane(step.source) > i).asUInt
    val writtenRow = writeRow + write.wrapped(i).asUInt
    fetch.bypass(i) := writeValid && write.mask(i) && writtenRow === readRow
  }
  when(advance) {
    writeValid := io.step.valid
    write := fetch
  }

  // Write
  private val fetched = Vec(lanes.map { i =>
    val read = banks(i).readSync(stepRow + (lane(step.source) > i).asUInt, enable = advance)
    write.bypass(i) ? previous(i) | read
  })
  private val result = Vec(lanes.map(i => write.constant(i) ? write.constants(i) | fetched.read(write.from(i))))
  for (i <- lanes) {
    val go = writeValid && advance && write.mask(i)
    banks(i).write(writeRow + write.wrapped(i).asUInt, result(i), enable = go)
    when(writeValid && advance) { previous(i) := result(i) }
    when(go) { partial(i) := result(i) }
    io.word.bytes.data(i * 8, 8 bits) := (write.mask(i) && !write.wrapped(i)) ? result(i) | partial(i)
  }
  io.word.valid := writeValid && (write.pageEnd || write.completesWord)
  io.word.bytes.count := write.pageEnd ? lane(write.position).resize(laneBits + 1) | U(width)
  io.word.last := write.pageEnd
  io.word.status := write.status
  io.word.length := write.position
}
