# SPDX-License-Identifier: Apache-2.0
# Made by rtl/interface/generate.py. Do not edit: change the TOML files there and run it again.
"""Every number shared by hardware and software."""

import struct
from dataclasses import dataclass

# Version
VERSION_MAJOR = 1  # interface version, major
VERSION_MINOR = 4  # interface version, minor
VERSION_VALUE = 0x10004  # what VERSION reads as
HASH_LOW_VALUE = 0x5aabd41c  # what HASH_LOW reads as
HASH_HIGH_VALUE = 0x1d2bbdd1  # what HASH_HIGH reads as

# Identity and limits
PCI_VENDOR_ID = 0x5047  # PCI vendor id of the reference card (not assigned by the PCI-SIG: a product replaces it)
PCI_DEVICE_ID = 0x5052  # PCI device id of the reference card
PCI_CLASS_CODE = 0x120000  # PCI class code: processing accelerator
MAGIC_VALUE = 0x52504750  # what MAGIC reads as: the letters PGPR
BAR0_BYTES = 0x10000  # size of BAR0, bytes
MSIX_TABLE_OFFSET = 0x8000  # MSI-X table in BAR0 (PCIe cards only), byte offset
MSIX_PENDING_OFFSET = 0xc000  # MSI-X pending bits in BAR0 (PCIe cards only), byte offset
EVENT_VECTOR = 0  # interrupt vector of card and queue errors
FIRST_QUEUE_VECTOR = 1  # interrupt vector of queue 0; queue n uses this plus n
MAX_QUEUE_PAIRS = 64  # most queue pairs a card may have
MAX_DEPTH_LOG2 = 12  # deepest ring a card may offer, log2 of entries; CAPABILITIES says what this card offers
MIN_DEPTH_LOG2 = 1  # shallowest ring, log2 of entries
RING_ALIGNMENT = 4096  # alignment of ring base addresses, bytes
PUSH_ENTRY_BYTES = 36  # bytes of a submission entry that software may push: all but its reserved ones
DEFAULT_WEIGHT = 0x1  # WEIGHT of a queue after reset, and the least there is
MAX_WEIGHT = 15  # largest WEIGHT of a queue, a power of two less one

# Opcodes
OPCODE_NOP = 0  # completes with SUCCESS, moves nothing
OPCODE_COMPRESS = 1  # one page in, one stream out
OPCODE_DECOMPRESS = 2  # one stream in, one page out

# Formats
FORMAT_LZO1X = 1  # LZO1X as lzo1x_1, lzo1x_999 and lzo-rle write it; the card writes plain LZO1X
FORMAT_COLD = 2  # the cold format (cold.md), of cards with COLD_TABLES: frames of Zstandard with trained tables

# Submission flags
FLAG_SKIP_VERIFY = 0x1  # compress: do not decompress and compare on chip
FLAG_CHECK_CRC = 0x2  # decompress: the page's CRC32C must equal expected_crc32c

# Fatal causes
FATAL_NONE = 0  # no error
FATAL_DOORBELL_RANGE = 1  # a doorbell named an entry past the ring, a completion that is not there, or a queue that is not enabled
FATAL_RING_FETCH = 2  # reading the submission ring failed
FATAL_RING_COMPLETE = 3  # writing the completion ring failed
FATAL_RING_SETUP = 4  # a queue was enabled with a base address that is 0, not aligned to RING_ALIGNMENT or too high for the bus, or a depth out of range
FATAL_ENGINE_STUCK = 5  # an engine broke its contract or made no progress

