// SPDX-License-Identifier: Apache-2.0
package pagepress.top

import pagepress.dma.{AddressAttributes, DmaBlocks}
import pagepress.dma.pcie.{MsixTable, PcieAdapter, PcieBlocks}
import pagepress.engine.{CompressCommand, DecompressCommand, EngineBlocks, EngineConfig, ObedientFaults}
import pagepress.management.{ManagementBlocks, ManagementConfig}
import pagepress.queues.QueueBlocks
import spinal.core._

import java.nio.file.{Files, Path, Paths, StandardCopyOption}
import java.util.concurrent.{ExecutionException, Executors}
import scala.jdk.CollectionConverters._

/** Writes Verilog: the tops and every block that is tested alone, one file each, named like its module; a core with a name of its own is in core.v, too. */
object Generate {
  private val usage =
    """usage: Generate [options] [folder]     all, into build/verilog by default
      |  --only NAME[,NAME...]          only these
      |  --without NAME[,NAME...]       all but these
      |  --list                         say what there is, write nothing
      |  --pages N  --bus N  --queues N  --depth N  --compressors N  --decompressors N  --burst N  --clock N  --engine-clock N
      |                                 page bytes, bus bytes a cycle (16; of a card 64), queue pairs, log2 of the deepest ring, engines
      |                                 of each kind, burst bytes, clock in kilohertz, the engines' own clock in kilohertz (0: none)
      |  --gate-lanes                   each engine's clock stands while the engine is idle
      |  --cold-format                  engines know the cold format, besides LZO1X
      |  --compressor-bytes N           bytes a cycle of a compressor: 4 or 8 with a smaller match table, 16; 0: what there is, at most 16
      |  --decompressor-tokens N        tokens a cycle of a decompressor, and of the one that verifies in each compress lane: 1 or 2
      |of the card alone:
      |  --link N                       bytes a cycle of the PCIe block's interface: 64 (Gen3 x16) or 16 (Gen3 x4)
      |  --management-clock N           a management part with a clock of so many kilohertz (0: none)
      |of the core alone, for systems on chip:
      |  --name NAME                    the module's name; those of its parts begin with `NAME_`, so that cores of several names stand in one design
      |  --address-width N              bits of an address, 32 to 64; what reaches beyond is refused
      |  --arcache N  --awcache N  --axprot N  --user-width N  --user N
      |                                 what the AXI manager says with each address; AxUSER has up to 32 bits (0: none)
      |  --one-interrupt                one interrupt output, the OR of all vectors
      |  --async-reset  --reset-low     a reset that needs no clock; one that is active low, `resetn`
      |  --clock-enable                 a port `clk_enable`: edges of `clk` while it is low are none
      |  --memory-control N             memories are instances of `pagepress_memory`, which a chip may bring itself, with N bits of control, 1 to 64""".stripMargin
  private val help = Set("--help", "-h")

  private class Usage(message: String) extends Exception(message)

  private case class Wishes(core: CoreConfig = CoreConfig(), bus: Option[Int] = None, folder: String = "build/verilog", only: Seq[String] = Nil, without: Seq[String] = Nil, list: Boolean = false,
                            user: Int = 0, management: Int = 0, link: Int = 64, chip: ChipConfig = ChipConfig())

  /** For simulation: a millisecond of 10,000 cycles. */
  private val simulated = Some(ManagementConfig(clockKilohertz = 10000))

  /** Two engines of each kind. The orders that break them fill a word of 16 bytes. */
  private def twice(core: CoreConfig): CoreConfig = core.copy(busBytes = core.busBytes max 16, queuePairs = 2, compressors = 2, decompressors = 2)

  private def tampered(core: CoreConfig): Core = Core(core, ObedientFaults.compressLane, ObedientFaults.decompressLane)

