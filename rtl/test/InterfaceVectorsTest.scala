// SPDX-License-Identifier: Apache-2.0
package pagepress.test

import org.scalatest.funsuite.AnyFunSuite
import pagepress.interface._
import spinal.core._

/** The golden ring entries against the generated bundles: `asBits` of a bundle puts its elements in order from bit 0, so
  * an entry's bytes, read as one little-endian number, must hold each field at its element's place.
  */
class InterfaceVectorsTest extends AnyFunSuite {
  private case class Record(descriptor: String, name: String, values: Map[String, String])

  private val records = GoldenVectors("entries.txt").map(record => Record(record.words(0), record.words(1), record.values))

  private def littleEndian(bytes: String): BigInt = BigInt(bytes.grouped(2).toSeq.reverse.mkString, 16)

  /** source_address → sourceAddress */
  private def camelCase(name: String): String =
    name.split("_").zipWithIndex.map { case (word, index) => if (index == 0) word else word.capitalize }.mkString

  private val bundles: Map[String, () => Bundle] =
    Map("SubmissionEntry" -> (() => SubmissionEntry()), "CompletionEntry" -> (() => CompletionEntry()))

  for (record <- records) test(s"${record.descriptor} ${record.name}") {
    val entry = littleEndian(record.values("bytes"))
    GlobalData.reset(SpinalConfig()) // bundles are made outside any component here
    val elements = bundles(record.descriptor)().elements
    assert(elements.map(_._2.getBitsWidth).sum == record.values("bytes").length * 4)
    assert(elements.map(_._1).toSet == (record.values.keySet - "bytes").map(camelCase), "the vector names every field")
    val fields = record.values.map { case (name, value) => camelCase(name) -> (name, value) }
    elements.foldLeft(0) { case (low, (name, element)) =>
      val (plainName, value) = fields(name)
      val expected = if (plainName.startsWith("reserved")) littleEndian(value) else BigInt(value, 16)
      assert((entry >> low) % (BigInt(1) << element.getBitsWidth) == expected, s"$name at bit $low")
      low + element.getBitsWidth
    }
  }

  test("every descriptor has a vector")(assert(records.map(_.descriptor).toSet == bundles.keySet))
}