# Statuses
STATUS_SUCCESS = 0  # output written, length and CRC valid
STATUS_SAME_FILLED = 1  # compress: the page repeats detail; nothing written
STATUS_INCOMPRESSIBLE = 2  # compress: the stream would exceed destination_capacity; store the page as it is; nothing written
STATUS_INVALID_OPCODE = 3  # unknown opcode
STATUS_INVALID_FORMAT = 4  # unknown stream format, or one that this card does not have
STATUS_INVALID_FLAGS = 5  # an undefined flag or a reserved byte is not 0
STATUS_INVALID_LENGTH = 6  # source_length or destination_capacity is out of range
STATUS_INVALID_ADDRESS = 7  # an address is zero, or what it is of reaches past the last one that the bus has
STATUS_READ_FAULT = 8  # reading the source failed on the bus
STATUS_WRITE_FAULT = 9  # writing the destination failed on the bus
STATUS_MALFORMED_STREAM = 10  # decompress: not a valid stream of this format, or bytes follow its end mark
STATUS_OUTPUT_OVERRUN = 11  # decompress: the stream holds more than one page
STATUS_OUTPUT_UNDERRUN = 12  # decompress: the stream ended before the page was full
STATUS_CRC_MISMATCH = 13  # decompress: the page's CRC32C is not expected_crc32c
STATUS_VERIFY_FAILED = 14  # compress: decompressing the new stream on chip did not give the page back; nothing written
STATUS_ABORTED = 15  # the card or the queue was disabled before the command finished
STATUS_ENGINE_FAULT = 16  # the engine broke its contract and was taken out of service

# Registers: CARD
CARD_BASE = 0x0  # Identity, control and status of the whole card
REGISTER_MAGIC = 0x0  # ro: identifies a Pagepress card
REGISTER_VERSION = 0x4  # ro: interface version
VERSION_MINOR_SHIFT = 0  # minor version
VERSION_MINOR_WIDTH = 16  # bits of VERSION_MINOR
VERSION_MINOR_MASK = 0xffff  # VERSION_MINOR in place
VERSION_MAJOR_SHIFT = 16  # major version
VERSION_MAJOR_WIDTH = 16  # bits of VERSION_MAJOR
VERSION_MAJOR_MASK = 0xffff0000  # VERSION_MAJOR in place
REGISTER_HASH_LOW = 0x8  # ro: interface hash, bits 31..0
REGISTER_HASH_HIGH = 0xc  # ro: interface hash, bits 63..32
REGISTER_CAPABILITIES = 0x10  # ro: what this card was built with
CAPABILITIES_PAGE_SHIFT_SHIFT = 0  # log2 of the page size in bytes
CAPABILITIES_PAGE_SHIFT_WIDTH = 8  # bits of CAPABILITIES_PAGE_SHIFT
CAPABILITIES_PAGE_SHIFT_MASK = 0xff  # CAPABILITIES_PAGE_SHIFT in place
CAPABILITIES_QUEUE_PAIRS_SHIFT = 8  # queue pairs present
CAPABILITIES_QUEUE_PAIRS_WIDTH = 8  # bits of CAPABILITIES_QUEUE_PAIRS
CAPABILITIES_QUEUE_PAIRS_MASK = 0xff00  # CAPABILITIES_QUEUE_PAIRS in place
CAPABILITIES_MAX_DEPTH_LOG2_SHIFT = 16  # log2 of the deepest ring
CAPABILITIES_MAX_DEPTH_LOG2_WIDTH = 8  # bits of CAPABILITIES_MAX_DEPTH_LOG2
CAPABILITIES_MAX_DEPTH_LOG2_MASK = 0xff0000  # CAPABILITIES_MAX_DEPTH_LOG2 in place
CAPABILITIES_PUSH_SHIFT = 24  # 1: there are windows to push entries through (block PUSH)
CAPABILITIES_PUSH_WIDTH = 1  # bits of CAPABILITIES_PUSH
CAPABILITIES_PUSH_MASK = 0x1000000  # CAPABILITIES_PUSH in place
CAPABILITIES_WEIGHTS_SHIFT = 25  # 1: queues have a WEIGHT; else all count the same
CAPABILITIES_WEIGHTS_WIDTH = 1  # bits of CAPABILITIES_WEIGHTS
CAPABILITIES_WEIGHTS_MASK = 0x2000000  # CAPABILITIES_WEIGHTS in place
CAPABILITIES_COLD_TABLES_SHIFT = 26  # version of the tables of the cold format (cold.md) that this card's engines have; 0: they have none, and COLD is refused as INVALID_FORMAT
CAPABILITIES_COLD_TABLES_WIDTH = 6  # bits of CAPABILITIES_COLD_TABLES
CAPABILITIES_COLD_TABLES_MASK = 0xfc000000  # CAPABILITIES_COLD_TABLES in place
REGISTER_ENGINES = 0x14  # ro: engines present
ENGINES_COMPRESSORS_SHIFT = 0  # compressors present
ENGINES_COMPRESSORS_WIDTH = 8  # bits of ENGINES_COMPRESSORS
ENGINES_COMPRESSORS_MASK = 0xff  # ENGINES_COMPRESSORS in place
ENGINES_DECOMPRESSORS_SHIFT = 8  # decompressors present
ENGINES_DECOMPRESSORS_WIDTH = 8  # bits of ENGINES_DECOMPRESSORS
ENGINES_DECOMPRESSORS_MASK = 0xff00  # ENGINES_DECOMPRESSORS in place
ENGINES_STREAM_BYTES_SHIFT = 16  # width of the bus, bytes a cycle
ENGINES_STREAM_BYTES_WIDTH = 8  # bits of ENGINES_STREAM_BYTES
ENGINES_STREAM_BYTES_MASK = 0xff0000  # ENGINES_STREAM_BYTES in place
REGISTER_CLOCK = 0x18  # ro: core clock, kilohertz
REGISTER_CONTROL = 0x20  # rw: control
CONTROL_ENABLE_SHIFT = 0  # 1: run; 0: stop fetching, finish or abort what is in flight, then drop READY. Clears every queue's ENABLE and error on the way to 0. Setting it is ignored while READY is 1
CONTROL_ENABLE_WIDTH = 1  # bits of CONTROL_ENABLE
CONTROL_ENABLE_MASK = 0x1  # CONTROL_ENABLE in place
REGISTER_STATUS = 0x24  # ro: status
STATUS_READY_SHIFT = 0  # rises after ENABLE; falls after disable only when no DMA is outstanding
STATUS_READY_WIDTH = 1  # bits of STATUS_READY
STATUS_READY_MASK = 0x1  # STATUS_READY in place
STATUS_FATAL_SHIFT = 1  # the card stopped by itself; FATAL_CAUSE says why; cleared by disable
STATUS_FATAL_WIDTH = 1  # bits of STATUS_FATAL
STATUS_FATAL_MASK = 0x2  # STATUS_FATAL in place
STATUS_BUSY_SHIFT = 2  # commands are in flight
STATUS_BUSY_WIDTH = 1  # bits of STATUS_BUSY
STATUS_BUSY_MASK = 0x4  # STATUS_BUSY in place
REGISTER_FATAL_CAUSE = 0x28  # ro: why FATAL is set (fatal_causes)