  /** @param card    a core as the card has it
    * @param managed the card's management part, if any
    * @param link    bytes a cycle of the card's PCIe block
    */
  def blocks(core: CoreConfig, card: CoreConfig, managed: Option[ManagementConfig] = None, link: Int = 64): Seq[(String, () => Component)] =
    Seq("core" -> (() => Core(core)),
      "card" -> (() => Card(card, managed = managed, blockBytes = link)),
      // For simulation: with a management part, and waits for the host no longer than tests can.
      "card_managed" -> (() => Card(card, timeoutCycles = 3000, managed = simulated)),
      "pagepress_kernel" -> (() => Kernel(card)),
      "kernel_front" -> (() => KernelFront(core.maxDepthLog2)),
      // For tests: waits for the host no longer than they can, has few enough tags to lose them all, engines on their own clock.
      "card_impatient" -> (() => Card(card.copy(engineKilohertz = 300000), tags = 64, timeoutCycles = 3000)),
      // For tests: at a link of four lanes.
      "card_narrow" -> (() => Card(card.copy(busBytes = 16), tags = 64, timeoutCycles = 3000, blockBytes = 16)),
      "management_fence" -> (() => ManagementFence(patience = 2)),
      // For tests: engines that overtake each other, a bus wider than any of them.
      "core_many" -> (() => Core(card.copy(queuePairs = 6, compressors = 2, decompressors = 2))),
      // For tests: engines that break, on a clock of their own, and a keeper of their lanes.
      "core_tampered" -> (() => tampered(twice(core).copy(engineKilohertz = 300000, tended = true))),
      // For tests at night: the same on one clock, and the same without a keeper.
      "core_tended" -> (() => tampered(twice(core).copy(tended = true))),
      "core_untended" -> (() => tampered(twice(core).copy(engineKilohertz = 300000))),
      // For tests: lanes whose clock stands while they are idle, on one clock and, at night, on their own.
      "core_gated" -> (() => tampered(twice(core).copy(gated = true, tended = true))),
      "core_gated_apart" -> (() => tampered(twice(core).copy(gated = true, tended = true, engineKilohertz = 300000))),
      // For tests: engines of both formats.
      "core_cold" -> (() =>
        Core(core.copy(queuePairs = 2, coldFormat = true, pageBytes = core.pageBytes min EngineConfig.COLD_PAGE_BYTES, compressorBytes = 0, decompressorTokens = 2))),
      "lane_gate" -> (() => {
        val engine = core.decompressEngine.copy(streamBytes = 8)
        LaneGate(engine, DecompressCommand(engine))
      })) ++
      Seq("lane_crossing" -> (() => {
        val engine = core.compressEngine
        LaneCrossing(ClockDomain.external("engine", withReset = false), engine, CompressCommand(engine))
      }),
        "msix_table" -> (() => MsixTable(core.pcie.vectors)),
        "pcie_adapter" -> (() => PcieAdapter(core.pcie.copy(tags = 64))), // for a narrow bus
        // For tests: at a link of four lanes.
        "pcie_adapter_narrow" -> (() => PcieAdapter(core.pcie.copy(requestBytes = 256, timeoutCycles = 3000, blockBytes = 16))),
        // For tests: as many engines as fill the link, short requests.
        "pcie_adapter_wide" -> (() => PcieAdapter(card.copy(compressors = 3, decompressors = 3).pcie.copy(
          requestBytes = 256, timeoutCycles = 3000, counted = true)))) ++ PcieBlocks.all ++ EngineBlocks.all ++ DmaBlocks.all(core.readDma, core.lengthWidth) ++ QueueBlocks.all(core.queues) ++
        ManagementBlocks.all

  def main(arguments: Array[String]): Unit = for (wrong <- attempt(arguments.toList)) {
    Console.err.println(s"Generate: $wrong")
    sys.exit(2)
  }

  /** Do what `arguments` ask for, or say in one line what is wrong with them; then nothing has been written. */
  def attempt(arguments: List[String]): Option[String] =
    try {
      if (arguments.exists(help)) println(usage) else run(parse(arguments, Wishes()))
      None
    } catch {
      case wrong @ (_: Usage | _: IllegalArgumentException) => Some(wrong.getMessage.stripPrefix("requirement failed: ").linesIterator.next())
    }

