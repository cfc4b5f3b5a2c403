// SPDX-License-Identifier: Apache-2.0
// Made by rtl/interface/generate.py. Do not edit: change the TOML files there and run it again.
package pagepress.interface

import spinal.core._

/** Every number shared by hardware and software. */
object Interface {
  // Version
  val VERSION_MAJOR = 1 // interface version, major
  val VERSION_MINOR = 4 // interface version, minor
  val VERSION_VALUE = 0x10004 // what VERSION reads as
  val HASH_LOW_VALUE = 0x5aabd41c // what HASH_LOW reads as
  val HASH_HIGH_VALUE = 0x1d2bbdd1 // what HASH_HIGH reads as
  // Identity and limits
  val PCI_VENDOR_ID = 0x5047 // PCI vendor id of the reference card (not assigned by the PCI-SIG: a product replaces it)
  val PCI_DEVICE_ID = 0x5052 // PCI device id of the reference card
  val PCI_CLASS_CODE = 0x120000 // PCI class code: processing accelerator
  val MAGIC_VALUE = 0x52504750 // what MAGIC reads as: the letters PGPR
  val BAR0_BYTES = 0x10000 // size of BAR0, bytes
  val MSIX_TABLE_OFFSET = 0x8000 // MSI-X table in BAR0 (PCIe cards only), byte offset
  val MSIX_PENDING_OFFSET = 0xc000 // MSI-X pending bits in BAR0 (PCIe cards only), byte offset
  val EVENT_VECTOR = 0 // interrupt vector of card and queue errors
  val FIRST_QUEUE_VECTOR = 1 // interrupt vector of queue 0; queue n uses this plus n
  val MAX_QUEUE_PAIRS = 64 // most queue pairs a card may have
  val MAX_DEPTH_LOG2 = 12 // deepest ring a card may offer, log2 of entries; CAPABILITIES says what this card offers
  val MIN_DEPTH_LOG2 = 1 // shallowest ring, log2 of entries
  val RING_ALIGNMENT = 4096 // alignment of ring base addresses, bytes
  val PUSH_ENTRY_BYTES = 36 // bytes of a submission entry that software may push: all but its reserved ones
  val DEFAULT_WEIGHT = 0x1 // WEIGHT of a queue after reset, and the least there is
  val MAX_WEIGHT = 15 // largest WEIGHT of a queue, a power of two less one
  // Opcodes
  val OPCODE_NOP = 0 // completes with SUCCESS, moves nothing
  val OPCODE_COMPRESS = 1 // one page in, one stream out
  val OPCODE_DECOMPRESS = 2 // one stream in, one page out
  // Formats
  val FORMAT_LZO1X = 1 // LZO1X as lzo1x_1, lzo1x_999 and lzo-rle write it; the card writes plain LZO1X
  val FORMAT_COLD = 2 // the cold format (cold.md), of cards with COLD_TABLES: frames of Zstandard with trained tables
  // Submission flags
  val FLAG_SKIP_VERIFY = 0x1 // compress: do not decompress and compare on chip
  val FLAG_CHECK_CRC = 0x2 // decompress: the page's CRC32C must equal expected_crc32c
  // Fatal causes
  val FATAL_NONE = 0 // no error
  val FATAL_DOORBELL_RANGE = 1 // a doorbell named an entry past the ring, a completion that is not there, or a queue that is not enabled
  val FATAL_RING_FETCH = 2 // reading the submission ring failed
  val FATAL_RING_COMPLETE = 3 // writing the completion ring failed
  val FATAL_RING_SETUP = 4 // a queue was enabled with a base address that is 0, not aligned to RING_ALIGNMENT or too high for the bus, or a depth out of range
  val FATAL_ENGINE_STUCK = 5 // an engine broke its contract or made no progress
  // Statuses
  val STATUS_SUCCESS = 0 // output written, length and CRC valid
  val STATUS_SAME_FILLED = 1 // compress: the page repeats detail; nothing written
  val STATUS_INCOMPRESSIBLE = 2 // compress: the stream would exceed destination_capacity; store the page as it is; nothing written
  val STATUS_INVALID_OPCODE = 3 // unknown opcode
  val STATUS_INVALID_FORMAT = 4 // unknown stream format, or one that this card does not have
  val STATUS_INVALID_FLAGS = 5 // an undefined flag or a reserved byte is not 0
  val STATUS_INVALID_LENGTH = 6 // source_length or destination_capacity is out of range
  val STATUS_INVALID_ADDRESS = 7 // an address is zero, or what it is of reaches past the last one that the bus has
  val STATUS_READ_FAULT = 8 // reading the source failed on the bus
  val STATUS_WRITE_FAULT = 9 // writing the destination failed on the bus
  val STATUS_MALFORMED_STREAM = 10 // decompress: not a valid stream of this format, or bytes follow its end mark
  val STATUS_OUTPUT_OVERRUN = 11 // decompress: the stream holds more than one page
  val STATUS_OUTPUT_UNDERRUN = 12 // decompress: the stream ended before the page was full
  val STATUS_CRC_MISMATCH = 13 // decompress: the page's CRC32C is not expected_crc32c
  val STATUS_VERIFY_FAILED = 14 // compress: decompressing the new stream on chip did not give the page back; nothing written
  val STATUS_ABORTED = 15 // the card or the queue was disabled before the command finished
  val STATUS_ENGINE_FAULT = 16 // the engine broke its contract and was taken out of service
  // Registers: CARD
  val CARD_BASE = 0x0 // Identity, control and status of the whole card
  val REGISTER_MAGIC = 0x0 // ro: identifies a Pagepress card
  val REGISTER_VERSION = 0x4 // ro: interface version
  val VERSION_MINOR_SHIFT = 0 // minor version
  val VERSION_MINOR_WIDTH = 16 // bits of VERSION_MINOR
  val VERSION_MINOR_MASK = 0xffff // VERSION_MINOR in place
  val VERSION_MAJOR_SHIFT = 16 // major version
  val VERSION_MAJOR_WIDTH = 16 // bits of VERSION_MAJOR
  val VERSION_MAJOR_MASK = 0xffff0000L // VERSION_MAJOR in place
  val REGISTER_HASH_LOW = 0x8 // ro: interface hash, bits 31..0
  val REGISTER_HASH_HIGH = 0xc // ro: interface hash, bits 63..32
  val REGISTER_CAPABILITIES = 0x10 // ro: what this card was built with
  val CAPABILITIES_PAGE_SHIFT_SHIFT = 0 // log2 of the page size in bytes
  val CAPABILITIES_PAGE_SHIFT_WIDTH = 8 // bits of CAPABILITIES_PAGE_SHIFT
  val CAPABILITIES_PAGE_SHIFT_MASK = 0xff // CAPABILITIES_PAGE_SHIFT in place
  val CAPABILITIES_QUEUE_PAIRS_SHIFT = 8 // queue pairs present
  val CAPABILITIES_QUEUE_PAIRS_WIDTH = 8 // bits of CAPABILITIES_QUEUE_PAIRS
  val CAPABILITIES_QUEUE_PAIRS_MASK = 0xff00 // CAPABILITIES_QUEUE_PAIRS in place
  val CAPABILITIES_MAX_DEPTH_LOG2_SHIFT = 16 // log2 of the deepest ring
  val CAPABILITIES_MAX_DEPTH_LOG2_WIDTH = 8 // bits of CAPABILITIES_MAX_DEPTH_LOG2
  val CAPABILITIES_MAX_DEPTH_LOG2_MASK = 0xff0000 // CAPABILITIES_MAX_DEPTH_LOG2 in place
  val CAPABILITIES_PUSH_SHIFT = 24 // 1: there are windows to push entries through (block PUSH)
  val CAPABILITIES_PUSH_WIDTH = 1 // bits of CAPABILITIES_PUSH
  val CAPABILITIES_PUSH_MASK = 0x1000000 // CAPABILITIES_PUSH in place
  val CAPABILITIES_WEIGHTS_SHIFT = 25 // 1: queues have a WEIGHT; else all count the same
  val CAPABILITIES_WEIGHTS_WIDTH = 1 // bits of CAPABILITIES_WEIGHTS
  val CAPABILITIES_WEIGHTS_MASK = 0x2000000 // CAPABILITIES_WEIGHTS in place
  val CAPABILITIES_COLD_TABLES_SHIFT = 26 // version of the tables of the cold format (cold.md) that this card's engines have; 0: they have none, and COLD is refused as INVALID_FORMAT
  val CAPABILITIES_COLD_TABLES_WIDTH = 6 // bits of CAPABILITIES_COLD_TABLES
  val CAPABILITIES_COLD_TABLES_MASK = 0xfc000000L // CAPABILITIES_COLD_TABLES in place
  val REGISTER_ENGINES = 0x14 // ro: engines present
  val ENGINES_COMPRESSORS_SHIFT = 0 // compressors present
  val ENGINES_COMPRESSORS_WIDTH = 8 // bits of ENGINES_COMPRESSORS
  val ENGINES_COMPRESSORS_MASK = 0xff // ENGINES_COMPRESSORS in place
  val ENGINES_DECOMPRESSORS_SHIFT = 8 // decompressors present
  val ENGINES_DECOMPRESSORS_WIDTH = 8 // bits of ENGINES_DECOMPRESSORS
  val ENGINES_DECOMPRESSORS_MASK = 0xff00 // ENGINES_DECOMPRESSORS in place
  val ENGINES_STREAM_BYTES_SHIFT = 16 // width of the bus, bytes a cycle
  val ENGINES_STREAM_BYTES_WIDTH = 8 // bits of ENGINES_STREAM_BYTES
  val ENGINES_STREAM_BYTES_MASK = 0xff0000 // ENGINES_STREAM_BYTES in place
  val REGISTER_CLOCK = 0x18 // ro: core clock, kilohertz
  val REGISTER_CONTROL = 0x20 // rw: control
  val CONTROL_ENABLE_SHIFT = 0 // 1: run; 0: stop fetching, finish or abort what is in flight, then drop READY. Clears every queue's ENABLE and error on the way to 0. Setting it is ignored while READY is 1
  val CONTROL_ENABLE_WIDTH = 1 // bits of CONTROL_ENABLE
  val CONTROL_ENABLE_MASK = 0x1 // CONTROL_ENABLE in place
  val REGISTER_STATUS = 0x24 // ro: status
  val STATUS_READY_SHIFT = 0 // rises after ENABLE; falls after disable only when no DMA is outstanding
  val STATUS_READY_WIDTH = 1 // bits of STATUS_READY
  val STATUS_READY_MASK = 0x1 // STATUS_READY in place
  val STATUS_FATAL_SHIFT = 1 // the card stopped by itself; FATAL_CAUSE says why; cleared by disable
  val STATUS_FATAL_WIDTH = 1 // bits of STATUS_FATAL
  val STATUS_FATAL_MASK = 0x2 // STATUS_FATAL in place
  val STATUS_BUSY_SHIFT = 2 // commands are in flight
  val STATUS_BUSY_WIDTH = 1 // bits of STATUS_BUSY
  val STATUS_BUSY_MASK = 0x4 // STATUS_BUSY in place
  val REGISTER_FATAL_CAUSE = 0x28 // ro: why FATAL is set (fatal_causes)
  // Registers: QUEUE
  val QUEUE_BASE = 0x1000 // One block a queue pair. Base, depth and moderation may change only while QUEUE_STATUS.ACTIVE is 0
  val QUEUE_STRIDE = 0x40 // bytes from one copy to the next
  val QUEUE_COUNT = 64 // copies
  val REGISTER_SUBMISSION_BASE_LOW = 0x0 // rw: submission ring bus address, bits 31..0
  val REGISTER_SUBMISSION_BASE_HIGH = 0x4 // rw: submission ring bus address, bits 63..32
  val REGISTER_COMPLETION_BASE_LOW = 0x8 // rw: completion ring bus address, bits 31..0
  val REGISTER_COMPLETION_BASE_HIGH = 0xc // rw: completion ring bus address, bits 63..32
  val REGISTER_DEPTH_LOG2 = 0x10 // rw: log2 of the entries of both rings; above 31 reads back as 31
  val REGISTER_MODERATION = 0x14 // rw: interrupt when either limit is reached
  val MODERATION_COUNT_SHIFT = 0 // completions waiting; 0 and 1 mean each
  val MODERATION_COUNT_WIDTH = 16 // bits of MODERATION_COUNT
  val MODERATION_COUNT_MASK = 0xffff // MODERATION_COUNT in place
  val MODERATION_CYCLES_SHIFT = 16 // age of the oldest completion, or of the last acknowledgement, in units of 16 core clock cycles; 0 means at once
  val MODERATION_CYCLES_WIDTH = 16 // bits of MODERATION_CYCLES
  val MODERATION_CYCLES_MASK = 0xffff0000L // MODERATION_CYCLES in place
  val REGISTER_QUEUE_CONTROL = 0x18 // rw: queue control
  val QUEUE_CONTROL_ENABLE_SHIFT = 0 // 1: start with both rings empty and phase 1, ignored while ACTIVE is 1 or the card is not enabled; 0: stop fetching, drain, then drop ACTIVE
  val QUEUE_CONTROL_ENABLE_WIDTH = 1 // bits of QUEUE_CONTROL_ENABLE
  val QUEUE_CONTROL_ENABLE_MASK = 0x1 // QUEUE_CONTROL_ENABLE in place
  val REGISTER_QUEUE_STATUS = 0x1c // ro: queue status
  val QUEUE_STATUS_ACTIVE_SHIFT = 0 // the queue is enabled or still has commands in flight
  val QUEUE_STATUS_ACTIVE_WIDTH = 1 // bits of QUEUE_STATUS_ACTIVE
  val QUEUE_STATUS_ACTIVE_MASK = 0x1 // QUEUE_STATUS_ACTIVE in place
  val QUEUE_STATUS_ERROR_SHIFT = 1 // the queue stopped by itself; CAUSE says why; cleared by disabling it
  val QUEUE_STATUS_ERROR_WIDTH = 1 // bits of QUEUE_STATUS_ERROR
  val QUEUE_STATUS_ERROR_MASK = 0x2 // QUEUE_STATUS_ERROR in place
  val QUEUE_STATUS_CAUSE_SHIFT = 8 // why ERROR is set (fatal_causes)
  val QUEUE_STATUS_CAUSE_WIDTH = 8 // bits of QUEUE_STATUS_CAUSE
  val QUEUE_STATUS_CAUSE_MASK = 0xff00 // QUEUE_STATUS_CAUSE in place
  val REGISTER_SUBMISSION_HEAD = 0x20 // ro: next submission entry the card will fetch
  val REGISTER_COMPLETION_TAIL = 0x24 // ro: next completion entry the card will write
  val REGISTER_WEIGHT = 0x28 // rw: of cards with WEIGHTS: how many commands the queue begins for one that a queue of weight 1 begins, while both always have commands of a kind waiting; compress and decompress are shared apart. 1 to MAX_WEIGHT: 0 reads back as 1, more as MAX_WEIGHT. May change at any time; only a reset of the card makes it DEFAULT_WEIGHT
  // Registers: DOORBELL
  val DOORBELL_BASE = 0x2000 // Doorbells. A ring is empty when head equals tail, full one entry before that
  val DOORBELL_STRIDE = 0x8 // bytes from one copy to the next
  val DOORBELL_COUNT = 64 // copies
  val REGISTER_SUBMISSION_TAIL = 0x0 // wo: index after the last submission entry written by software
  val REGISTER_COMPLETION_HEAD = 0x4 // wo: index of the next completion entry software will read; also acknowledges the queue's interrupt
  // Registers: PUSH
  val PUSH_BASE = 0x4000 // Windows of cards with PUSH: a copy of the submission entry that the next doorbell is for, which is in the ring all the same. The card keeps the copy that was begun last; it fetches the entry if that is cut short, out of order, or not of the entry it would fetch next
  val PUSH_STRIDE = 0x40 // bytes from one copy to the next
  val PUSH_COUNT = 64 // copies
  val REGISTER_PUSH_BEGIN = 0x0 // wo: begins a copy; all of it is written in the order of addresses
  val PUSH_BEGIN_NUMBER_SHIFT = 0 // submission entries before this one since the queue was enabled, modulo 65536
  val PUSH_BEGIN_NUMBER_WIDTH = 16 // bits of PUSH_BEGIN_NUMBER
  val PUSH_BEGIN_NUMBER_MASK = 0xffff // PUSH_BEGIN_NUMBER in place
  val REGISTER_PUSH_ENTRY = 0x4 // wo: first of PUSH_ENTRY_BYTES bytes of the entry; its reserved bytes count as 0
  val REGISTER_PUSH_END = 0x28 // wo: ends the copy, and must be the same as PUSH_BEGIN; what is written behind it is ignored
  // Counters
  val COUNTER_BASE = 0x100 // byte offset of counter 0 in BAR0
  val COUNTER_COUNT = 19 // counters present
  val COUNTER_CYCLES = 0 // core clock cycles while the card was enabled (cycles)
  val COUNTER_COMMANDS = 1 // submission entries taken from their rings (commands)
  val COUNTER_COMPLETIONS = 2 // completion entries written (commands)
  val COUNTER_INTERRUPTS = 3 // interrupts raised (interrupts)
  val COUNTER_DOORBELLS = 4 // submission doorbells accepted (writes)
  val COUNTER_PAGES_COMPRESSED = 5 // COMPRESS commands that ended SUCCESS (pages)
  val COUNTER_PAGES_SAME_FILLED = 6 // COMPRESS commands that ended SAME_FILLED (pages)
  val COUNTER_PAGES_INCOMPRESSIBLE = 7 // COMPRESS commands that ended INCOMPRESSIBLE (pages)
  val COUNTER_PAGES_DECOMPRESSED = 8 // DECOMPRESS commands that ended SUCCESS (pages)
  val COUNTER_COMPRESS_BYTES_IN = 9 // plain bytes of PAGES_COMPRESSED (bytes)
  val COUNTER_COMPRESS_BYTES_OUT = 10 // stream bytes of PAGES_COMPRESSED (bytes)
  val COUNTER_DECOMPRESS_BYTES_IN = 11 // stream bytes of PAGES_DECOMPRESSED (bytes)
  val COUNTER_DECOMPRESS_BYTES_OUT = 12 // plain bytes of PAGES_DECOMPRESSED (bytes)
  val COUNTER_COMPRESS_BUSY_CYCLES = 13 // cycles with at least one COMPRESS command in an engine (cycles)
  val COUNTER_DECOMPRESS_BUSY_CYCLES = 14 // cycles with at least one DECOMPRESS command in an engine (cycles)
  val COUNTER_VERIFY_FAILURES = 15 // COMPRESS commands that ended VERIFY_FAILED (pages)
  val COUNTER_COMMANDS_REFUSED = 16 // commands that ended with a status of kind refused (commands)
  val COUNTER_COMMANDS_FAILED = 17 // commands that ended with a status of kind failed (commands)
  val COUNTER_COMMANDS_PUSHED = 18 // COMMANDS that were taken from a PUSH window, not fetched (commands)
  // Descriptors
  val SUBMISSION_ENTRY_BYTES = 64 // one command, written by software
  val SUBMISSION_ENTRY_OPCODE_OFFSET = 0x0 // byte offset of opcode
  val SUBMISSION_ENTRY_FORMAT_OFFSET = 0x1 // byte offset of format
  val SUBMISSION_ENTRY_FLAGS_OFFSET = 0x2 // byte offset of flags
  val SUBMISSION_ENTRY_TAG_OFFSET = 0x4 // byte offset of tag
  val SUBMISSION_ENTRY_SOURCE_ADDRESS_OFFSET = 0x8 // byte offset of source_address
  val SUBMISSION_ENTRY_DESTINATION_ADDRESS_OFFSET = 0x10 // byte offset of destination_address
  val SUBMISSION_ENTRY_SOURCE_LENGTH_OFFSET = 0x18 // byte offset of source_length
  val SUBMISSION_ENTRY_DESTINATION_CAPACITY_OFFSET = 0x1c // byte offset of destination_capacity
  val SUBMISSION_ENTRY_EXPECTED_CRC32C_OFFSET = 0x20 // byte offset of expected_crc32c
  val SUBMISSION_ENTRY_RESERVED_OFFSET = 0x24 // byte offset of reserved
  val COMPLETION_ENTRY_BYTES = 32 // one result, written by the card in one burst, phase last
  val COMPLETION_ENTRY_DETAIL_OFFSET = 0x0 // byte offset of detail
  val COMPLETION_ENTRY_PRODUCED_LENGTH_OFFSET = 0x8 // byte offset of produced_length
  val COMPLETION_ENTRY_CRC32C_OFFSET = 0xc // byte offset of crc32c
  val COMPLETION_ENTRY_ENGINE_CYCLES_OFFSET = 0x10 // byte offset of engine_cycles
  val COMPLETION_ENTRY_SUBMISSION_HEAD_OFFSET = 0x14 // byte offset of submission_head
  val COMPLETION_ENTRY_RESERVED_OFFSET = 0x16 // byte offset of reserved
  val COMPLETION_ENTRY_TAG_OFFSET = 0x18 // byte offset of tag
  val COMPLETION_ENTRY_STATUS_OFFSET = 0x1c // byte offset of status
  val COMPLETION_ENTRY_RESERVED2_OFFSET = 0x1d // byte offset of reserved2
  val COMPLETION_ENTRY_PHASE_OFFSET = 0x1f // byte offset of phase
  // Registers: pagepress_kernel
  val pagepress_kernel_BASE = 0x0 // Kernel for AMD's XRT
  val REGISTER_RUN_CONTROL = 0x0 // rw: the handshake ap_ctrl_hs
  val RUN_CONTROL_START_SHIFT = 0 // 1: begin a run, ignored while one is under way; reads 1 until its arguments may be written again, which is at its end
  val RUN_CONTROL_START_WIDTH = 1 // bits of RUN_CONTROL_START
  val RUN_CONTROL_START_MASK = 0x1 // RUN_CONTROL_START in place
  val RUN_CONTROL_DONE_SHIFT = 1 // a run has ended; cleared by reading
  val RUN_CONTROL_DONE_WIDTH = 1 // bits of RUN_CONTROL_DONE
  val RUN_CONTROL_DONE_MASK = 0x2 // RUN_CONTROL_DONE in place
  val RUN_CONTROL_IDLE_SHIFT = 2 // no run is under way
  val RUN_CONTROL_IDLE_WIDTH = 1 // bits of RUN_CONTROL_IDLE
  val RUN_CONTROL_IDLE_MASK = 0x4 // RUN_CONTROL_IDLE in place
  val RUN_CONTROL_READY_SHIFT = 3 // the same as DONE
  val RUN_CONTROL_READY_WIDTH = 1 // bits of RUN_CONTROL_READY
  val RUN_CONTROL_READY_MASK = 0x8 // RUN_CONTROL_READY in place
  val REGISTER_INTERRUPT_GLOBAL = 0x4 // rw: 1: the interrupt port is the OR of what INTERRUPT_ENABLE lets through
  val REGISTER_INTERRUPT_ENABLE = 0x8 // rw: bits of INTERRUPT_STATUS that interrupt
  val REGISTER_INTERRUPT_STATUS = 0xc // rw: what would interrupt
  val INTERRUPT_STATUS_DONE_SHIFT = 0 // a run has ended while this was enabled; writing 1 turns it over
  val INTERRUPT_STATUS_DONE_WIDTH = 1 // bits of INTERRUPT_STATUS_DONE
  val INTERRUPT_STATUS_DONE_MASK = 0x1 // INTERRUPT_STATUS_DONE in place
  val INTERRUPT_STATUS_READY_SHIFT = 1 // the same
  val INTERRUPT_STATUS_READY_WIDTH = 1 // bits of INTERRUPT_STATUS_READY
  val INTERRUPT_STATUS_READY_MASK = 0x2 // INTERRUPT_STATUS_READY in place
  val INTERRUPT_STATUS_CORE_SHIFT = 2 // an interrupt level of the core is high and no run is under way; read-only
  val INTERRUPT_STATUS_CORE_WIDTH = 1 // bits of INTERRUPT_STATUS_CORE
  val INTERRUPT_STATUS_CORE_MASK = 0x4 // INTERRUPT_STATUS_CORE in place
  val REGISTER_RUN_CAUSE = 0x30 // ro: why the last run ended before its last command (fatal_causes); its commands without a completion were not carried out or not finished
  // Kernel for XRT
  val KERNEL_ADDRESS_BYTES = 65536 // size of its control port's address space
  val KERNEL_CORE_WINDOW = 0x8000 // byte offset there of the core's registers, the lower half of BAR0
  val KERNEL_MEMORY_BITS = 0x200 // data width of its memory port
  val KERNEL_ARGUMENT_SUBMISSIONS = 0x0 // SubmissionEntry of each command, aligned to RING_ALIGNMENT; addresses in them are the memory's
  val KERNEL_ARGUMENT_SUBMISSIONS_OFFSET = 0x10 // byte offset of submissions on the control port
  val KERNEL_ARGUMENT_COMPLETIONS = 0x1 // room for a CompletionEntry of each command, aligned to RING_ALIGNMENT; entries stand in the order in which commands end, with phase 1
  val KERNEL_ARGUMENT_COMPLETIONS_OFFSET = 0x1c // byte offset of completions on the control port
  val KERNEL_ARGUMENT_COUNT = 2 // commands, at most one less than the deepest ring has entries
  val KERNEL_ARGUMENT_COUNT_OFFSET = 0x28 // byte offset of count on the control port
  /** Counter names in index order. */
  val counterNames: Seq[String] = Seq("cycles", "commands", "completions", "interrupts", "doorbells", "pages_compressed", "pages_same_filled", "pages_incompressible", "pages_decompressed", "compress_bytes_in", "compress_bytes_out", "decompress_bytes_in", "decompress_bytes_out", "compress_busy_cycles", "decompress_busy_cycles", "verify_failures", "commands_refused", "commands_failed", "commands_pushed")
  /** Statuses of kind done. */
  val doneStatuses: Seq[Int] = Seq(0, 1, 2)
  /** Statuses of kind refused. */
  val refusedStatuses: Seq[Int] = Seq(3, 4, 5, 6, 7)
  /** Statuses of kind failed. */
  val failedStatuses: Seq[Int] = Seq(8, 9, 10, 11, 12, 13, 14, 15, 16)
}

