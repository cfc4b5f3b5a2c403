// SPDX-License-Identifier: Apache-2.0
// Made by rtl/interface/generate.py. Do not edit: change the TOML files there and run it again.
`ifndef PAGEPRESS_INTERFACE_H
`define PAGEPRESS_INTERFACE_H

// Version
`define PAGEPRESS_VERSION_MAJOR 32'h1 // interface version, major
`define PAGEPRESS_VERSION_MINOR 32'h4 // interface version, minor
`define PAGEPRESS_VERSION_VALUE 32'h10004 // what VERSION reads as
`define PAGEPRESS_HASH_LOW_VALUE 32'h5aabd41c // what HASH_LOW reads as
`define PAGEPRESS_HASH_HIGH_VALUE 32'h1d2bbdd1 // what HASH_HIGH reads as

// Identity and limits
`define PAGEPRESS_PCI_VENDOR_ID 32'h5047 // PCI vendor id of the reference card (not assigned by the PCI-SIG: a product replaces it)
`define PAGEPRESS_PCI_DEVICE_ID 32'h5052 // PCI device id of the reference card
`define PAGEPRESS_PCI_CLASS_CODE 32'h120000 // PCI class code: processing accelerator
`define PAGEPRESS_MAGIC_VALUE 32'h52504750 // what MAGIC reads as: the letters PGPR
`define PAGEPRESS_BAR0_BYTES 32'h10000 // size of BAR0, bytes
`define PAGEPRESS_MSIX_TABLE_OFFSET 32'h8000 // MSI-X table in BAR0 (PCIe cards only), byte offset
`define PAGEPRESS_MSIX_PENDING_OFFSET 32'hc000 // MSI-X pending bits in BAR0 (PCIe cards only), byte offset
`define PAGEPRESS_EVENT_VECTOR 32'h0 // interrupt vector of card and queue errors
`define PAGEPRESS_FIRST_QUEUE_VECTOR 32'h1 // interrupt vector of queue 0; queue n uses this plus n
`define PAGEPRESS_MAX_QUEUE_PAIRS 32'h40 // most queue pairs a card may have
`define PAGEPRESS_MAX_DEPTH_LOG2 32'hc // deepest ring a card may offer, log2 of entries; CAPABILITIES says what this card offers
`define PAGEPRESS_MIN_DEPTH_LOG2 32'h1 // shallowest ring, log2 of entries
`define PAGEPRESS_RING_ALIGNMENT 32'h1000 // alignment of ring base addresses, bytes
`define PAGEPRESS_PUSH_ENTRY_BYTES 32'h24 // bytes of a submission entry that software may push: all but its reserved ones
`define PAGEPRESS_DEFAULT_WEIGHT 32'h1 // WEIGHT of a queue after reset, and the least there is
`define PAGEPRESS_MAX_WEIGHT 32'hf // largest WEIGHT of a queue, a power of two less one

// Opcodes
`define PAGEPRESS_OPCODE_NOP 32'h0 // completes with SUCCESS, moves nothing
`define PAGEPRESS_OPCODE_COMPRESS 32'h1 // one page in, one stream out
`define PAGEPRESS_OPCODE_DECOMPRESS 32'h2 // one stream in, one page out

// Formats
`define PAGEPRESS_FORMAT_LZO1X 32'h1 // LZO1X as lzo1x_1, lzo1x_999 and lzo-rle write it; the card writes plain LZO1X
`define PAGEPRESS_FORMAT_COLD 32'h2 // the cold format (cold.md), of cards with COLD_TABLES: frames of Zstandard with trained tables

// Submission flags
`define PAGEPRESS_FLAG_SKIP_VERIFY 32'h1 // compress: do not decompress and compare on chip
`define PAGEPRESS_FLAG_CHECK_CRC 32'h2 // decompress: the page's CRC32C must equal expected_crc32c