  private def parse(arguments: List[String], wishes: Wishes): Wishes = {
    def number(text: String): Int = text.toIntOption.getOrElse(throw new Usage(s"'$text' is not a number"))
    val core = wishes.core
    def attributes(change: AddressAttributes => AddressAttributes): Wishes = wishes.copy(core = core.copy(attributes = change(core.attributes)))
    arguments match {
      case Nil => wishes
      case "--list" :: rest => parse(rest, wishes.copy(list = true))
      case "--only" :: names :: rest => parse(rest, wishes.copy(only = names.split(',').toSeq))
      case "--without" :: names :: rest => parse(rest, wishes.copy(without = names.split(',').toSeq))
      case "--pages" :: n :: rest => parse(rest, wishes.copy(core = core.copy(pageBytes = number(n))))
      case "--bus" :: n :: rest => parse(rest, wishes.copy(bus = Some(number(n))))
      case "--queues" :: n :: rest => parse(rest, wishes.copy(core = core.copy(queuePairs = number(n))))
      case "--depth" :: n :: rest => parse(rest, wishes.copy(core = core.copy(maxDepthLog2 = number(n))))
      case "--compressors" :: n :: rest => parse(rest, wishes.copy(core = core.copy(compressors = number(n))))
      case "--decompressors" :: n :: rest => parse(rest, wishes.copy(core = core.copy(decompressors = number(n))))
      case "--burst" :: n :: rest => parse(rest, wishes.copy(core = core.copy(burstBytes = number(n))))
      case "--clock" :: n :: rest => parse(rest, wishes.copy(core = core.copy(clockKilohertz = number(n))))
      case "--engine-clock" :: n :: rest => parse(rest, wishes.copy(core = core.copy(engineKilohertz = number(n))))
      case "--gate-lanes" :: rest => parse(rest, wishes.copy(core = core.copy(gated = true)))
      case "--cold-format" :: rest => parse(rest, wishes.copy(core = core.copy(coldFormat = true)))
      case "--compressor-bytes" :: n :: rest => parse(rest, wishes.copy(core = core.copy(compressorBytes = number(n))))
      case "--decompressor-tokens" :: n :: rest => parse(rest, wishes.copy(core = core.copy(decompressorTokens = number(n))))
      case "--management-clock" :: n :: rest => parse(rest, wishes.copy(management = number(n)))
      case "--link" :: n :: rest => parse(rest, wishes.copy(link = number(n)))
      case "--address-width" :: n :: rest => parse(rest, attributes(_.copy(addressWidth = number(n))))
      case "--arcache" :: n :: rest => parse(rest, attributes(_.copy(readCache = number(n))))
      case "--awcache" :: n :: rest => parse(rest, attributes(_.copy(writeCache = number(n))))
      case "--axprot" :: n :: rest => parse(rest, attributes(_.copy(protection = number(n))))
      case "--user-width" :: n :: rest => parse(rest, attributes(_.copy(userWidth = number(n))))
      case "--user" :: n :: rest => parse(rest, wishes.copy(user = number(n))) // judged when its width is known
      case "--name" :: name :: rest => parse(rest, wishes.copy(chip = wishes.chip.copy(name = Some(name))))
      case "--one-interrupt" :: rest => parse(rest, wishes.copy(core = core.copy(oneInterrupt = true)))
      case "--async-reset" :: rest => parse(rest, wishes.copy(chip = wishes.chip.copy(asyncReset = true)))
      case "--reset-low" :: rest => parse(rest, wishes.copy(chip = wishes.chip.copy(resetLow = true)))
      case "--clock-enable" :: rest => parse(rest, wishes.copy(chip = wishes.chip.copy(clockEnable = true)))
      case "--memory-control" :: n :: rest => parse(rest, wishes.copy(chip = wishes.chip.copy(memoryControl = Some(number(n)))))
      case option :: _ if option.startsWith("-") =>
        throw new Usage(s"unknown option or missing value: $option (known: ${"--[a-z-]+".r.findAllIn(usage).mkString(" ")})")
      case folder :: rest => parse(rest, wishes.copy(folder = folder))
    }
  }

