// SPDX-License-Identifier: Apache-2.0
package pagepress.test

import java.io.File
import scala.io.Source

/** A line of a golden vector file: its words without a key, and its key=value pairs. */
case class GoldenRecord(words: Seq[String], values: Map[String, String]) {
  /** The bytes, each two hexadecimal digits, of the value called `name`. */
  def bytes(name: String): Seq[Int] = values(name).grouped(2).filter(_.nonEmpty).map(Integer.parseInt(_, 16)).toSeq
}

/** Reads the files of rtl/interface/vectors. */
object GoldenVectors {
  private val folder = new File(System.getProperty("user.dir")) match {
    case rtl if new File(rtl, "interface").isDirectory => new File(rtl, "interface/vectors")
    case root => new File(root, "rtl/interface/vectors")
  }

  /** The file's lines, at least one. */
  def apply(name: String): Seq[GoldenRecord] = {
    val source = Source.fromFile(new File(folder, name))
    val lines = try source.getLines().toList finally source.close()
    val records = lines.filterNot(line => line.isEmpty || line.startsWith("#")).map { line =>
      val (pairs, words) = line.split(" ").toSeq.partition(_.contains('='))
      GoldenRecord(words, pairs.map(_.split("=", 2)).map(pair => pair(0) -> pair(1)).toMap)
    }
    require(records.nonEmpty, s"$name holds no vector")
    records
  }
}