/** one command, written by software */
case class SubmissionEntry() extends Bundle {
  val opcode = Bits(8 bits) // operation (opcodes)
  val format = Bits(8 bits) // stream format (formats); ignored by NOP
  val flags = Bits(16 bits) // flags; undefined bits are 0
  val tag = Bits(32 bits) // returned in the completion, not interpreted
  val sourceAddress = Bits(64 bits) // bus address of the input, of any alignment
  val destinationAddress = Bits(64 bits) // bus address of the output, of any alignment
  val sourceLength = Bits(32 bits) // bytes of input: one page for COMPRESS, 1 to two pages for DECOMPRESS
  val destinationCapacity = Bits(32 bits) // most bytes of output: 1 to one page for COMPRESS, one page for DECOMPRESS
  val expectedCrc32c = Bits(32 bits) // CRC32C of the plain page, checked under CHECK_CRC
  val reserved = Bits(224 bits) // 0
  assert(getBitsWidth == 64 * 8)
}

/** one result, written by the card in one burst, phase last */
case class CompletionEntry() extends Bundle {
  val detail = Bits(64 bits) // SAME_FILLED: the 8 bytes the page repeats; SUCCESS of COMPRESS: CRC32C of the stream as it was verified; else 0
  val producedLength = Bits(32 bits) // bytes of output written
  val crc32c = Bits(32 bits) // CRC32C of the plain page
  val engineCycles = Bits(32 bits) // core clock cycles from dispatch to result
  val submissionHead = Bits(16 bits) // entries before this index have been fetched and may be overwritten
  val reserved = Bits(16 bits) // 0
  val tag = Bits(32 bits) // tag of the submission
  val status = Bits(8 bits) // result (statuses)
  val reserved2 = Bits(16 bits) // 0
  val phase = Bits(8 bits) // 1 on the first pass over the ring, 0 on the second, and so on
  assert(getBitsWidth == 32 * 8)
}