// Fatal causes
`define PAGEPRESS_FATAL_NONE 32'h0 // no error
`define PAGEPRESS_FATAL_DOORBELL_RANGE 32'h1 // a doorbell named an entry past the ring, a completion that is not there, or a queue that is not enabled
`define PAGEPRESS_FATAL_RING_FETCH 32'h2 // reading the submission ring failed
`define PAGEPRESS_FATAL_RING_COMPLETE 32'h3 // writing the completion ring failed
`define PAGEPRESS_FATAL_RING_SETUP 32'h4 // a queue was enabled with a base address that is 0, not aligned to RING_ALIGNMENT or too high for the bus, or a depth out of range
`define PAGEPRESS_FATAL_ENGINE_STUCK 32'h5 // an engine broke its contract or made no progress

// Statuses
`define PAGEPRESS_STATUS_SUCCESS 32'h0 // output written, length and CRC valid
`define PAGEPRESS_STATUS_SAME_FILLED 32'h1 // compress: the page repeats detail; nothing written
`define PAGEPRESS_STATUS_INCOMPRESSIBLE 32'h2 // compress: the stream would exceed destination_capacity; store the page as it is; nothing written
`define PAGEPRESS_STATUS_INVALID_OPCODE 32'h3 // unknown opcode
`define PAGEPRESS_STATUS_INVALID_FORMAT 32'h4 // unknown stream format, or one that this card does not have
`define PAGEPRESS_STATUS_INVALID_FLAGS 32'h5 // an undefined flag or a reserved byte is not 0
`define PAGEPRESS_STATUS_INVALID_LENGTH 32'h6 // source_length or destination_capacity is out of range
`define PAGEPRESS_STATUS_INVALID_ADDRESS 32'h7 // an address is zero, or what it is of reaches past the last one that the bus has
`define PAGEPRESS_STATUS_READ_FAULT 32'h8 // reading the source failed on the bus
`define PAGEPRESS_STATUS_WRITE_FAULT 32'h9 // writing the destination failed on the bus
`define PAGEPRESS_STATUS_MALFORMED_STREAM 32'ha // decompress: not a valid stream of this format, or bytes follow its end mark
`define PAGEPRESS_STATUS_OUTPUT_OVERRUN 32'hb // decompress: the stream holds more than one page
`define PAGEPRESS_STATUS_OUTPUT_UNDERRUN 32'hc // decompress: the stream ended before the page was full
`define PAGEPRESS_STATUS_CRC_MISMATCH 32'hd // decompress: the page's CRC32C is not expected_crc32c
`define PAGEPRESS_STATUS_VERIFY_FAILED 32'he // compress: decompressing the new stream on chip did not give the page back; nothing written
`define PAGEPRESS_STATUS_ABORTED 32'hf // the card or the queue was disabled before the command finished
`define PAGEPRESS_STATUS_ENGINE_FAULT 32'h10 // the engine broke its contract and was taken out of service

// Registers: CARD
`define PAGEPRESS_CARD_BASE 32'h0 // Identity, control and status of the whole card
`define PAGEPRESS_REGISTER_MAGIC 32'h0 // ro: identifies a Pagepress card
`define PAGEPRESS_REGISTER_VERSION 32'h4 // ro: interface version
`define PAGEPRESS_VERSION_MINOR_SHIFT 32'h0 // minor version
`define PAGEPRESS_VERSION_MINOR_WIDTH 32'h10 // bits of VERSION_MINOR
`define PAGEPRESS_VERSION_MINOR_MASK 32'hffff // VERSION_MINOR in place
`define PAGEPRESS_VERSION_MAJOR_SHIFT 32'h10 // major version
`define PAGEPRESS_VERSION_MAJOR_WIDTH 32'h10 // bits of VERSION_MAJOR
`define PAGEPRESS_VERSION_MAJOR_MASK 32'hffff0000 // VERSION_MAJOR in place
`define PAGEPRESS_REGISTER_HASH_LOW 32'h8 // ro: interface hash, bits 31..0
`define PAGEPRESS_REGISTER_HASH_HIGH 32'hc // ro: interface hash, bits 63..32
`define PAGEPRESS_REGISTER_CAPABILITIES 32'h10 // ro: what this card was built with
`define PAGEPRESS_CAPABILITIES_PAGE_SHIFT_SHIFT 32'h0 // log2 of the page size in bytes
`define PAGEPRESS_CAPABILITIES_PAGE_SHIFT_WIDTH 32'h8 // bits of CAPABILITIES_PAGE_SHIFT
`define PAGEPRESS_CAPABILITIES_PAGE_SHIFT_MASK 32'hff // CAPABILITIES_PAGE_SHIFT in place
`define PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT 32'h8 // queue pairs present
`define PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_WIDTH 32'h8 // bits of CAPABILITIES_QUEUE_PAIRS
`define PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK 32'hff00 // CAPABILITIES_QUEUE_PAIRS in place
`define PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT 32'h10 // log2 of the deepest ring
`define PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_WIDTH 32'h8 // bits of CAPABILITIES_MAX_DEPTH_LOG2
`define PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_MASK 32'hff0000 // CAPABILITIES_MAX_DEPTH_LOG2 in place
`define PAGEPRESS_CAPABILITIES_PUSH_SHIFT 32'h18 // 1: there are windows to push entries through (block PUSH)
`define PAGEPRESS_CAPABILITIES_PUSH_WIDTH 32'h1 // bits of CAPABILITIES_PUSH
`define PAGEPRESS_CAPABILITIES_PUSH_MASK 32'h1000000 // CAPABILITIES_PUSH in place
`define PAGEPRESS_CAPABILITIES_WEIGHTS_SHIFT 32'h19 // 1: queues have a WEIGHT; else all count the same
`define PAGEPRESS_CAPABILITIES_WEIGHTS_WIDTH 32'h1 // bits of CAPABILITIES_WEIGHTS
`define PAGEPRESS_CAPABILITIES_WEIGHTS_MASK 32'h2000000 // CAPABILITIES_WEIGHTS in place
`define PAGEPRESS_CAPABILITIES_COLD_TABLES_SHIFT 32'h1a // version of the tables of the cold format (cold.md) that this card's engines have; 0: they have none, and COLD is refused as INVALID_FORMAT
`define PAGEPRESS_CAPABILITIES_COLD_TABLES_WIDTH 32'h6 // bits of CAPABILITIES_COLD_TABLES
`define PAGEPRESS_CAPABILITIES_COLD_TABLES_MASK 32'hfc000000 // CAPABILITIES_COLD_TABLES in place
`define PAGEPRESS_REGISTER_ENGINES 32'h14 // ro: engines present
`define PAGEPRESS_ENGINES_COMPRESSORS_SHIFT 32'h0 // compressors present
`define PAGEPRESS_ENGINES_COMPRESSORS_WIDTH 32'h8 // bits of ENGINES_COMPRESSORS
`define PAGEPRESS_ENGINES_COMPRESSORS_MASK 32'hff // ENGINES_COMPRESSORS in place
`define PAGEPRESS_ENGINES_DECOMPRESSORS_SHIFT 32'h8 // decompressors present
`define PAGEPRESS_ENGINES_DECOMPRESSORS_WIDTH 32'h8 // bits of ENGINES_DECOMPRESSORS
`define PAGEPRESS_ENGINES_DECOMPRESSORS_MASK 32'hff00 // ENGINES_DECOMPRESSORS in place
`define PAGEPRESS_ENGINES_STREAM_BYTES_SHIFT 32'h10 // width of the bus, bytes a cycle
`define PAGEPRESS_ENGINES_STREAM_BYTES_WIDTH 32'h8 // bits of ENGINES_STREAM_BYTES
`define PAGEPRESS_ENGINES_STREAM_BYTES_MASK 32'hff0000 // ENGINES_STREAM_BYTES in place
`define PAGEPRESS_REGISTER_CLOCK 32'h18 // ro: core clock, kilohertz
`define PAGEPRESS_REGISTER_CONTROL 32'h20 // rw: control
`define PAGEPRESS_CONTROL_ENABLE_SHIFT 32'h0 // 1: run; 0: stop fetching, finish or abort what is in flight, then drop READY. Clears every queue's ENABLE and error on the way to 0. Setting it is ignored while READY is 1
`define PAGEPRESS_CONTROL_ENABLE_WIDTH 32'h1 // bits of CONTROL_ENABLE
`define PAGEPRESS_CONTROL_ENABLE_MASK 32'h1 // CONTROL_ENABLE in place
`define PAGEPRESS_REGISTER_STATUS 32'h24 // ro: status
`define PAGEPRESS_STATUS_READY_SHIFT 32'h0 // rises after ENABLE; falls after disable only when no DMA is outstanding
`define PAGEPRESS_STATUS_READY_WIDTH 32'h1 // bits of STATUS_READY
`define PAGEPRESS_STATUS_READY_MASK 32'h1 // STATUS_READY in place
`define PAGEPRESS_STATUS_FATAL_SHIFT 32'h1 // the card stopped by itself; FATAL_CAUSE says why; cleared by disable
`define PAGEPRESS_STATUS_FATAL_WIDTH 32'h1 // bits of STATUS_FATAL
`define PAGEPRESS_STATUS_FATAL_MASK 32'h2 // STATUS_FATAL in place
`define PAGEPRESS_STATUS_BUSY_SHIFT 32'h2 // commands are in flight
`define PAGEPRESS_STATUS_BUSY_WIDTH 32'h1 // bits of STATUS_BUSY
`define PAGEPRESS_STATUS_BUSY_MASK 32'h4 // STATUS_BUSY in place
`define PAGEPRESS_REGISTER_FATAL_CAUSE 32'h28 // ro: why FATAL is set (fatal_causes)

// Registers: QUEUE
`define PAGEPRESS_QUEUE_BASE 32'h1000 // One block a queue pair. Base, depth and moderation may change only while QUEUE_STATUS.ACTIVE is 0
`define PAGEPRESS_QUEUE_STRIDE 32'h40 // bytes from one copy to the next
`define PAGEPRESS_QUEUE_COUNT 32'h40 // copies
`define PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW 32'h0 // rw: submission ring bus address, bits 31..0
`define PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH 32'h4 // rw: submission ring bus address, bits 63..32
`define PAGEPRESS_REGISTER_COMPLETION_BASE_LOW 32'h8 // rw: completion ring bus address, bits 31..0
`define PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH 32'hc // rw: completion ring bus address, bits 63..32
`define PAGEPRESS_REGISTER_DEPTH_LOG2 32'h10 // rw: log2 of the entries of both rings; above 31 reads back as 31
`define PAGEPRESS_REGISTER_MODERATION 32'h14 // rw: interrupt when either limit is reached
`define PAGEPRESS_MODERATION_COUNT_SHIFT 32'h0 // completions waiting; 0 and 1 mean each
`define PAGEPRESS_MODERATION_COUNT_WIDTH 32'h10 // bits of MODERATION_COUNT
`define PAGEPRESS_MODERATION_COUNT_MASK 32'hffff // MODERATION_COUNT in place
`define PAGEPRESS_MODERATION_CYCLES_SHIFT 32'h10 // age of the oldest completion, or of the last acknowledgement, in units of 16 core clock cycles; 0 means at once
`define PAGEPRESS_MODERATION_CYCLES_WIDTH 32'h10 // bits of MODERATION_CYCLES
`define PAGEPRESS_MODERATION_CYCLES_MASK 32'hffff0000 // MODERATION_CYCLES in place
`define PAGEPRESS_REGISTER_QUEUE_CONTROL 32'h18 // rw: queue control
`define PAGEPRESS_QUEUE_CONTROL_ENABLE_SHIFT 32'h0 // 1: start with both rings empty and phase 1, ignored while ACTIVE is 1 or the card is not enabled; 0: stop fetching, drain, then drop ACTIVE
`define PAGEPRESS_QUEUE_CONTROL_ENABLE_WIDTH 32'h1 // bits of QUEUE_CONTROL_ENABLE
`define PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK 32'h1 // QUEUE_CONTROL_ENABLE in place
`define PAGEPRESS_REGISTER_QUEUE_STATUS 32'h1c // ro: queue status
`define PAGEPRESS_QUEUE_STATUS_ACTIVE_SHIFT 32'h0 // the queue is enabled or still has commands in flight
`define PAGEPRESS_QUEUE_STATUS_ACTIVE_WIDTH 32'h1 // bits of QUEUE_STATUS_ACTIVE
`define PAGEPRESS_QUEUE_STATUS_ACTIVE_MASK 32'h1 // QUEUE_STATUS_ACTIVE in place
`define PAGEPRESS_QUEUE_STATUS_ERROR_SHIFT 32'h1 // the queue stopped by itself; CAUSE says why; cleared by disabling it
`define PAGEPRESS_QUEUE_STATUS_ERROR_WIDTH 32'h1 // bits of QUEUE_STATUS_ERROR
`define PAGEPRESS_QUEUE_STATUS_ERROR_MASK 32'h2 // QUEUE_STATUS_ERROR in place
`define PAGEPRESS_QUEUE_STATUS_CAUSE_SHIFT 32'h8 // why ERROR is set (fatal_causes)
`define PAGEPRESS_QUEUE_STATUS_CAUSE_WIDTH 32'h8 // bits of QUEUE_STATUS_CAUSE
`define PAGEPRESS_QUEUE_STATUS_CAUSE_MASK 32'hff00 // QUEUE_STATUS_CAUSE in place
`define PAGEPRESS_REGISTER_SUBMISSION_HEAD 32'h20 // ro: next submission entry the card will fetch
`define PAGEPRESS_REGISTER_COMPLETION_TAIL 32'h24 // ro: next completion entry the card will write
`define PAGEPRESS_REGISTER_WEIGHT 32'h28 // rw: of cards with WEIGHTS: how many commands the queue begins for one that a queue of weight 1 begins, while both always have commands of a kind waiting; compress and decompress are shared apart. 1 to MAX_WEIGHT: 0 reads back as 1, more as MAX_WEIGHT. May change at any time; only a reset of the card makes it DEFAULT_WEIGHT

// Registers: DOORBELL
`define PAGEPRESS_DOORBELL_BASE 32'h2000 // Doorbells. A ring is empty when head equals tail, full one entry before that
`define PAGEPRESS_DOORBELL_STRIDE 32'h8 // bytes from one copy to the next
`define PAGEPRESS_DOORBELL_COUNT 32'h40 // copies
`define PAGEPRESS_REGISTER_SUBMISSION_TAIL 32'h0 // wo: index after the last submission entry written by software
`define PAGEPRESS_REGISTER_COMPLETION_HEAD 32'h4 // wo: index of the next completion entry software will read; also acknowledges the queue's interrupt