# Registers: QUEUE
QUEUE_BASE = 0x1000  # One block a queue pair. Base, depth and moderation may change only while QUEUE_STATUS.ACTIVE is 0
QUEUE_STRIDE = 0x40  # bytes from one copy to the next
QUEUE_COUNT = 64  # copies
REGISTER_SUBMISSION_BASE_LOW = 0x0  # rw: submission ring bus address, bits 31..0
REGISTER_SUBMISSION_BASE_HIGH = 0x4  # rw: submission ring bus address, bits 63..32
REGISTER_COMPLETION_BASE_LOW = 0x8  # rw: completion ring bus address, bits 31..0
REGISTER_COMPLETION_BASE_HIGH = 0xc  # rw: completion ring bus address, bits 63..32
REGISTER_DEPTH_LOG2 = 0x10  # rw: log2 of the entries of both rings; above 31 reads back as 31
REGISTER_MODERATION = 0x14  # rw: interrupt when either limit is reached
MODERATION_COUNT_SHIFT = 0  # completions waiting; 0 and 1 mean each
MODERATION_COUNT_WIDTH = 16  # bits of MODERATION_COUNT
MODERATION_COUNT_MASK = 0xffff  # MODERATION_COUNT in place
MODERATION_CYCLES_SHIFT = 16  # age of the oldest completion, or of the last acknowledgement, in units of 16 core clock cycles; 0 means at once
MODERATION_CYCLES_WIDTH = 16  # bits of MODERATION_CYCLES
MODERATION_CYCLES_MASK = 0xffff0000  # MODERATION_CYCLES in place
REGISTER_QUEUE_CONTROL = 0x18  # rw: queue control
QUEUE_CONTROL_ENABLE_SHIFT = 0  # 1: start with both rings empty and phase 1, ignored while ACTIVE is 1 or the card is not enabled; 0: stop fetching, drain, then drop ACTIVE
QUEUE_CONTROL_ENABLE_WIDTH = 1  # bits of QUEUE_CONTROL_ENABLE
QUEUE_CONTROL_ENABLE_MASK = 0x1  # QUEUE_CONTROL_ENABLE in place
REGISTER_QUEUE_STATUS = 0x1c  # ro: queue status
QUEUE_STATUS_ACTIVE_SHIFT = 0  # the queue is enabled or still has commands in flight
QUEUE_STATUS_ACTIVE_WIDTH = 1  # bits of QUEUE_STATUS_ACTIVE
QUEUE_STATUS_ACTIVE_MASK = 0x1  # QUEUE_STATUS_ACTIVE in place
QUEUE_STATUS_ERROR_SHIFT = 1  # the queue stopped by itself; CAUSE says why; cleared by disabling it
QUEUE_STATUS_ERROR_WIDTH = 1  # bits of QUEUE_STATUS_ERROR
QUEUE_STATUS_ERROR_MASK = 0x2  # QUEUE_STATUS_ERROR in place
QUEUE_STATUS_CAUSE_SHIFT = 8  # why ERROR is set (fatal_causes)
QUEUE_STATUS_CAUSE_WIDTH = 8  # bits of QUEUE_STATUS_CAUSE
QUEUE_STATUS_CAUSE_MASK = 0xff00  # QUEUE_STATUS_CAUSE in place
REGISTER_SUBMISSION_HEAD = 0x20  # ro: next submission entry the card will fetch
REGISTER_COMPLETION_TAIL = 0x24  # ro: next completion entry the card will write
REGISTER_WEIGHT = 0x28  # rw: of cards with WEIGHTS: how many commands the queue begins for one that a queue of weight 1 begins, while both always have commands of a kind waiting; compress and decompress are shared apart. 1 to MAX_WEIGHT: 0 reads back as 1, more as MAX_WEIGHT. May change at any time; only a reset of the card makes it DEFAULT_WEIGHT

