// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface._
import spinal.core._
import spinal.lib._

/** A command and what the check says of it. */
case class CheckedCommand(config: QueueConfig) extends Bundle {
  val command = Command(config)
  val status = Bits(8 bits) // SUCCESS: may run (kind NONE: is done)
}

/** Turns ring entries into commands and refuses what the interface does not allow; the first objection in the order of
  * status codes wins. Latency 3 cycles, an entry every second cycle; `ready` comes from a register.
  */
case class CommandCheck(config: QueueConfig) extends Component {
  import Interface._

  val io = new Bundle {
    val entry = slave(Stream(FetchedEntry(config)))
    val checked = master(Stream(CheckedCommand(config)))
  }

  /** An entry with every objection to it, one bit each. */
  case class Examined() extends Bundle {
    val command = Command(config)
    val badOpcode, badFormat, badFlags, badLength, badAddress = Bool()
  }

  private def examine(fetched: FetchedEntry): Examined = {
    val entry = SubmissionEntry()
    entry.assignFromBits(fetched.bytes)
    val compress = entry.opcode === OPCODE_COMPRESS
    val decompress = entry.opcode === OPCODE_DECOMPRESS
    val moves = compress || decompress
    val sourceLength = entry.sourceLength.asUInt
    val capacity = entry.destinationCapacity.asUInt
    val page = config.pageBytes

    val examined = Examined()
    examined.badOpcode := !moves && entry.opcode =/= OPCODE_NOP
    val cold = Option.when(config.coldFormat)(entry.format === FORMAT_COLD)
    examined.badFormat := moves && cold.foldLeft(entry.format =/= FORMAT_LZO1X)(_ && !_)
    examined.badFlags := (entry.flags & ~B(FLAG_SKIP_VERIFY | FLAG_CHECK_CRC, 16 bits)).orR || entry.reserved.orR
    examined.badLength :=
      compress && (sourceLength =/= page || capacity === 0 || capacity > page) ||
        decompress && (sourceLength === 0 || sourceLength > 2 * page || capacity =/= page)
    examined.badAddress := moves && (config.isBadAddress(entry.sourceAddress, sourceLength) || config.isBadAddress(entry.destinationAddress, capacity))

    val command = examined.command
    command.queueIndex := fetched.queueIndex
    command.kind := CommandKind.NONE
    when(compress)(command.kind := CommandKind.COMPRESS)
    when(decompress)(command.kind := CommandKind.DECOMPRESS)
    command.tag := entry.tag
    command.source := entry.sourceAddress.asUInt
    command.destination := entry.destinationAddress.asUInt
    command.sourceLength := sourceLength.resized
    command.capacity := capacity.resized
    command.expectedCrc32c := entry.expectedCrc32c
    command.skipVerify := (entry.flags & FLAG_SKIP_VERIFY).orR
    command.checkCrc := (entry.flags & FLAG_CHECK_CRC).orR
    for ((to, is) <- command.cold.zip(cold)) to := is
    examined
  }

  private def judge(examined: Examined): CheckedCommand = {
    val checked = CheckedCommand(config)
    checked.command := examined.command
    checked.status := PriorityMux(Seq(
      examined.badOpcode -> B(STATUS_INVALID_OPCODE, 8 bits),
      examined.badFormat -> B(STATUS_INVALID_FORMAT, 8 bits),
      examined.badFlags -> B(STATUS_INVALID_FLAGS, 8 bits),
      examined.badLength -> B(STATUS_INVALID_LENGTH, 8 bits),
      examined.badAddress -> B(STATUS_INVALID_ADDRESS, 8 bits),
      True -> B(STATUS_SUCCESS, 8 bits)))
    checked
  }

  private val examined = io.entry.halfPipe().map(examine).halfPipe()
  io.checked << examined.map(judge).halfPipe()
}