  private def run(wishes: Wishes): Unit = {
    // Both are checked before anything is written.
    val usual = CoreConfig()
    val core = wishes.core.copy(busBytes = wishes.bus.getOrElse(16), attributes = wishes.core.attributes.copy(user = wishes.user))
    val card = wishes.core.copy(busBytes = wishes.bus.getOrElse(64), attributes = usual.attributes, oneInterrupt = usual.oneInterrupt)
    if ((card.copy(busBytes = core.busBytes) != core || wishes.chip != ChipConfig()) && wishes.only.nonEmpty && !wishes.only.contains("core"))
      throw new Usage("address width, AxCACHE, AxPROT, AxUSER, one interrupt, reset, clock enable and memories are of the core: let --only name it")
    if (wishes.chip.name.nonEmpty && !wishes.only.contains("core")) throw new Usage("a name is of the core: let --only name it")
    if (wishes.chip.clockEnable && core.engineKilohertz != 0) throw new Usage("a clock enable and a clock of the engines' own do not go together: take one of them")
    if (wishes.chip.clockEnable && core.gated) throw new Usage("a clock enable and --gate-lanes do not go together: take one of them")
    if (wishes.management != 0 && wishes.only.nonEmpty && !wishes.only.contains("card"))
      throw new Usage("the management clock is of the card: let --only name it")
    if (wishes.link != 64 && wishes.link != 16) throw new Usage(s"the link is ${wishes.link} bytes a cycle: use 64 for sixteen lanes, or 16 for four")
    if (wishes.link != 64 && wishes.only.nonEmpty && !wishes.only.contains("card")) throw new Usage("the link is of the card: let --only name it")
    // Slower ones check no signature before the watchdog bites.
    if (wishes.management != 0 && wishes.management < 10000) throw new Usage(s"the management clock is ${wishes.management} kHz: use 10000 or more, or 0 for none")
    val all = blocks(core, card, Option.when(wishes.management != 0)(ManagementConfig(clockKilohertz = wishes.management)), wishes.link)
    val unknown = (wishes.only ++ wishes.without).filterNot(name => all.exists(_._1 == name))
    if (unknown.nonEmpty) throw new Usage(s"no block ${unknown.mkString(", ")} (--list shows them)")
    val chosen = all.filter { case (name, _) => (wishes.only.isEmpty || wishes.only.contains(name)) && !wishes.without.contains(name) }
    if (wishes.list) all.foreach { case (name, _) => println(name) }
    else replace(Paths.get(wishes.folder)) { staged =>
      if (chosen.exists(_._1 == "pagepress_kernel")) Kernel.check(card) // not after minutes
      sideBySide(chosen.map { case (name, block) => () => write(name, block, staged.toString, if (name == "core") wishes.chip else ChipConfig()) })
    }
  }

  /** One thread a processor: SpinalHDL keeps what it makes to the thread that makes it. The first failure, in order, is thrown when all have ended. */
  private def sideBySide(jobs: Seq[() => Unit]): Unit = {
    val pool = Executors.newFixedThreadPool(Runtime.getRuntime.availableProcessors)
    try pool.invokeAll(jobs.map(job => Executors.callable(() => job())).asJava).forEach { done =>
      try done.get() catch { case failed: ExecutionException => throw failed.getCause }
    } finally pool.shutdown()
  }

  /** Have `make` write files into a folder beside, and put them into `folder` when all are there: it never holds half of a run. */
  private def replace(folder: Path)(make: Path => Unit): Unit = {
    val above = folder.toAbsolutePath.getParent
    Files.createDirectories(above)
    val staged = Files.createTempDirectory(above, s".${folder.getFileName}.")
    try {
      make(staged)
      Files.createDirectories(folder)
      for (file <- files(staged)) Files.move(file, folder.resolve(file.getFileName), StandardCopyOption.REPLACE_EXISTING)
    } finally {
      files(staged).foreach(Files.delete)
      Files.delete(staged)
    }
  }

  private def files(folder: Path): Seq[Path] = {
    val listing = Files.list(folder)
    try listing.iterator.asScala.toSeq finally listing.close()
  }

  private def write(name: String, block: () => Component, folder: String, chip: ChipConfig): Unit = {
    val usual = SpinalConfig(
      targetDirectory = folder,
      netlistFileName = s"$name.v",
      defaultConfigForClockDomains = chip.domains,
      oneFilePerComponent = false,
      privateNamespace = chip.name.nonEmpty,
      headerWithDate = false,
      rtlHeader = "SPDX-License-Identifier: Apache-2.0")
    for (bits <- chip.memoryControl) usual.memBlackBoxers += new OwnMemories(bits)
    val report = usual.generateVerilog {
      val made = chip.clocked(block())
      // SpinalHDL itself sets a private name before those of classes alone, not before those that parts give themselves.
      for (own <- chip.name) made.walkComponents {
        case _: BlackBox =>
        case part => if (part.definitionName != null) part.definitionName = s"${own}_${part.definitionName}"
      }
      made.setDefinitionName(chip.name.getOrElse(name))
      made
    }
    val file = Paths.get(folder, s"$name.v")
    require(Files.exists(file), s"$file was not written")
    // For those who take it into a design of theirs: no net is made by a slip of the pen.
    val (heading, code) = Files.readString(file).linesWithSeparators.span(line => line.startsWith("//") || line.isBlank)
    Files.writeString(file, (heading ++ Iterator("`default_nettype none\n") ++ code ++ Iterator("`default_nettype wire\n") ++
      (report.blackboxesSourcesPaths.iterator ++ chip.memoryControl.map(_ => OwnMemories.source)).map(path => Files.readString(Paths.get(path)))).mkString)
  }
}