# Registers: DOORBELL
DOORBELL_BASE = 0x2000  # Doorbells. A ring is empty when head equals tail, full one entry before that
DOORBELL_STRIDE = 0x8  # bytes from one copy to the next
DOORBELL_COUNT = 64  # copies
REGISTER_SUBMISSION_TAIL = 0x0  # wo: index after the last submission entry written by software
REGISTER_COMPLETION_HEAD = 0x4  # wo: index of the next completion entry software will read; also acknowledges the queue's interrupt

# Registers: PUSH
PUSH_BASE = 0x4000  # Windows of cards with PUSH: a copy of the submission entry that the next doorbell is for, which is in the ring all the same. The card keeps the copy that was begun last; it fetches the entry if that is cut short, out of order, or not of the entry it would fetch next
PUSH_STRIDE = 0x40  # bytes from one copy to the next
PUSH_COUNT = 64  # copies
REGISTER_PUSH_BEGIN = 0x0  # wo: begins a copy; all of it is written in the order of addresses
PUSH_BEGIN_NUMBER_SHIFT = 0  # submission entries before this one since the queue was enabled, modulo 65536
PUSH_BEGIN_NUMBER_WIDTH = 16  # bits of PUSH_BEGIN_NUMBER
PUSH_BEGIN_NUMBER_MASK = 0xffff  # PUSH_BEGIN_NUMBER in place
REGISTER_PUSH_ENTRY = 0x4  # wo: first of PUSH_ENTRY_BYTES bytes of the entry; its reserved bytes count as 0
REGISTER_PUSH_END = 0x28  # wo: ends the copy, and must be the same as PUSH_BEGIN; what is written behind it is ignored