// Registers: PUSH
`define PAGEPRESS_PUSH_BASE 32'h4000 // Windows of cards with PUSH: a copy of the submission entry that the next doorbell is for, which is in the ring all the same. The card keeps the copy that was begun last; it fetches the entry if that is cut short, out of order, or not of the entry it would fetch next
`define PAGEPRESS_PUSH_STRIDE 32'h40 // bytes from one copy to the next
`define PAGEPRESS_PUSH_COUNT 32'h40 // copies
`define PAGEPRESS_REGISTER_PUSH_BEGIN 32'h0 // wo: begins a copy; all of it is written in the order of addresses
`define PAGEPRESS_PUSH_BEGIN_NUMBER_SHIFT 32'h0 // submission entries before this one since the queue was enabled, modulo 65536
`define PAGEPRESS_PUSH_BEGIN_NUMBER_WIDTH 32'h10 // bits of PUSH_BEGIN_NUMBER
`define PAGEPRESS_PUSH_BEGIN_NUMBER_MASK 32'hffff // PUSH_BEGIN_NUMBER in place
`define PAGEPRESS_REGISTER_PUSH_ENTRY 32'h4 // wo: first of PUSH_ENTRY_BYTES bytes of the entry; its reserved bytes count as 0
`define PAGEPRESS_REGISTER_PUSH_END 32'h28 // wo: ends the copy, and must be the same as PUSH_BEGIN; what is written behind it is ignored

// Counters
`define PAGEPRESS_COUNTER_BASE 32'h100 // byte offset of counter 0 in BAR0
`define PAGEPRESS_COUNTER_COUNT 32'h13 // counters present
`define PAGEPRESS_COUNTER_CYCLES 32'h0 // core clock cycles while the card was enabled (cycles)
`define PAGEPRESS_COUNTER_COMMANDS 32'h1 // submission entries taken from their rings (commands)
`define PAGEPRESS_COUNTER_COMPLETIONS 32'h2 // completion entries written (commands)
`define PAGEPRESS_COUNTER_INTERRUPTS 32'h3 // interrupts raised (interrupts)
`define PAGEPRESS_COUNTER_DOORBELLS 32'h4 // submission doorbells accepted (writes)
`define PAGEPRESS_COUNTER_PAGES_COMPRESSED 32'h5 // COMPRESS commands that ended SUCCESS (pages)
`define PAGEPRESS_COUNTER_PAGES_SAME_FILLED 32'h6 // COMPRESS commands that ended SAME_FILLED (pages)
`define PAGEPRESS_COUNTER_PAGES_INCOMPRESSIBLE 32'h7 // COMPRESS commands that ended INCOMPRESSIBLE (pages)
`define PAGEPRESS_COUNTER_PAGES_DECOMPRESSED 32'h8 // DECOMPRESS commands that ended SUCCESS (pages)
`define PAGEPRESS_COUNTER_COMPRESS_BYTES_IN 32'h9 // plain bytes of PAGES_COMPRESSED (bytes)
`define PAGEPRESS_COUNTER_COMPRESS_BYTES_OUT 32'ha // stream bytes of PAGES_COMPRESSED (bytes)
`define PAGEPRESS_COUNTER_DECOMPRESS_BYTES_IN 32'hb // stream bytes of PAGES_DECOMPRESSED (bytes)
`define PAGEPRESS_COUNTER_DECOMPRESS_BYTES_OUT 32'hc // plain bytes of PAGES_DECOMPRESSED (bytes)
`define PAGEPRESS_COUNTER_COMPRESS_BUSY_CYCLES 32'hd // cycles with at least one COMPRESS command in an engine (cycles)
`define PAGEPRESS_COUNTER_DECOMPRESS_BUSY_CYCLES 32'he // cycles with at least one DECOMPRESS command in an engine (cycles)
`define PAGEPRESS_COUNTER_VERIFY_FAILURES 32'hf // COMPRESS commands that ended VERIFY_FAILED (pages)
`define PAGEPRESS_COUNTER_COMMANDS_REFUSED 32'h10 // commands that ended with a status of kind refused (commands)
`define PAGEPRESS_COUNTER_COMMANDS_FAILED 32'h11 // commands that ended with a status of kind failed (commands)
`define PAGEPRESS_COUNTER_COMMANDS_PUSHED 32'h12 // COMMANDS that were taken from a PUSH window, not fetched (commands)

