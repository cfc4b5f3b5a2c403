// SPDX-License-Identifier: Apache-2.0
package pagepress.queues

import pagepress.interface.Interface
import spinal.core._
import spinal.lib._

/** Shape of the queues.
  *
  * @param queuePairs     ring pairs, 1 to MAX_QUEUE_PAIRS
  * @param maxDepthLog2   log2 of the deepest ring
  * @param pageBytes      bytes of a page
  * @param busBytes       bytes a cycle on the bus, as ENGINES reports them
  * @param compressors    engines of each kind, as ENGINES reports them
  * @param decompressors  the same
  * @param clockKilohertz core clock, as CLOCK reports it
  * @param waitingEntries commands of one queue that may wait for an engine on the card, a power of two. Every queue has
  *                       its own share, so a queue full of work never keeps another queue's commands from being seen
  * @param fetchEntries   most submission entries read in one transfer, a power of two
  * @param addressWidth   bits of an address on the bus; commands and rings that reach beyond are refused
  * @param monitored      a QueueMonitor sums up what the queues have to do
  * @param coldFormat     the engines know the cold format, as CAPABILITIES reports it
  */
case class QueueConfig(
    queuePairs: Int = 4,
    maxDepthLog2: Int = 10,
    pageBytes: Int = 4096,
    busBytes: Int = 16,
    compressors: Int = 1,
    decompressors: Int = 1,
    clockKilohertz: Int = 250000,
    waitingEntries: Int = 16,
    fetchEntries: Int = 8,
    addressWidth: Int = 64,
    monitored: Boolean = false,
    coldFormat: Boolean = false) {
  require(queuePairs >= 1 && queuePairs <= Interface.MAX_QUEUE_PAIRS, s"queuePairs is $queuePairs: use 1 to ${Interface.MAX_QUEUE_PAIRS}")
  require(maxDepthLog2 >= 3 && maxDepthLog2 <= Interface.MAX_DEPTH_LOG2, s"maxDepthLog2 is $maxDepthLog2: use 3 to ${Interface.MAX_DEPTH_LOG2}")
  require(isPow2(fetchEntries) && fetchEntries >= 1, s"fetchEntries is $fetchEntries: use a power of two")
  require(isPow2(waitingEntries) && waitingEntries >= fetchEntries, s"waitingEntries is $waitingEntries: use a power of two, at least fetchEntries")
  require(compressors >= 1 && compressors < 256, s"compressors is $compressors: use 1 to 255")
  require(decompressors >= 1 && decompressors < 256, s"decompressors is $decompressors: use 1 to 255")

  /** Bytes in which submission entries come: an entry in two words at least. */
  val fetchBytes: Int = busBytes min 32
  val queueWidth: Int = log2Up(queuePairs) max 1
  /** Cycles between two samples of a queue by its monitor, a power of two. */
  val sampleCycles: Int = QueueMonitor.visitCycles << queueWidth
  require(3 * sampleCycles < (1 << QueueMonitor.leftWidth), s"$queuePairs queues are too many for their monitor")
  val pageShift: Int = log2Up(pageBytes)
  /** Bits of a length: an input may be two pages long. */
  val lengthWidth: Int = log2Up(2 * pageBytes + 1)
  val fetchWidth: Int = log2Up(fetchEntries + 1)
  val waitingWidth: Int = log2Up(waitingEntries + 1)
  val weightWidth: Int = log2Up(Interface.MAX_WEIGHT + 1)
  /** Whether `address` is 0, or `length` bytes from there on reach past the last one that the bus has. Of a length the bits for two
    * pages or a ring count: longer ones are refused elsewhere.
    */
  def isBadAddress(address: Bits, length: UInt): Bool = {
    val low = lengthWidth max maxDepthLog2 + submissionShift + 1
    val end = address(low - 1 downto 0).asUInt +^ length.resize(low)
    val nearEnd = address(addressWidth - 1 downto low).andR
    val beyond = if (addressWidth == 64) False else address(63 downto addressWidth).orR
    address === 0 || beyond || nearEnd && end.msb && end(low - 1 downto 0) =/= 0
  }
  /** The element of queue `index`, of `all` of them. A single queue has an index of one bit as well. */
  def ofQueue[T <: Data](all: Vec[T], index: UInt): T = if (queuePairs == 1) all.head else all(index)
  def ofQueue(all: Bits, index: UInt): Bool = if (queuePairs == 1) all.lsb else all(index)
  /** Bytes of a ring with entries of 2^shift bytes; 0 for one that is too deep. */
  def ringBytes(depthLog2: UInt, shift: Int): UInt = (0 to maxDepthLog2).map(depthLog2 === _).asBits().asUInt << shift
  /** Log2 of the entry sizes: shifts an index to a byte offset. */
  val submissionShift: Int = log2Up(Interface.SUBMISSION_ENTRY_BYTES)
  val completionShift: Int = log2Up(Interface.COMPLETION_ENTRY_BYTES)
}

/** What a command asks for; NONE moves nothing. */
object CommandKind extends SpinalEnum {
  val NONE, COMPRESS, DECOMPRESS = newElement()
}

/** A checked command on its way to an engine. */
case class Command(config: QueueConfig) extends Bundle {
  val queueIndex = UInt(config.queueWidth bits)
  val kind = CommandKind()
  val tag = Bits(32 bits)
  val source = UInt(64 bits)
  val destination = UInt(64 bits)
  val sourceLength = UInt(config.lengthWidth bits)
  val capacity = UInt(config.lengthWidth bits)
  val expectedCrc32c = Bits(32 bits)
  val skipVerify = Bool()
  val checkCrc = Bool()
  val cold = Option.when(config.coldFormat)(Bool()) // its stream is one of the cold format
}

/** The end of a command, on its way to the completion ring. */
case class Completion(config: QueueConfig) extends Bundle {
  val queueIndex = UInt(config.queueWidth bits)
  val kind = CommandKind()
  val tag = Bits(32 bits)
  val status = Bits(8 bits)
  val sourceLength = UInt(config.lengthWidth bits)
  val producedLength = UInt(config.lengthWidth bits)
  val crc32c = Bits(32 bits)
  val detail = Bits(64 bits)
  val engineCycles = UInt(32 bits)

  /** End `command` with `code` after `cycles` in an engine, nothing produced. */
  def endWithout(command: Command, code: Bits, cycles: UInt = U(0, 32 bits)): Unit = {
    queueIndex := command.queueIndex
    kind := command.kind
    tag := command.tag
    status := code
    sourceLength := command.sourceLength
    producedLength := 0
    crc32c := 0
    detail := 0
    engineCycles := cycles
  }
}