# Counters
COUNTER_BASE = 0x100  # byte offset of counter 0 in BAR0
COUNTER_COUNT = 19  # counters present
COUNTER_CYCLES = 0  # core clock cycles while the card was enabled (cycles)
COUNTER_COMMANDS = 1  # submission entries taken from their rings (commands)
COUNTER_COMPLETIONS = 2  # completion entries written (commands)
COUNTER_INTERRUPTS = 3  # interrupts raised (interrupts)
COUNTER_DOORBELLS = 4  # submission doorbells accepted (writes)
COUNTER_PAGES_COMPRESSED = 5  # COMPRESS commands that ended SUCCESS (pages)
COUNTER_PAGES_SAME_FILLED = 6  # COMPRESS commands that ended SAME_FILLED (pages)
COUNTER_PAGES_INCOMPRESSIBLE = 7  # COMPRESS commands that ended INCOMPRESSIBLE (pages)
COUNTER_PAGES_DECOMPRESSED = 8  # DECOMPRESS commands that ended SUCCESS (pages)
COUNTER_COMPRESS_BYTES_IN = 9  # plain bytes of PAGES_COMPRESSED (bytes)
COUNTER_COMPRESS_BYTES_OUT = 10  # stream bytes of PAGES_COMPRESSED (bytes)
COUNTER_DECOMPRESS_BYTES_IN = 11  # stream bytes of PAGES_DECOMPRESSED (bytes)
COUNTER_DECOMPRESS_BYTES_OUT = 12  # plain bytes of PAGES_DECOMPRESSED (bytes)
COUNTER_COMPRESS_BUSY_CYCLES = 13  # cycles with at least one COMPRESS command in an engine (cycles)
COUNTER_DECOMPRESS_BUSY_CYCLES = 14  # cycles with at least one DECOMPRESS command in an engine (cycles)
COUNTER_VERIFY_FAILURES = 15  # COMPRESS commands that ended VERIFY_FAILED (pages)
COUNTER_COMMANDS_REFUSED = 16  # commands that ended with a status of kind refused (commands)
COUNTER_COMMANDS_FAILED = 17  # commands that ended with a status of kind failed (commands)
COUNTER_COMMANDS_PUSHED = 18  # COMMANDS that were taken from a PUSH window, not fetched (commands)

# Descriptors
SUBMISSION_ENTRY_BYTES = 64  # one command, written by software
SUBMISSION_ENTRY_OPCODE_OFFSET = 0x0  # byte offset of opcode
SUBMISSION_ENTRY_FORMAT_OFFSET = 0x1  # byte offset of format
SUBMISSION_ENTRY_FLAGS_OFFSET = 0x2  # byte offset of flags
SUBMISSION_ENTRY_TAG_OFFSET = 0x4  # byte offset of tag
SUBMISSION_ENTRY_SOURCE_ADDRESS_OFFSET = 0x8  # byte offset of source_address
SUBMISSION_ENTRY_DESTINATION_ADDRESS_OFFSET = 0x10  # byte offset of destination_address
SUBMISSION_ENTRY_SOURCE_LENGTH_OFFSET = 0x18  # byte offset of source_length
SUBMISSION_ENTRY_DESTINATION_CAPACITY_OFFSET = 0x1c  # byte offset of destination_capacity
SUBMISSION_ENTRY_EXPECTED_CRC32C_OFFSET = 0x20  # byte offset of expected_crc32c
SUBMISSION_ENTRY_RESERVED_OFFSET = 0x24  # byte offset of reserved
COMPLETION_ENTRY_BYTES = 32  # one result, written by the card in one burst, phase last
COMPLETION_ENTRY_DETAIL_OFFSET = 0x0  # byte offset of detail
COMPLETION_ENTRY_PRODUCED_LENGTH_OFFSET = 0x8  # byte offset of produced_length
COMPLETION_ENTRY_CRC32C_OFFSET = 0xc  # byte offset of crc32c
COMPLETION_ENTRY_ENGINE_CYCLES_OFFSET = 0x10  # byte offset of engine_cycles
COMPLETION_ENTRY_SUBMISSION_HEAD_OFFSET = 0x14  # byte offset of submission_head
COMPLETION_ENTRY_RESERVED_OFFSET = 0x16  # byte offset of reserved
COMPLETION_ENTRY_TAG_OFFSET = 0x18  # byte offset of tag
COMPLETION_ENTRY_STATUS_OFFSET = 0x1c  # byte offset of status
COMPLETION_ENTRY_RESERVED2_OFFSET = 0x1d  # byte offset of reserved2
COMPLETION_ENTRY_PHASE_OFFSET = 0x1f  # byte offset of phase