// Descriptors
`define PAGEPRESS_SUBMISSION_ENTRY_BYTES 32'h40 // one command, written by software
`define PAGEPRESS_SUBMISSION_ENTRY_OPCODE_OFFSET 32'h0 // byte offset of opcode
`define PAGEPRESS_SUBMISSION_ENTRY_FORMAT_OFFSET 32'h1 // byte offset of format
`define PAGEPRESS_SUBMISSION_ENTRY_FLAGS_OFFSET 32'h2 // byte offset of flags
`define PAGEPRESS_SUBMISSION_ENTRY_TAG_OFFSET 32'h4 // byte offset of tag
`define PAGEPRESS_SUBMISSION_ENTRY_SOURCE_ADDRESS_OFFSET 32'h8 // byte offset of source_address
`define PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_ADDRESS_OFFSET 32'h10 // byte offset of destination_address
`define PAGEPRESS_SUBMISSION_ENTRY_SOURCE_LENGTH_OFFSET 32'h18 // byte offset of source_length
`define PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_CAPACITY_OFFSET 32'h1c // byte offset of destination_capacity
`define PAGEPRESS_SUBMISSION_ENTRY_EXPECTED_CRC32C_OFFSET 32'h20 // byte offset of expected_crc32c
`define PAGEPRESS_SUBMISSION_ENTRY_RESERVED_OFFSET 32'h24 // byte offset of reserved
`define PAGEPRESS_COMPLETION_ENTRY_BYTES 32'h20 // one result, written by the card in one burst, phase last
`define PAGEPRESS_COMPLETION_ENTRY_DETAIL_OFFSET 32'h0 // byte offset of detail
`define PAGEPRESS_COMPLETION_ENTRY_PRODUCED_LENGTH_OFFSET 32'h8 // byte offset of produced_length
`define PAGEPRESS_COMPLETION_ENTRY_CRC32C_OFFSET 32'hc // byte offset of crc32c
`define PAGEPRESS_COMPLETION_ENTRY_ENGINE_CYCLES_OFFSET 32'h10 // byte offset of engine_cycles
`define PAGEPRESS_COMPLETION_ENTRY_SUBMISSION_HEAD_OFFSET 32'h14 // byte offset of submission_head
`define PAGEPRESS_COMPLETION_ENTRY_RESERVED_OFFSET 32'h16 // byte offset of reserved
`define PAGEPRESS_COMPLETION_ENTRY_TAG_OFFSET 32'h18 // byte offset of tag
`define PAGEPRESS_COMPLETION_ENTRY_STATUS_OFFSET 32'h1c // byte offset of status
`define PAGEPRESS_COMPLETION_ENTRY_RESERVED2_OFFSET 32'h1d // byte offset of reserved2
`define PAGEPRESS_COMPLETION_ENTRY_PHASE_OFFSET 32'h1f // byte offset of phase

