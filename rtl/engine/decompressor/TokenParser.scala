// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._
import spinal.lib._
import pagepress.engine.ByteStream

/** Cuts an LZO1X or lzo-rle stream into tokens, one instruction with its literals a cycle.
  *
  * Input: one stream a page. Output: its tokens, then one `pageEnd`, which comes only when the stream's last word has
  * been taken, whatever the stream holds. Every cycle takes at least one byte or leaves the page, so a stream of n
  * bytes is through after at most n + 3 cycles in which the output was ready. Grammar is judged here; whether
  * distances and lengths fit the page is the copier's business.
  */
class TokenParser(config: DecompressorConfig) extends Component {
  require(config.tokens == 1, "this parser finds one token a cycle")
  private val width = config.copyBytes
  val io = new Bundle {
    val source = slave(ByteStream(width))
    val group = master(Stream(TokenGroup(config)))
  }

  private object Mode extends SpinalEnum {
    /** At the page's first byte, or behind its version header. */
    val header, start = newElement()
    val instruction = newElement()
    /** In the length bytes of a long run or copy. */
    val runLength, copyLength = newElement()
    /** In a literal run, `length` left. */
    val literals = newElement()
    /** Nothing more to parse: drop words up to the page's last. */
    val drain = newElement()
  }
  private val mode = RegInit(Mode.header)
  private val window = new StreamWindow(io.source, width)
  private val afterLiterals = RegInit(U(0, 3 bits))
  private val zeroRuns = RegInit(False)
  private val malformed = RegInit(False)
  private val length = Reg(UInt(config.lengthBits bits)) // collected so far, or left to copy
  private val longM4, longFar = Reg(Bool()) // of the copy whose length is being collected

  private val first = window.bytes(0)
  private val opcode = OpcodeDecoder.decode(window.bytes, afterLiterals, zeroRuns)

  // Once over `saturation` a length is too long for any page; it stays there instead of wrapping.
  private val saturated = length >= config.saturation
  private val grown = saturated ? length | length + 255
  private val completed = saturated ? length | length + first.asUInt
  private val longOperands = OpcodeDecoder.longCopyOperands(window.bytes, longM4, longFar)

  // What this cycle takes from the window and hands on.
  private val head = UInt(3 bits)
  private val literals = UInt(log2Up(width + 1) bits)
  private val emit, isRun = False
  private val nextMode = Mode()
  private val nextLength = UInt(config.lengthBits bits)
  private val nextAfterLiterals = UInt(3 bits)
  private val runLength, copyLength = UInt(config.lengthBits bits)
  private val copy = Opcode()
  head := 1
  nextMode := Mode.instruction
  nextLength := grown
  nextAfterLiterals := 4
  runLength := opcode.length.resized
  copyLength := opcode.length.resized
  copy := opcode

  private def takeCopy(): Unit = {
    head := copy.head
    emit := True
    nextAfterLiterals := copy.literals.resized
  }

  private def takeRun(): Unit = {
    emit := True
    isRun := True
  }

  when(mode === Mode.header && first === 17 && window.fiveBytes) {
    head := 2
    nextMode := Mode.start
    nextAfterLiterals := 0
    when(window.bytes(1).asUInt > 1)(nextMode := Mode.drain) // a version nobody has written yet
  } elsewhen ((mode === Mode.header || mode === Mode.start) && first.asUInt > 17) {
    // A first byte above 17 is a run without instruction; up to three literals count as a match's.
    val startLength = first.asUInt - 17
    runLength := startLength.resized
    takeRun()
    when(startLength < 4) { nextAfterLiterals := startLength.resized }
  } elsewhen (mode === Mode.literals) {
    head := 0
    runLength := length
    takeRun()
  } elsewhen (mode === Mode.runLength) {
    runLength := completed
    nextMode := Mode.runLength
    when(first =/= 0) { takeRun() }
  } elsewhen (mode === Mode.copyLength) {
    copyLength := completed
    copy := longOperands
    nextMode := Mode.copyLength
    when(first =/= 0) {
      takeCopy()
      nextMode := Mode.instruction
      when(copy.kind === OpcodeKind.illegal) {
        emit := False
        nextMode := Mode.drain
      }
    }
  } otherwise {
    nextLength := opcode.length.resized
    switch(opcode.kind) {
      is(OpcodeKind.run) { takeRun() }
      is(OpcodeKind.copy, OpcodeKind.zeros) { takeCopy() }
      is(OpcodeKind.longRun) { nextMode := Mode.runLength }
      is(OpcodeKind.longCopy) { nextMode := Mode.copyLength }
      is(OpcodeKind.end, OpcodeKind.illegal) {
        head := 3
        nextMode := Mode.drain
      }
    }
  }

  // As much of a run as this cycle shows; `head` is 0 or 1 then.
  private val most = width min config.literalBytes
  private val room = UInt(literals.getWidth bits)
  room := (if (width > config.literalBytes) U(most) else most - head).resized
  private val chunk = (runLength > room) ? room | runLength.resize(literals.getWidth)
  literals := 0
  when(isRun) {
    literals := chunk
    nextLength := runLength - chunk
    nextMode := (runLength > room) ? Mode.literals | Mode.instruction
  } elsewhen (emit) {
    literals := copy.literals.resized
  }

  private val needed = head +^ literals
  private val truncated = window.position + needed > window.streamEnd
  private val parsing = window.ready && mode =/= Mode.drain

  io.group.pageEnd := False
  io.group.malformed := malformed
  private val token = io.group.tokens(0)
  token.valid := parsing && emit && !truncated
  token.zeroRun := copy.kind === OpcodeKind.zeros
  token.matchLength := isRun ? U(0) | copyLength
  token.distance := copy.distance
  token.runLength := isRun ? runLength | literals.resize(config.lengthBits)
  token.literals := literals.resized
  io.group.valid := token.valid
  token.bytes := (window.bytes.asBits >> (head << 3)).resized

  when(parsing && truncated) {
    mode := Mode.drain
    malformed := True
  } elsewhen (parsing && (!emit || io.group.ready)) {
    window.advance := True
    window.count := needed.resized
    mode := nextMode
    length := nextLength
    afterLiterals := nextAfterLiterals
    when(nextMode === Mode.start) { zeroRuns := window.bytes(1) =/= 0 }
    when(mode =/= Mode.copyLength) {
      longM4 := !first(5)
      longFar := first(3)
    }
    when(nextMode === Mode.drain) {
      // The end mark is right only as the stream's last three bytes; anything else that leads here is not legal.
      malformed := mode === Mode.copyLength || opcode.kind =/= OpcodeKind.end ||
        window.position + 3 =/= window.streamEnd
    }
  }

  when(mode === Mode.drain && window.ready) {
    when(window.firstIsLast) {
      io.group.valid := True
      io.group.pageEnd := True
    }
    when(!window.firstIsLast || io.group.ready) {
      window.dropFirst := True
      when(window.firstIsLast) {
        mode := Mode.header
        afterLiterals := 0
        zeroRuns := False
        malformed := False
      }
    }
  }
}