# Registers: pagepress_kernel
pagepress_kernel_BASE = 0x0  # Kernel for AMD's XRT
REGISTER_RUN_CONTROL = 0x0  # rw: the handshake ap_ctrl_hs
RUN_CONTROL_START_SHIFT = 0  # 1: begin a run, ignored while one is under way; reads 1 until its arguments may be written again, which is at its end
RUN_CONTROL_START_WIDTH = 1  # bits of RUN_CONTROL_START
RUN_CONTROL_START_MASK = 0x1  # RUN_CONTROL_START in place
RUN_CONTROL_DONE_SHIFT = 1  # a run has ended; cleared by reading
RUN_CONTROL_DONE_WIDTH = 1  # bits of RUN_CONTROL_DONE
RUN_CONTROL_DONE_MASK = 0x2  # RUN_CONTROL_DONE in place
RUN_CONTROL_IDLE_SHIFT = 2  # no run is under way
RUN_CONTROL_IDLE_WIDTH = 1  # bits of RUN_CONTROL_IDLE
RUN_CONTROL_IDLE_MASK = 0x4  # RUN_CONTROL_IDLE in place
RUN_CONTROL_READY_SHIFT = 3  # the same as DONE
RUN_CONTROL_READY_WIDTH = 1  # bits of RUN_CONTROL_READY
RUN_CONTROL_READY_MASK = 0x8  # RUN_CONTROL_READY in place
REGISTER_INTERRUPT_GLOBAL = 0x4  # rw: 1: the interrupt port is the OR of what INTERRUPT_ENABLE lets through
REGISTER_INTERRUPT_ENABLE = 0x8  # rw: bits of INTERRUPT_STATUS that interrupt
REGISTER_INTERRUPT_STATUS = 0xc  # rw: what would interrupt
INTERRUPT_STATUS_DONE_SHIFT = 0  # a run has ended while this was enabled; writing 1 turns it over
INTERRUPT_STATUS_DONE_WIDTH = 1  # bits of INTERRUPT_STATUS_DONE
INTERRUPT_STATUS_DONE_MASK = 0x1  # INTERRUPT_STATUS_DONE in place
INTERRUPT_STATUS_READY_SHIFT = 1  # the same
INTERRUPT_STATUS_READY_WIDTH = 1  # bits of INTERRUPT_STATUS_READY
INTERRUPT_STATUS_READY_MASK = 0x2  # INTERRUPT_STATUS_READY in place
INTERRUPT_STATUS_CORE_SHIFT = 2  # an interrupt level of the core is high and no run is under way; read-only
INTERRUPT_STATUS_CORE_WIDTH = 1  # bits of INTERRUPT_STATUS_CORE
INTERRUPT_STATUS_CORE_MASK = 0x4  # INTERRUPT_STATUS_CORE in place
REGISTER_RUN_CAUSE = 0x30  # ro: why the last run ended before its last command (fatal_causes); its commands without a completion were not carried out or not finished

# Kernel for XRT
KERNEL_ADDRESS_BYTES = 65536  # size of its control port's address space
KERNEL_CORE_WINDOW = 0x8000  # byte offset there of the core's registers, the lower half of BAR0
KERNEL_MEMORY_BITS = 0x200  # data width of its memory port
KERNEL_ARGUMENT_SUBMISSIONS = 0x0  # SubmissionEntry of each command, aligned to RING_ALIGNMENT; addresses in them are the memory's
KERNEL_ARGUMENT_SUBMISSIONS_OFFSET = 0x10  # byte offset of submissions on the control port
KERNEL_ARGUMENT_COMPLETIONS = 0x1  # room for a CompletionEntry of each command, aligned to RING_ALIGNMENT; entries stand in the order in which commands end, with phase 1
KERNEL_ARGUMENT_COMPLETIONS_OFFSET = 0x1c  # byte offset of completions on the control port
KERNEL_ARGUMENT_COUNT = 2  # commands, at most one less than the deepest ring has entries
KERNEL_ARGUMENT_COUNT_OFFSET = 0x28  # byte offset of count on the control port

