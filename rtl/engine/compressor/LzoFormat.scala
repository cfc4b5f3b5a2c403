// SPDX-License-Identifier: Apache-2.0
package pagepress.engine.compressor

/** The tokens of LZO1X this encoder writes.
  *
  * | token | bytes | for |
  * |---|---|---|
  * | literal run | `0000 LLLL`, more bytes when longer | 4 literals and more, at the start of a page or after a match |
  * | short match (M2) | `LLL DDD SS`, distance | lengths 3 to 8, distances up to 2048 |
  * | long match (M3) | `001 LLLLL`, more bytes when longer, distance and `SS` | distances up to 16384 |
  * | end mark | `11 00 00` | |
  *
  * `SS` counts 1 to 3 literals that follow a match and need no token of their own. A number too big for its field
  * leaves the field 0 and follows as one zero byte for every 255, then the rest, 1 to 255.
  */
object LzoFormat {
  val SHORT_MAXIMUM_LENGTH = 8
  val SHORT_MAXIMUM_OFFSET = 2048
  val LONG_BASE_LENGTH = 2 // a long match's field holds the length less this
  val LONG_MAXIMUM_LENGTH = 33 // longest match whose length fits the field
  val LONG_MARK = 0x20
  val STATE_LITERALS = 3 // most literals a match token counts itself
  val RUN_BASE = 3 // a literal run's field holds the literals less this
  val RUN_MAXIMUM = 18 // longest literal run whose length fits the field

  /** A stream's first run may be one byte: the literals plus this. A bare 17 would announce a newer stream version to
    * the kernel's decoder; it cannot occur, as no run of 0 literals is written.
    */
  val FIRST_BASE = 17
  val FIRST_MAXIMUM = 255 - 17
  val EXTENSION_STEP = 255
  val END_MARK = Seq(0x11, 0x00, 0x00)
}