// Registers: pagepress_kernel
`define PAGEPRESS_pagepress_kernel_BASE 32'h0 // Kernel for AMD's XRT
`define PAGEPRESS_REGISTER_RUN_CONTROL 32'h0 // rw: the handshake ap_ctrl_hs
`define PAGEPRESS_RUN_CONTROL_START_SHIFT 32'h0 // 1: begin a run, ignored while one is under way; reads 1 until its arguments may be written again, which is at its end
`define PAGEPRESS_RUN_CONTROL_START_WIDTH 32'h1 // bits of RUN_CONTROL_START
`define PAGEPRESS_RUN_CONTROL_START_MASK 32'h1 // RUN_CONTROL_START in place
`define PAGEPRESS_RUN_CONTROL_DONE_SHIFT 32'h1 // a run has ended; cleared by reading
`define PAGEPRESS_RUN_CONTROL_DONE_WIDTH 32'h1 // bits of RUN_CONTROL_DONE
`define PAGEPRESS_RUN_CONTROL_DONE_MASK 32'h2 // RUN_CONTROL_DONE in place
`define PAGEPRESS_RUN_CONTROL_IDLE_SHIFT 32'h2 // no run is under way
`define PAGEPRESS_RUN_CONTROL_IDLE_WIDTH 32'h1 // bits of RUN_CONTROL_IDLE
`define PAGEPRESS_RUN_CONTROL_IDLE_MASK 32'h4 // RUN_CONTROL_IDLE in place
`define PAGEPRESS_RUN_CONTROL_READY_SHIFT 32'h3 // the same as DONE
`define PAGEPRESS_RUN_CONTROL_READY_WIDTH 32'h1 // bits of RUN_CONTROL_READY
`define PAGEPRESS_RUN_CONTROL_READY_MASK 32'h8 // RUN_CONTROL_READY in place
`define PAGEPRESS_REGISTER_INTERRUPT_GLOBAL 32'h4 // rw: 1: the interrupt port is the OR of what INTERRUPT_ENABLE lets through
`define PAGEPRESS_REGISTER_INTERRUPT_ENABLE 32'h8 // rw: bits of INTERRUPT_STATUS that interrupt
`define PAGEPRESS_REGISTER_INTERRUPT_STATUS 32'hc // rw: what would interrupt
`define PAGEPRESS_INTERRUPT_STATUS_DONE_SHIFT 32'h0 // a run has ended while this was enabled; writing 1 turns it over
`define PAGEPRESS_INTERRUPT_STATUS_DONE_WIDTH 32'h1 // bits of INTERRUPT_STATUS_DONE
`define PAGEPRESS_INTERRUPT_STATUS_DONE_MASK 32'h1 // INTERRUPT_STATUS_DONE in place
`define PAGEPRESS_INTERRUPT_STATUS_READY_SHIFT 32'h1 // the same
`define PAGEPRESS_INTERRUPT_STATUS_READY_WIDTH 32'h1 // bits of INTERRUPT_STATUS_READY
`define PAGEPRESS_INTERRUPT_STATUS_READY_MASK 32'h2 // INTERRUPT_STATUS_READY in place
`define PAGEPRESS_INTERRUPT_STATUS_CORE_SHIFT 32'h2 // an interrupt level of the core is high and no run is under way; read-only
`define PAGEPRESS_INTERRUPT_STATUS_CORE_WIDTH 32'h1 // bits of INTERRUPT_STATUS_CORE
`define PAGEPRESS_INTERRUPT_STATUS_CORE_MASK 32'h4 // INTERRUPT_STATUS_CORE in place
`define PAGEPRESS_REGISTER_RUN_CAUSE 32'h30 // ro: why the last run ended before its last command (fatal_causes); its commands without a completion were not carried out or not finished

// Kernel for XRT
`define PAGEPRESS_KERNEL_ADDRESS_BYTES 32'h10000 // size of its control port's address space
`define PAGEPRESS_KERNEL_CORE_WINDOW 32'h8000 // byte offset there of the core's registers, the lower half of BAR0
`define PAGEPRESS_KERNEL_MEMORY_BITS 32'h200 // data width of its memory port
`define PAGEPRESS_KERNEL_ARGUMENT_SUBMISSIONS 32'h0 // SubmissionEntry of each command, aligned to RING_ALIGNMENT; addresses in them are the memory's
`define PAGEPRESS_KERNEL_ARGUMENT_SUBMISSIONS_OFFSET 32'h10 // byte offset of submissions on the control port
`define PAGEPRESS_KERNEL_ARGUMENT_COMPLETIONS 32'h1 // room for a CompletionEntry of each command, aligned to RING_ALIGNMENT; entries stand in the order in which commands end, with phase 1
`define PAGEPRESS_KERNEL_ARGUMENT_COMPLETIONS_OFFSET 32'h1c // byte offset of completions on the control port
`define PAGEPRESS_KERNEL_ARGUMENT_COUNT 32'h2 // commands, at most one less than the deepest ring has entries
`define PAGEPRESS_KERNEL_ARGUMENT_COUNT_OFFSET 32'h28 // byte offset of count on the control port

`endif