STATUS_NAMES = {0: "SUCCESS", 1: "SAME_FILLED", 2: "INCOMPRESSIBLE", 3: "INVALID_OPCODE", 4: "INVALID_FORMAT", 5: "INVALID_FLAGS", 6: "INVALID_LENGTH", 7: "INVALID_ADDRESS", 8: "READ_FAULT", 9: "WRITE_FAULT", 10: "MALFORMED_STREAM", 11: "OUTPUT_OVERRUN", 12: "OUTPUT_UNDERRUN", 13: "CRC_MISMATCH", 14: "VERIFY_FAILED", 15: "ABORTED", 16: "ENGINE_FAULT"}
STATUS_KINDS = {0: "done", 1: "done", 2: "done", 3: "refused", 4: "refused", 5: "refused", 6: "refused", 7: "refused", 8: "failed", 9: "failed", 10: "failed", 11: "failed", 12: "failed", 13: "failed", 14: "failed", 15: "failed", 16: "failed"}
STATUS_LEAVES = {0: {"produced_length": "output", "crc32c": "page", "detail": "stream"}, 1: {"produced_length": "0", "crc32c": "page", "detail": "fill"}, 2: {"produced_length": "0", "crc32c": "page", "detail": "0"}, 3: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 4: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 5: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 6: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 7: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 8: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 9: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 10: {"produced_length": "output", "crc32c": "output", "detail": "0"}, 11: {"produced_length": "output", "crc32c": "output", "detail": "0"}, 12: {"produced_length": "output", "crc32c": "output", "detail": "0"}, 13: {"produced_length": "output", "crc32c": "output", "detail": "0"}, 14: {"produced_length": "0", "crc32c": "page", "detail": "0"}, 15: {"produced_length": "0", "crc32c": "0", "detail": "0"}, 16: {"produced_length": "0", "crc32c": "any", "detail": "0"}}
COUNTER_NAMES = ("cycles", "commands", "completions", "interrupts", "doorbells", "pages_compressed", "pages_same_filled", "pages_incompressible", "pages_decompressed", "compress_bytes_in", "compress_bytes_out", "decompress_bytes_in", "decompress_bytes_out", "compress_busy_cycles", "decompress_busy_cycles", "verify_failures", "commands_refused", "commands_failed", "commands_pushed")


@dataclass
class SubmissionEntry:
    """one command, written by software; 64 bytes, little-endian."""
    opcode: int = 0  # operation (opcodes)
    format: int = 0  # stream format (formats); ignored by NOP
    flags: int = 0  # flags; undefined bits are 0
    tag: int = 0  # returned in the completion, not interpreted
    source_address: int = 0  # bus address of the input, of any alignment
    destination_address: int = 0  # bus address of the output, of any alignment
    source_length: int = 0  # bytes of input: one page for COMPRESS, 1 to two pages for DECOMPRESS
    destination_capacity: int = 0  # most bytes of output: 1 to one page for COMPRESS, one page for DECOMPRESS
    expected_crc32c: int = 0  # CRC32C of the plain page, checked under CHECK_CRC
    reserved: bytes = bytes(28)  # 0
    LAYOUT = struct.Struct("<BBHIQQIII28s")

    def pack(self):
        """Return the 64 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.opcode, self.format, self.flags, self.tag, self.source_address, self.destination_address, self.source_length, self.destination_capacity, self.expected_crc32c, self.reserved)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 64 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class CompletionEntry:
    """one result, written by the card in one burst, phase last; 32 bytes, little-endian."""
    detail: int = 0  # SAME_FILLED: the 8 bytes the page repeats; SUCCESS of COMPRESS: CRC32C of the stream as it was verified; else 0
    produced_length: int = 0  # bytes of output written
    crc32c: int = 0  # CRC32C of the plain page
    engine_cycles: int = 0  # core clock cycles from dispatch to result
    submission_head: int = 0  # entries before this index have been fetched and may be overwritten
    reserved: bytes = bytes(2)  # 0
    tag: int = 0  # tag of the submission
    status: int = 0  # result (statuses)
    reserved2: bytes = bytes(2)  # 0
    phase: int = 0  # 1 on the first pass over the ring, 0 on the second, and so on
    LAYOUT = struct.Struct("<QIIIH2sIB2sB")

    def pack(self):
        """Return the 32 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.detail, self.produced_length, self.crc32c, self.engine_cycles, self.submission_head, self.reserved, self.tag, self.status, self.reserved2, self.phase)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 32 bytes."""
        return cls(*cls.LAYOUT.unpack(data))
