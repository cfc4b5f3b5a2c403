// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.decompressor

import spinal.core._

/** What an LZO1X instruction asks for. */
object OpcodeKind extends SpinalEnum {
  /** `length` literals follow the `head` bytes. */
  val run = newElement()
  /** A match, then `literals` literals. */
  val copy = newElement()
  /** lzo-rle: `length` zero bytes, then `literals` literals. */
  val zeros = newElement()
  /** Length field 0: the length goes on in the following bytes (as many 255s as there are zero bytes, plus the first
    * other byte), then the operands of the same kind. */
  val longRun, longCopy = newElement()
  /** End mark. */
  val end = newElement()
  /** No legal instruction. */
  val illegal = newElement()
}

/** One decoded instruction; see OpcodeKind for which fields count. */
case class Opcode() extends Bundle {
  val kind = OpcodeKind()
  val head = UInt(3 bits) // bytes of the instruction itself, literals not counted
  val length = UInt(12 bits)
  val distance = UInt(16 bits)
  val literals = UInt(2 bits)
}

/** Decodes one LZO1X instruction, combinationally, as the kernel's decoder reads it.
  *
  * Instruction bytes below 16 mean different things depending on what came just before:
  * `afterLiterals` = 0: a match without literals (or the page's start), 1 to 3: so many literals behind a match,
  * 4: a literal run.
  */
object OpcodeDecoder {
  /** Distance field shared by M3 and M4: 14 bits in two bytes whose lowest two bits count literals. */
  private def field14(low: Bits, high: Bits): UInt = (high ## low(7 downto 2)).asUInt

  private def m3Distance(field: UInt): UInt = field.resize(16) + 1

  /** M4 distances start at 16 KiB + 1; exactly 16 KiB is the end mark. */
  private def m4Distance(far: Bool, field: UInt): UInt = (far ## !far ## field).asUInt

  /** @param bytes the stream from the instruction on, four bytes at least
    * @param zeroRuns the stream's header announced lzo-rle */
  def decode(bytes: Vec[Bits], afterLiterals: UInt, zeroRuns: Bool): Opcode = {
    val first = bytes(0)
    val field = field14(bytes(1), bytes(2))
    val opcode = Opcode()
    opcode.kind := OpcodeKind.copy
    opcode.head := 2
    opcode.length := 2
    opcode.distance := 0
    opcode.literals := first(1 downto 0).asUInt
    when(first(7 downto 6) =/= 0) { // M2
      opcode.length := (first(7 downto 5).asUInt +^ 1).resized
      opcode.distance := ((bytes(1) ## first(4 downto 2)).asUInt +^ 1).resized
    } elsewhen (first(5)) { // M3
      opcode.head := 3
      opcode.length := (first(4 downto 0).asUInt +^ 2).resized
      opcode.distance := m3Distance(field)
      opcode.literals := bytes(1)(1 downto 0).asUInt
      when(first(4 downto 0) === 0) {
        opcode.kind := OpcodeKind.longCopy
        opcode.head := 1
        opcode.length := 33
      }
    } elsewhen (first(4)) { // M4, end mark, zero run
      opcode.head := 3
      opcode.length := (first(2 downto 0).asUInt +^ 2).resized
      opcode.distance := m4Distance(first(3), field)
      opcode.literals := bytes(1)(1 downto 0).asUInt
      when(zeroRuns && first(3) && field.andR) { // the farthest M4 distance is given up for this
        opcode.kind := OpcodeKind.zeros
        opcode.head := 4
        opcode.length := ((bytes(3) ## first(2 downto 0)).asUInt +^ 4).resized
      } elsewhen (first(2 downto 0) === 0) {
        opcode.kind := OpcodeKind.longCopy
        opcode.head := 1
        opcode.length := 9
      } elsewhen (!first(3) && field === 0) {
        opcode.kind := OpcodeKind.end
        when(first(2 downto 0) =/= 1) { opcode.kind := OpcodeKind.illegal }
      }
    } elsewhen (afterLiterals === 0) { // literal run
      opcode.kind := OpcodeKind.run
      opcode.head := 1
      opcode.length := (first(3 downto 0).asUInt +^ 3).resized
      when(first(3 downto 0) === 0) {
        opcode.kind := OpcodeKind.longRun
        opcode.length := 18
      }
    } otherwise { // M1 after a few literals, M1b after a run
      val near = (bytes(1) ## first(3 downto 2)).asUInt +^ 1
      opcode.distance := near.resized
      when(afterLiterals === 4) {
        opcode.length := 3
        opcode.distance := (near.resize(16) + 2048)
      }
    }
    opcode
  }

  /** Operands of a longCopy once its length is known: `bytes` starts with the last length byte.
    * @param m4 the instruction was an M4, `far` its distance's top bit */
  def longCopyOperands(bytes: Vec[Bits], m4: Bool, far: Bool): Opcode = {
    val field = field14(bytes(1), bytes(2))
    val opcode = Opcode()
    opcode.kind := OpcodeKind.copy
    when(m4 && !far && field === 0) { opcode.kind := OpcodeKind.illegal } // an end mark of the wrong length
    opcode.head := 3
    opcode.length := bytes(0).asUInt.resized
    opcode.distance := m4 ? m4Distance(far, field) | m3Distance(field)
    opcode.literals := bytes(1)(1 downto 0).asUInt
    opcode
  }
}
