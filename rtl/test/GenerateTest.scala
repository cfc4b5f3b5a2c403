// SPDX-License-Identifier: Apache-2.0
package pagepress.test

import org.scalatest.funsuite.AnyFunSuite
import pagepress.interface.Interface
import pagepress.queues.{QueueConfig, QueueMonitor}
import pagepress.top.Generate
import spinal.core.SpinalConfig

import java.io.ByteArrayOutputStream
import java.nio.file.{Files, Paths}

/** What Generate cannot make it refuses in one line that says what is legal, and writes nothing. */
class GenerateTest extends AnyFunSuite {
  private val refused = Seq(
    "--address-width 31" -> "addressWidth is 31: use 32 to 64",
    "--address-width 65" -> "addressWidth is 65: use 32 to 64",
    "--address-width wide" -> "'wide' is not a number",
    "--arcache 16" -> "readCache is 16: use 0 to 15",
    "--awcache -1" -> "writeCache is -1: use 0 to 15",
    "--axprot 8" -> "protection is 8: use 0 to 7",
    "--user-width 33" -> "userWidth is 33: use 0 to 32",
    "--user 1" -> "user is 1: it does not fit userWidth, 0 bits",
    "--user 8 --user-width 3" -> "user is 8: it does not fit userWidth, 3 bits",
    "--one-interrupt --only card" -> "let --only name it",
    "--address-width 40 --only pagepress_kernel" -> "let --only name it",
    "--management-clock 9999 --only card" -> "the management clock is 9999 kHz: use 10000 or more",
    "--management-clock 100000 --only core" -> "let --only name it",
    "--queues 5 --bus 8 --compressors 2 --decompressors 3" -> "the kernel's bus is 64 bytes wide, as kernel.toml says, not 8: --without pagepress_kernel leaves it out",
    "--engine-clock 300000 --only core,pagepress_kernel" -> "the kernel's engines run on its one clock",
    "--queues 65" -> "queuePairs is 65: use 1 to 64",
    "--link 32 --only card" -> "the link is 32 bytes a cycle: use 64 for sixteen lanes, or 16 for four",
    "--link 16 --only core" -> "let --only name it",
    "--memory-control 0 --only core" -> "memory control is 0 bits: use 1 to 64",
    "--clock-enable --engine-clock 300000 --only core" -> "do not go together",
    "--clock-enable --gate-lanes --only core" -> "do not go together",
    "--cold-format --pages 16384 --only core" -> "pages of at most 8192 bytes, not 16384",
    "--compressor-bytes 5 --only core" -> "compressorBytes is 5: use 4, 8 or 16, at most the bus's 16",
    "--compressor-bytes 2 --only core" -> "compressorBytes is 2: use 4, 8 or 16",
    "--compressor-bytes 16 --bus 8 --only core" -> "compressorBytes is 16: use 4, 8 or 16, at most the bus's 8",
    "--compressor-bytes wide --only core" -> "'wide' is not a number",
    "--decompressor-tokens 3 --only core" -> "decompressorTokens is 3: use 1 or 2",
    "--decompressor-tokens 0 --only core" -> "decompressorTokens is 0: use 1 or 2",
    "--compressor-bytes 8 --cold-format --only core" -> "the cold format is for the largest engines",
    "--cold-format --decompressor-tokens 1 --only core" -> "the cold format is for the largest engines",
    "--async-reset --only card" -> "let --only name it",
    "--name 2nd --only core" -> "'2nd' is no name of a module: use letters, digits and _, and no keyword",
    "--name pages-16k --only core" -> "'pages-16k' is no name of a module",
    "--name module --only core" -> "'module' is no name of a module",
    "--name logic --only core" -> "'logic' is no name of a module",
    "--name other" -> "a name is of the core: let --only name it",
    "--name other --only card" -> "let --only name it",
    "-o" -> "unknown option or missing value: -o (known: --only --without --list --pages ",
    "--two-interrupts" -> "unknown option or missing value: --two-interrupts")

  for ((options, why) <- refused) test(options) {
    val above = Files.createTempDirectory("generate")
    val folder = above.resolve("verilog")
    val said = Generate.attempt(options.split(' ').toList :+ folder.toString)
    Files.delete(above) // is empty
    assert(said.exists(line => line.contains(why) && !line.contains('\n')), said)
  }

  for (word <- Seq("--help", "-h")) test(word) {
    val above = Files.createTempDirectory("generate")
    val shown = new ByteArrayOutputStream
    val said = Console.withOut(shown)(Generate.attempt(List("--queues", "5", word, above.resolve("verilog").toString)))
    Files.delete(above) // is empty
    assert(said.isEmpty && shown.toString.startsWith("usage: Generate [options] [folder] "), shown)
  }

  for (block <- Seq("submission_push", "submission_fetch", "weighted_turns", "command_dispatch", "completion_writer")) test(s"a single queue: $block") {
    val folder = Files.createTempDirectory("generate")
    val said = Generate.attempt(List("--queues", "1", "--only", block, folder.toString))
    assert(said.isEmpty && Files.exists(folder.resolve(s"$block.v")), said)
  }

  test("a monitor of as many queues as there may be") {
    val folder = Files.createTempDirectory("generate").toString
    SpinalConfig(targetDirectory = folder).generateVerilog(QueueMonitor(QueueConfig(queuePairs = Interface.MAX_QUEUE_PAIRS, monitored = true)))
  }

  test("the cold format at its largest pages") {
    val folder = Files.createTempDirectory("generate")
    val said = Generate.attempt(s"--cold-format --pages 8192 --only core $folder".split(' ').toList)
    assert(said.isEmpty && Files.exists(folder.resolve("core.v")), said)
  }

  test("a core with a name: its parts have it before theirs") {
    val folder = Files.createTempDirectory("generate")
    val said = Generate.attempt(s"--name other --only core --gate-lanes --bus 8 --queues 1 --depth 3 --compressor-bytes 4 --decompressor-tokens 1 $folder".split(' ').toList)
    assert(said.isEmpty, said)
    val text = Files.readString(folder.resolve("core.v"))
    val modules = "(?m)^module (\\w+)".r.findAllMatchIn(text).map(_.group(1)).toSeq
    assert(modules.head == "other" && modules.distinct == modules, modules)
    // A technology's cell is nobody's own: the first core in a design brings it.
    assert(modules.filterNot(_.startsWith("other_")).toSet == Set("other", "lane_clock") && text.contains("`ifndef PAGEPRESS_LANE_CLOCK\n"), modules)
    assert(Set("other_StreamFifo", "other_page_decompressor", "other_lane_clock_stop").subsetOf(modules.toSet), modules)
  }

  test("what systems on chip ask for goes together, in any order") {
    val options = "--user 7 --user-width 3 --name mine --only core --one-interrupt --address-width 32 --axprot 0 --arcache 15 --awcache 0 --reset-low --async-reset " +
      "--clock-enable --memory-control 8 --list build/nowhere"
    assert(Generate.attempt(options.split(' ').toList).isEmpty)
    assert(!Files.exists(Paths.get("build/nowhere")))
  }
}
