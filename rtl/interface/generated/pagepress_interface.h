/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* Made by rtl/interface/generate.py. Do not edit: change the TOML files there and run it again. */
#ifndef PAGEPRESS_INTERFACE_H
#define PAGEPRESS_INTERFACE_H

/*
 * Members are little-endian in memory. In the kernel they are __le types, so that sparse sees a missing
 * conversion; elsewhere the header wants a little-endian machine and says so.
 */
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#define PAGEPRESS_U8	__u8
#define PAGEPRESS_LE16	__le16
#define PAGEPRESS_LE32	__le32
#define PAGEPRESS_LE64	__le64
#else
#include <stddef.h>
#include <stdint.h>
/* As C11's <assert.h> has it, which programs without a libc lack. */
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pagepress_interface.h outside the kernel needs a little-endian machine"
#endif
#define PAGEPRESS_U8	uint8_t
#define PAGEPRESS_LE16	uint16_t
#define PAGEPRESS_LE32	uint32_t
#define PAGEPRESS_LE64	uint64_t
#endif


/* Version */
#define PAGEPRESS_VERSION_MAJOR	1u	/* interface version, major */
#define PAGEPRESS_VERSION_MINOR	4u	/* interface version, minor */
#define PAGEPRESS_VERSION_VALUE	0x10004u	/* what VERSION reads as */
#define PAGEPRESS_HASH_LOW_VALUE	0x5aabd41cu	/* what HASH_LOW reads as */
#define PAGEPRESS_HASH_HIGH_VALUE	0x1d2bbdd1u	/* what HASH_HIGH reads as */

/* Identity and limits */
#define PAGEPRESS_PCI_VENDOR_ID	0x5047u	/* PCI vendor id of the reference card (not assigned by the PCI-SIG: a product replaces it) */
#define PAGEPRESS_PCI_DEVICE_ID	0x5052u	/* PCI device id of the reference card */
#define PAGEPRESS_PCI_CLASS_CODE	0x120000u	/* PCI class code: processing accelerator */
#define PAGEPRESS_MAGIC_VALUE	0x52504750u	/* what MAGIC reads as: the letters PGPR */
#define PAGEPRESS_BAR0_BYTES	0x10000u	/* size of BAR0, bytes */
#define PAGEPRESS_MSIX_TABLE_OFFSET	0x8000u	/* MSI-X table in BAR0 (PCIe cards only), byte offset */
#define PAGEPRESS_MSIX_PENDING_OFFSET	0xc000u	/* MSI-X pending bits in BAR0 (PCIe cards only), byte offset */
#define PAGEPRESS_EVENT_VECTOR	0u	/* interrupt vector of card and queue errors */
#define PAGEPRESS_FIRST_QUEUE_VECTOR	1u	/* interrupt vector of queue 0; queue n uses this plus n */
#define PAGEPRESS_MAX_QUEUE_PAIRS	64u	/* most queue pairs a card may have */
#define PAGEPRESS_MAX_DEPTH_LOG2	12u	/* deepest ring a card may offer, log2 of entries; CAPABILITIES says what this card offers */
#define PAGEPRESS_MIN_DEPTH_LOG2	1u	/* shallowest ring, log2 of entries */
#define PAGEPRESS_RING_ALIGNMENT	4096u	/* alignment of ring base addresses, bytes */
#define PAGEPRESS_PUSH_ENTRY_BYTES	36u	/* bytes of a submission entry that software may push: all but its reserved ones */
#define PAGEPRESS_DEFAULT_WEIGHT	0x1u	/* WEIGHT of a queue after reset, and the least there is */
#define PAGEPRESS_MAX_WEIGHT	15u	/* largest WEIGHT of a queue, a power of two less one */

/* Opcodes */
#define PAGEPRESS_OPCODE_NOP	0u	/* completes with SUCCESS, moves nothing */
#define PAGEPRESS_OPCODE_COMPRESS	1u	/* one page in, one stream out */
#define PAGEPRESS_OPCODE_DECOMPRESS	2u	/* one stream in, one page out */

/* Formats */
#define PAGEPRESS_FORMAT_LZO1X	1u	/* LZO1X as lzo1x_1, lzo1x_999 and lzo-rle write it; the card writes plain LZO1X */
#define PAGEPRESS_FORMAT_COLD	2u	/* the cold format (cold.md), of cards with COLD_TABLES: frames of Zstandard with trained tables */

/* Submission flags */
#define PAGEPRESS_FLAG_SKIP_VERIFY	0x1u	/* compress: do not decompress and compare on chip */
#define PAGEPRESS_FLAG_CHECK_CRC	0x2u	/* decompress: the page's CRC32C must equal expected_crc32c */

/* Fatal causes */
#define PAGEPRESS_FATAL_NONE	0u	/* no error */
#define PAGEPRESS_FATAL_DOORBELL_RANGE	1u	/* a doorbell named an entry past the ring, a completion that is not there, or a queue that is not enabled */
#define PAGEPRESS_FATAL_RING_FETCH	2u	/* reading the submission ring failed */
#define PAGEPRESS_FATAL_RING_COMPLETE	3u	/* writing the completion ring failed */
#define PAGEPRESS_FATAL_RING_SETUP	4u	/* a queue was enabled with a base address that is 0, not aligned to RING_ALIGNMENT or too high for the bus, or a depth out of range */
#define PAGEPRESS_FATAL_ENGINE_STUCK	5u	/* an engine broke its contract or made no progress */

/* Statuses */
#define PAGEPRESS_STATUS_SUCCESS	0u	/* output written, length and CRC valid */
#define PAGEPRESS_STATUS_SAME_FILLED	1u	/* compress: the page repeats detail; nothing written */
#define PAGEPRESS_STATUS_INCOMPRESSIBLE	2u	/* compress: the stream would exceed destination_capacity; store the page as it is; nothing written */
#define PAGEPRESS_STATUS_INVALID_OPCODE	3u	/* unknown opcode */
#define PAGEPRESS_STATUS_INVALID_FORMAT	4u	/* unknown stream format, or one that this card does not have */
#define PAGEPRESS_STATUS_INVALID_FLAGS	5u	/* an undefined flag or a reserved byte is not 0 */
#define PAGEPRESS_STATUS_INVALID_LENGTH	6u	/* source_length or destination_capacity is out of range */
#define PAGEPRESS_STATUS_INVALID_ADDRESS	7u	/* an address is zero, or what it is of reaches past the last one that the bus has */
#define PAGEPRESS_STATUS_READ_FAULT	8u	/* reading the source failed on the bus */
#define PAGEPRESS_STATUS_WRITE_FAULT	9u	/* writing the destination failed on the bus */
#define PAGEPRESS_STATUS_MALFORMED_STREAM	10u	/* decompress: not a valid stream of this format, or bytes follow its end mark */
#define PAGEPRESS_STATUS_OUTPUT_OVERRUN	11u	/* decompress: the stream holds more than one page */
#define PAGEPRESS_STATUS_OUTPUT_UNDERRUN	12u	/* decompress: the stream ended before the page was full */
#define PAGEPRESS_STATUS_CRC_MISMATCH	13u	/* decompress: the page's CRC32C is not expected_crc32c */
#define PAGEPRESS_STATUS_VERIFY_FAILED	14u	/* compress: decompressing the new stream on chip did not give the page back; nothing written */
#define PAGEPRESS_STATUS_ABORTED	15u	/* the card or the queue was disabled before the command finished */
#define PAGEPRESS_STATUS_ENGINE_FAULT	16u	/* the engine broke its contract and was taken out of service */

/* Registers: CARD */
#define PAGEPRESS_CARD_BASE	0x0u	/* Identity, control and status of the whole card */
#define PAGEPRESS_REGISTER_MAGIC	0x0u	/* ro: identifies a Pagepress card */
#define PAGEPRESS_REGISTER_VERSION	0x4u	/* ro: interface version */
#define PAGEPRESS_VERSION_MINOR_SHIFT	0u	/* minor version */
#define PAGEPRESS_VERSION_MINOR_WIDTH	16u	/* bits of VERSION_MINOR */
#define PAGEPRESS_VERSION_MINOR_MASK	0xffffu	/* VERSION_MINOR in place */
#define PAGEPRESS_VERSION_MAJOR_SHIFT	16u	/* major version */
#define PAGEPRESS_VERSION_MAJOR_WIDTH	16u	/* bits of VERSION_MAJOR */
#define PAGEPRESS_VERSION_MAJOR_MASK	0xffff0000u	/* VERSION_MAJOR in place */
#define PAGEPRESS_REGISTER_HASH_LOW	0x8u	/* ro: interface hash, bits 31..0 */
#define PAGEPRESS_REGISTER_HASH_HIGH	0xcu	/* ro: interface hash, bits 63..32 */
#define PAGEPRESS_REGISTER_CAPABILITIES	0x10u	/* ro: what this card was built with */
#define PAGEPRESS_CAPABILITIES_PAGE_SHIFT_SHIFT	0u	/* log2 of the page size in bytes */
#define PAGEPRESS_CAPABILITIES_PAGE_SHIFT_WIDTH	8u	/* bits of CAPABILITIES_PAGE_SHIFT */
#define PAGEPRESS_CAPABILITIES_PAGE_SHIFT_MASK	0xffu	/* CAPABILITIES_PAGE_SHIFT in place */
#define PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT	8u	/* queue pairs present */
#define PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_WIDTH	8u	/* bits of CAPABILITIES_QUEUE_PAIRS */
#define PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK	0xff00u	/* CAPABILITIES_QUEUE_PAIRS in place */
#define PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT	16u	/* log2 of the deepest ring */
#define PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_WIDTH	8u	/* bits of CAPABILITIES_MAX_DEPTH_LOG2 */
#define PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_MASK	0xff0000u	/* CAPABILITIES_MAX_DEPTH_LOG2 in place */
#define PAGEPRESS_CAPABILITIES_PUSH_SHIFT	24u	/* 1: there are windows to push entries through (block PUSH) */
#define PAGEPRESS_CAPABILITIES_PUSH_WIDTH	1u	/* bits of CAPABILITIES_PUSH */
#define PAGEPRESS_CAPABILITIES_PUSH_MASK	0x1000000u	/* CAPABILITIES_PUSH in place */
#define PAGEPRESS_CAPABILITIES_WEIGHTS_SHIFT	25u	/* 1: queues have a WEIGHT; else all count the same */
#define PAGEPRESS_CAPABILITIES_WEIGHTS_WIDTH	1u	/* bits of CAPABILITIES_WEIGHTS */
#define PAGEPRESS_CAPABILITIES_WEIGHTS_MASK	0x2000000u	/* CAPABILITIES_WEIGHTS in place */
#define PAGEPRESS_CAPABILITIES_COLD_TABLES_SHIFT	26u	/* version of the tables of the cold format (cold.md) that this card's engines have; 0: they have none, and COLD is refused as INVALID_FORMAT */
#define PAGEPRESS_CAPABILITIES_COLD_TABLES_WIDTH	6u	/* bits of CAPABILITIES_COLD_TABLES */
#define PAGEPRESS_CAPABILITIES_COLD_TABLES_MASK	0xfc000000u	/* CAPABILITIES_COLD_TABLES in place */
#define PAGEPRESS_REGISTER_ENGINES	0x14u	/* ro: engines present */
#define PAGEPRESS_ENGINES_COMPRESSORS_SHIFT	0u	/* compressors present */
#define PAGEPRESS_ENGINES_COMPRESSORS_WIDTH	8u	/* bits of ENGINES_COMPRESSORS */
#define PAGEPRESS_ENGINES_COMPRESSORS_MASK	0xffu	/* ENGINES_COMPRESSORS in place */
#define PAGEPRESS_ENGINES_DECOMPRESSORS_SHIFT	8u	/* decompressors present */
#define PAGEPRESS_ENGINES_DECOMPRESSORS_WIDTH	8u	/* bits of ENGINES_DECOMPRESSORS */
#define PAGEPRESS_ENGINES_DECOMPRESSORS_MASK	0xff00u	/* ENGINES_DECOMPRESSORS in place */
#define PAGEPRESS_ENGINES_STREAM_BYTES_SHIFT	16u	/* width of the bus, bytes a cycle */
#define PAGEPRESS_ENGINES_STREAM_BYTES_WIDTH	8u	/* bits of ENGINES_STREAM_BYTES */
#define PAGEPRESS_ENGINES_STREAM_BYTES_MASK	0xff0000u	/* ENGINES_STREAM_BYTES in place */
#define PAGEPRESS_REGISTER_CLOCK	0x18u	/* ro: core clock, kilohertz */
#define PAGEPRESS_REGISTER_CONTROL	0x20u	/* rw: control */
#define PAGEPRESS_CONTROL_ENABLE_SHIFT	0u	/* 1: run; 0: stop fetching, finish or abort what is in flight, then drop READY. Clears every queue's ENABLE and error on the way to 0. Setting it is ignored while READY is 1 */
#define PAGEPRESS_CONTROL_ENABLE_WIDTH	1u	/* bits of CONTROL_ENABLE */
#define PAGEPRESS_CONTROL_ENABLE_MASK	0x1u	/* CONTROL_ENABLE in place */
#define PAGEPRESS_REGISTER_STATUS	0x24u	/* ro: status */
#define PAGEPRESS_STATUS_READY_SHIFT	0u	/* rises after ENABLE; falls after disable only when no DMA is outstanding */
#define PAGEPRESS_STATUS_READY_WIDTH	1u	/* bits of STATUS_READY */
#define PAGEPRESS_STATUS_READY_MASK	0x1u	/* STATUS_READY in place */
#define PAGEPRESS_STATUS_FATAL_SHIFT	1u	/* the card stopped by itself; FATAL_CAUSE says why; cleared by disable */
#define PAGEPRESS_STATUS_FATAL_WIDTH	1u	/* bits of STATUS_FATAL */
#define PAGEPRESS_STATUS_FATAL_MASK	0x2u	/* STATUS_FATAL in place */
#define PAGEPRESS_STATUS_BUSY_SHIFT	2u	/* commands are in flight */
#define PAGEPRESS_STATUS_BUSY_WIDTH	1u	/* bits of STATUS_BUSY */
#define PAGEPRESS_STATUS_BUSY_MASK	0x4u	/* STATUS_BUSY in place */
#define PAGEPRESS_REGISTER_FATAL_CAUSE	0x28u	/* ro: why FATAL is set (fatal_causes) */

/* Registers: QUEUE */
#define PAGEPRESS_QUEUE_BASE	0x1000u	/* One block a queue pair. Base, depth and moderation may change only while QUEUE_STATUS.ACTIVE is 0 */
#define PAGEPRESS_QUEUE_STRIDE	0x40u	/* bytes from one copy to the next */
#define PAGEPRESS_QUEUE_COUNT	64u	/* copies */
#define PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW	0x0u	/* rw: submission ring bus address, bits 31..0 */
#define PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH	0x4u	/* rw: submission ring bus address, bits 63..32 */
#define PAGEPRESS_REGISTER_COMPLETION_BASE_LOW	0x8u	/* rw: completion ring bus address, bits 31..0 */
#define PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH	0xcu	/* rw: completion ring bus address, bits 63..32 */
#define PAGEPRESS_REGISTER_DEPTH_LOG2	0x10u	/* rw: log2 of the entries of both rings; above 31 reads back as 31 */
#define PAGEPRESS_REGISTER_MODERATION	0x14u	/* rw: interrupt when either limit is reached */
#define PAGEPRESS_MODERATION_COUNT_SHIFT	0u	/* completions waiting; 0 and 1 mean each */
#define PAGEPRESS_MODERATION_COUNT_WIDTH	16u	/* bits of MODERATION_COUNT */
#define PAGEPRESS_MODERATION_COUNT_MASK	0xffffu	/* MODERATION_COUNT in place */
#define PAGEPRESS_MODERATION_CYCLES_SHIFT	16u	/* age of the oldest completion, or of the last acknowledgement, in units of 16 core clock cycles; 0 means at once */
#define PAGEPRESS_MODERATION_CYCLES_WIDTH	16u	/* bits of MODERATION_CYCLES */
#define PAGEPRESS_MODERATION_CYCLES_MASK	0xffff0000u	/* MODERATION_CYCLES in place */
#define PAGEPRESS_REGISTER_QUEUE_CONTROL	0x18u	/* rw: queue control */
#define PAGEPRESS_QUEUE_CONTROL_ENABLE_SHIFT	0u	/* 1: start with both rings empty and phase 1, ignored while ACTIVE is 1 or the card is not enabled; 0: stop fetching, drain, then drop ACTIVE */
#define PAGEPRESS_QUEUE_CONTROL_ENABLE_WIDTH	1u	/* bits of QUEUE_CONTROL_ENABLE */
#define PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK	0x1u	/* QUEUE_CONTROL_ENABLE in place */
#define PAGEPRESS_REGISTER_QUEUE_STATUS	0x1cu	/* ro: queue status */
#define PAGEPRESS_QUEUE_STATUS_ACTIVE_SHIFT	0u	/* the queue is enabled or still has commands in flight */
#define PAGEPRESS_QUEUE_STATUS_ACTIVE_WIDTH	1u	/* bits of QUEUE_STATUS_ACTIVE */
#define PAGEPRESS_QUEUE_STATUS_ACTIVE_MASK	0x1u	/* QUEUE_STATUS_ACTIVE in place */
#define PAGEPRESS_QUEUE_STATUS_ERROR_SHIFT	1u	/* the queue stopped by itself; CAUSE says why; cleared by disabling it */
#define PAGEPRESS_QUEUE_STATUS_ERROR_WIDTH	1u	/* bits of QUEUE_STATUS_ERROR */
#define PAGEPRESS_QUEUE_STATUS_ERROR_MASK	0x2u	/* QUEUE_STATUS_ERROR in place */
#define PAGEPRESS_QUEUE_STATUS_CAUSE_SHIFT	8u	/* why ERROR is set (fatal_causes) */
#define PAGEPRESS_QUEUE_STATUS_CAUSE_WIDTH	8u	/* bits of QUEUE_STATUS_CAUSE */
#define PAGEPRESS_QUEUE_STATUS_CAUSE_MASK	0xff00u	/* QUEUE_STATUS_CAUSE in place */
#define PAGEPRESS_REGISTER_SUBMISSION_HEAD	0x20u	/* ro: next submission entry the card will fetch */
#define PAGEPRESS_REGISTER_COMPLETION_TAIL	0x24u	/* ro: next completion entry the card will write */
#define PAGEPRESS_REGISTER_WEIGHT	0x28u	/* rw: of cards with WEIGHTS: how many commands the queue begins for one that a queue of weight 1 begins, while both always have commands of a kind waiting; compress and decompress are shared apart. 1 to MAX_WEIGHT: 0 reads back as 1, more as MAX_WEIGHT. May change at any time; only a reset of the card makes it DEFAULT_WEIGHT */

/* Registers: DOORBELL */
#define PAGEPRESS_DOORBELL_BASE	0x2000u	/* Doorbells. A ring is empty when head equals tail, full one entry before that */
#define PAGEPRESS_DOORBELL_STRIDE	0x8u	/* bytes from one copy to the next */
#define PAGEPRESS_DOORBELL_COUNT	64u	/* copies */
#define PAGEPRESS_REGISTER_SUBMISSION_TAIL	0x0u	/* wo: index after the last submission entry written by software */
#define PAGEPRESS_REGISTER_COMPLETION_HEAD	0x4u	/* wo: index of the next completion entry software will read; also acknowledges the queue's interrupt */

/* Registers: PUSH */
#define PAGEPRESS_PUSH_BASE	0x4000u	/* Windows of cards with PUSH: a copy of the submission entry that the next doorbell is for, which is in the ring all the same. The card keeps the copy that was begun last; it fetches the entry if that is cut short, out of order, or not of the entry it would fetch next */
#define PAGEPRESS_PUSH_STRIDE	0x40u	/* bytes from one copy to the next */
#define PAGEPRESS_PUSH_COUNT	64u	/* copies */
#define PAGEPRESS_REGISTER_PUSH_BEGIN	0x0u	/* wo: begins a copy; all of it is written in the order of addresses */
#define PAGEPRESS_PUSH_BEGIN_NUMBER_SHIFT	0u	/* submission entries before this one since the queue was enabled, modulo 65536 */
#define PAGEPRESS_PUSH_BEGIN_NUMBER_WIDTH	16u	/* bits of PUSH_BEGIN_NUMBER */
#define PAGEPRESS_PUSH_BEGIN_NUMBER_MASK	0xffffu	/* PUSH_BEGIN_NUMBER in place */
#define PAGEPRESS_REGISTER_PUSH_ENTRY	0x4u	/* wo: first of PUSH_ENTRY_BYTES bytes of the entry; its reserved bytes count as 0 */
#define PAGEPRESS_REGISTER_PUSH_END	0x28u	/* wo: ends the copy, and must be the same as PUSH_BEGIN; what is written behind it is ignored */

/* Counters */
#define PAGEPRESS_COUNTER_BASE	0x100u	/* byte offset of counter 0 in BAR0 */
#define PAGEPRESS_COUNTER_COUNT	19u	/* counters present */
#define PAGEPRESS_COUNTER_CYCLES	0u	/* core clock cycles while the card was enabled (cycles) */
#define PAGEPRESS_COUNTER_COMMANDS	1u	/* submission entries taken from their rings (commands) */
#define PAGEPRESS_COUNTER_COMPLETIONS	2u	/* completion entries written (commands) */
#define PAGEPRESS_COUNTER_INTERRUPTS	3u	/* interrupts raised (interrupts) */
#define PAGEPRESS_COUNTER_DOORBELLS	4u	/* submission doorbells accepted (writes) */
#define PAGEPRESS_COUNTER_PAGES_COMPRESSED	5u	/* COMPRESS commands that ended SUCCESS (pages) */
#define PAGEPRESS_COUNTER_PAGES_SAME_FILLED	6u	/* COMPRESS commands that ended SAME_FILLED (pages) */
#define PAGEPRESS_COUNTER_PAGES_INCOMPRESSIBLE	7u	/* COMPRESS commands that ended INCOMPRESSIBLE (pages) */
#define PAGEPRESS_COUNTER_PAGES_DECOMPRESSED	8u	/* DECOMPRESS commands that ended SUCCESS (pages) */
#define PAGEPRESS_COUNTER_COMPRESS_BYTES_IN	9u	/* plain bytes of PAGES_COMPRESSED (bytes) */
#define PAGEPRESS_COUNTER_COMPRESS_BYTES_OUT	10u	/* stream bytes of PAGES_COMPRESSED (bytes) */
#define PAGEPRESS_COUNTER_DECOMPRESS_BYTES_IN	11u	/* stream bytes of PAGES_DECOMPRESSED (bytes) */
#define PAGEPRESS_COUNTER_DECOMPRESS_BYTES_OUT	12u	/* plain bytes of PAGES_DECOMPRESSED (bytes) */
#define PAGEPRESS_COUNTER_COMPRESS_BUSY_CYCLES	13u	/* cycles with at least one COMPRESS command in an engine (cycles) */
#define PAGEPRESS_COUNTER_DECOMPRESS_BUSY_CYCLES	14u	/* cycles with at least one DECOMPRESS command in an engine (cycles) */
#define PAGEPRESS_COUNTER_VERIFY_FAILURES	15u	/* COMPRESS commands that ended VERIFY_FAILED (pages) */
#define PAGEPRESS_COUNTER_COMMANDS_REFUSED	16u	/* commands that ended with a status of kind refused (commands) */
#define PAGEPRESS_COUNTER_COMMANDS_FAILED	17u	/* commands that ended with a status of kind failed (commands) */
#define PAGEPRESS_COUNTER_COMMANDS_PUSHED	18u	/* COMMANDS that were taken from a PUSH window, not fetched (commands) */

/* Descriptors */
#define PAGEPRESS_SUBMISSION_ENTRY_BYTES	64u	/* one command, written by software */
#define PAGEPRESS_SUBMISSION_ENTRY_OPCODE_OFFSET	0x0u	/* byte offset of opcode */
#define PAGEPRESS_SUBMISSION_ENTRY_FORMAT_OFFSET	0x1u	/* byte offset of format */
#define PAGEPRESS_SUBMISSION_ENTRY_FLAGS_OFFSET	0x2u	/* byte offset of flags */
#define PAGEPRESS_SUBMISSION_ENTRY_TAG_OFFSET	0x4u	/* byte offset of tag */
#define PAGEPRESS_SUBMISSION_ENTRY_SOURCE_ADDRESS_OFFSET	0x8u	/* byte offset of source_address */
#define PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_ADDRESS_OFFSET	0x10u	/* byte offset of destination_address */
#define PAGEPRESS_SUBMISSION_ENTRY_SOURCE_LENGTH_OFFSET	0x18u	/* byte offset of source_length */
#define PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_CAPACITY_OFFSET	0x1cu	/* byte offset of destination_capacity */
#define PAGEPRESS_SUBMISSION_ENTRY_EXPECTED_CRC32C_OFFSET	0x20u	/* byte offset of expected_crc32c */
#define PAGEPRESS_SUBMISSION_ENTRY_RESERVED_OFFSET	0x24u	/* byte offset of reserved */
#define PAGEPRESS_COMPLETION_ENTRY_BYTES	32u	/* one result, written by the card in one burst, phase last */
#define PAGEPRESS_COMPLETION_ENTRY_DETAIL_OFFSET	0x0u	/* byte offset of detail */
#define PAGEPRESS_COMPLETION_ENTRY_PRODUCED_LENGTH_OFFSET	0x8u	/* byte offset of produced_length */
#define PAGEPRESS_COMPLETION_ENTRY_CRC32C_OFFSET	0xcu	/* byte offset of crc32c */
#define PAGEPRESS_COMPLETION_ENTRY_ENGINE_CYCLES_OFFSET	0x10u	/* byte offset of engine_cycles */
#define PAGEPRESS_COMPLETION_ENTRY_SUBMISSION_HEAD_OFFSET	0x14u	/* byte offset of submission_head */
#define PAGEPRESS_COMPLETION_ENTRY_RESERVED_OFFSET	0x16u	/* byte offset of reserved */
#define PAGEPRESS_COMPLETION_ENTRY_TAG_OFFSET	0x18u	/* byte offset of tag */
#define PAGEPRESS_COMPLETION_ENTRY_STATUS_OFFSET	0x1cu	/* byte offset of status */
#define PAGEPRESS_COMPLETION_ENTRY_RESERVED2_OFFSET	0x1du	/* byte offset of reserved2 */
#define PAGEPRESS_COMPLETION_ENTRY_PHASE_OFFSET	0x1fu	/* byte offset of phase */

/* Registers: pagepress_kernel */
#define PAGEPRESS_pagepress_kernel_BASE	0x0u	/* Kernel for AMD's XRT */
#define PAGEPRESS_REGISTER_RUN_CONTROL	0x0u	/* rw: the handshake ap_ctrl_hs */
#define PAGEPRESS_RUN_CONTROL_START_SHIFT	0u	/* 1: begin a run, ignored while one is under way; reads 1 until its arguments may be written again, which is at its end */
#define PAGEPRESS_RUN_CONTROL_START_WIDTH	1u	/* bits of RUN_CONTROL_START */
#define PAGEPRESS_RUN_CONTROL_START_MASK	0x1u	/* RUN_CONTROL_START in place */
#define PAGEPRESS_RUN_CONTROL_DONE_SHIFT	1u	/* a run has ended; cleared by reading */
#define PAGEPRESS_RUN_CONTROL_DONE_WIDTH	1u	/* bits of RUN_CONTROL_DONE */
#define PAGEPRESS_RUN_CONTROL_DONE_MASK	0x2u	/* RUN_CONTROL_DONE in place */
#define PAGEPRESS_RUN_CONTROL_IDLE_SHIFT	2u	/* no run is under way */
#define PAGEPRESS_RUN_CONTROL_IDLE_WIDTH	1u	/* bits of RUN_CONTROL_IDLE */
#define PAGEPRESS_RUN_CONTROL_IDLE_MASK	0x4u	/* RUN_CONTROL_IDLE in place */
#define PAGEPRESS_RUN_CONTROL_READY_SHIFT	3u	/* the same as DONE */
#define PAGEPRESS_RUN_CONTROL_READY_WIDTH	1u	/* bits of RUN_CONTROL_READY */
#define PAGEPRESS_RUN_CONTROL_READY_MASK	0x8u	/* RUN_CONTROL_READY in place */
#define PAGEPRESS_REGISTER_INTERRUPT_GLOBAL	0x4u	/* rw: 1: the interrupt port is the OR of what INTERRUPT_ENABLE lets through */
#define PAGEPRESS_REGISTER_INTERRUPT_ENABLE	0x8u	/* rw: bits of INTERRUPT_STATUS that interrupt */
#define PAGEPRESS_REGISTER_INTERRUPT_STATUS	0xcu	/* rw: what would interrupt */
#define PAGEPRESS_INTERRUPT_STATUS_DONE_SHIFT	0u	/* a run has ended while this was enabled; writing 1 turns it over */
#define PAGEPRESS_INTERRUPT_STATUS_DONE_WIDTH	1u	/* bits of INTERRUPT_STATUS_DONE */
#define PAGEPRESS_INTERRUPT_STATUS_DONE_MASK	0x1u	/* INTERRUPT_STATUS_DONE in place */
#define PAGEPRESS_INTERRUPT_STATUS_READY_SHIFT	1u	/* the same */
#define PAGEPRESS_INTERRUPT_STATUS_READY_WIDTH	1u	/* bits of INTERRUPT_STATUS_READY */
#define PAGEPRESS_INTERRUPT_STATUS_READY_MASK	0x2u	/* INTERRUPT_STATUS_READY in place */
#define PAGEPRESS_INTERRUPT_STATUS_CORE_SHIFT	2u	/* an interrupt level of the core is high and no run is under way; read-only */
#define PAGEPRESS_INTERRUPT_STATUS_CORE_WIDTH	1u	/* bits of INTERRUPT_STATUS_CORE */
#define PAGEPRESS_INTERRUPT_STATUS_CORE_MASK	0x4u	/* INTERRUPT_STATUS_CORE in place */
#define PAGEPRESS_REGISTER_RUN_CAUSE	0x30u	/* ro: why the last run ended before its last command (fatal_causes); its commands without a completion were not carried out or not finished */

/* Kernel for XRT */
#define PAGEPRESS_KERNEL_ADDRESS_BYTES	65536u	/* size of its control port's address space */
#define PAGEPRESS_KERNEL_CORE_WINDOW	0x8000u	/* byte offset there of the core's registers, the lower half of BAR0 */
#define PAGEPRESS_KERNEL_MEMORY_BITS	0x200u	/* data width of its memory port */
#define PAGEPRESS_KERNEL_ARGUMENT_SUBMISSIONS	0x0u	/* SubmissionEntry of each command, aligned to RING_ALIGNMENT; addresses in them are the memory's */
#define PAGEPRESS_KERNEL_ARGUMENT_SUBMISSIONS_OFFSET	0x10u	/* byte offset of submissions on the control port */
#define PAGEPRESS_KERNEL_ARGUMENT_COMPLETIONS	0x1u	/* room for a CompletionEntry of each command, aligned to RING_ALIGNMENT; entries stand in the order in which commands end, with phase 1 */
#define PAGEPRESS_KERNEL_ARGUMENT_COMPLETIONS_OFFSET	0x1cu	/* byte offset of completions on the control port */
#define PAGEPRESS_KERNEL_ARGUMENT_COUNT	2u	/* commands, at most one less than the deepest ring has entries */
#define PAGEPRESS_KERNEL_ARGUMENT_COUNT_OFFSET	0x28u	/* byte offset of count on the control port */

/* Status name and kind for messages: X(NAME, number, kind) */
#define PAGEPRESS_STATUSES(X) \
	X(SUCCESS, 0, DONE) \
	X(SAME_FILLED, 1, DONE) \
	X(INCOMPRESSIBLE, 2, DONE) \
	X(INVALID_OPCODE, 3, REFUSED) \
	X(INVALID_FORMAT, 4, REFUSED) \
	X(INVALID_FLAGS, 5, REFUSED) \
	X(INVALID_LENGTH, 6, REFUSED) \
	X(INVALID_ADDRESS, 7, REFUSED) \
	X(READ_FAULT, 8, FAILED) \
	X(WRITE_FAULT, 9, FAILED) \
	X(MALFORMED_STREAM, 10, FAILED) \
	X(OUTPUT_OVERRUN, 11, FAILED) \
	X(OUTPUT_UNDERRUN, 12, FAILED) \
	X(CRC_MISMATCH, 13, FAILED) \
	X(VERIFY_FAILED, 14, FAILED) \
	X(ABORTED, 15, FAILED) \
	X(ENGINE_FAULT, 16, FAILED)

/* Counter names in index order: X(NAME, index, name) */
#define PAGEPRESS_COUNTERS(X) \
	X(CYCLES, 0, cycles) \
	X(COMMANDS, 1, commands) \
	X(COMPLETIONS, 2, completions) \
	X(INTERRUPTS, 3, interrupts) \
	X(DOORBELLS, 4, doorbells) \
	X(PAGES_COMPRESSED, 5, pages_compressed) \
	X(PAGES_SAME_FILLED, 6, pages_same_filled) \
	X(PAGES_INCOMPRESSIBLE, 7, pages_incompressible) \
	X(PAGES_DECOMPRESSED, 8, pages_decompressed) \
	X(COMPRESS_BYTES_IN, 9, compress_bytes_in) \
	X(COMPRESS_BYTES_OUT, 10, compress_bytes_out) \
	X(DECOMPRESS_BYTES_IN, 11, decompress_bytes_in) \
	X(DECOMPRESS_BYTES_OUT, 12, decompress_bytes_out) \
	X(COMPRESS_BUSY_CYCLES, 13, compress_busy_cycles) \
	X(DECOMPRESS_BUSY_CYCLES, 14, decompress_busy_cycles) \
	X(VERIFY_FAILURES, 15, verify_failures) \
	X(COMMANDS_REFUSED, 16, commands_refused) \
	X(COMMANDS_FAILED, 17, commands_failed) \
	X(COMMANDS_PUSHED, 18, commands_pushed)

/* Fatal causes for messages: X(NAME, number) */
#define PAGEPRESS_FATAL_CAUSES(X) \
	X(NONE, 0) \
	X(DOORBELL_RANGE, 1) \
	X(RING_FETCH, 2) \
	X(RING_COMPLETE, 3) \
	X(RING_SETUP, 4) \
	X(ENGINE_STUCK, 5)

/* Registers in the order of their addresses: X(BLOCK, NAME, access) */
#define PAGEPRESS_REGISTERS(X) \
	X(CARD, MAGIC, ro) \
	X(CARD, VERSION, ro) \
	X(CARD, HASH_LOW, ro) \
	X(CARD, HASH_HIGH, ro) \
	X(CARD, CAPABILITIES, ro) \
	X(CARD, ENGINES, ro) \
	X(CARD, CLOCK, ro) \
	X(CARD, CONTROL, rw) \
	X(CARD, STATUS, ro) \
	X(CARD, FATAL_CAUSE, ro) \
	X(QUEUE, SUBMISSION_BASE_LOW, rw) \
	X(QUEUE, SUBMISSION_BASE_HIGH, rw) \
	X(QUEUE, COMPLETION_BASE_LOW, rw) \
	X(QUEUE, COMPLETION_BASE_HIGH, rw) \
	X(QUEUE, DEPTH_LOG2, rw) \
	X(QUEUE, MODERATION, rw) \
	X(QUEUE, QUEUE_CONTROL, rw) \
	X(QUEUE, QUEUE_STATUS, ro) \
	X(QUEUE, SUBMISSION_HEAD, ro) \
	X(QUEUE, COMPLETION_TAIL, ro) \
	X(QUEUE, WEIGHT, rw) \
	X(DOORBELL, SUBMISSION_TAIL, wo) \
	X(DOORBELL, COMPLETION_HEAD, wo) \
	X(PUSH, PUSH_BEGIN, wo) \
	X(PUSH, PUSH_ENTRY, wo) \
	X(PUSH, PUSH_END, wo)

/* Fields of registers, lowest first: X(REGISTER, FIELD) */
#define PAGEPRESS_FIELDS(X) \
	X(VERSION, MINOR) \
	X(VERSION, MAJOR) \
	X(CAPABILITIES, PAGE_SHIFT) \
	X(CAPABILITIES, QUEUE_PAIRS) \
	X(CAPABILITIES, MAX_DEPTH_LOG2) \
	X(CAPABILITIES, PUSH) \
	X(CAPABILITIES, WEIGHTS) \
	X(CAPABILITIES, COLD_TABLES) \
	X(ENGINES, COMPRESSORS) \
	X(ENGINES, DECOMPRESSORS) \
	X(ENGINES, STREAM_BYTES) \
	X(CONTROL, ENABLE) \
	X(STATUS, READY) \
	X(STATUS, FATAL) \
	X(STATUS, BUSY) \
	X(MODERATION, COUNT) \
	X(MODERATION, CYCLES) \
	X(QUEUE_CONTROL, ENABLE) \
	X(QUEUE_STATUS, ACTIVE) \
	X(QUEUE_STATUS, ERROR) \
	X(QUEUE_STATUS, CAUSE) \
	X(PUSH_BEGIN, NUMBER)

/* one command, written by software */
struct pagepress_submission_entry {
	PAGEPRESS_U8 opcode;	/* operation (opcodes) */
	PAGEPRESS_U8 format;	/* stream format (formats); ignored by NOP */
	PAGEPRESS_LE16 flags;	/* flags; undefined bits are 0 */
	PAGEPRESS_LE32 tag;	/* returned in the completion, not interpreted */
	PAGEPRESS_LE64 source_address;	/* bus address of the input, of any alignment */
	PAGEPRESS_LE64 destination_address;	/* bus address of the output, of any alignment */
	PAGEPRESS_LE32 source_length;	/* bytes of input: one page for COMPRESS, 1 to two pages for DECOMPRESS */
	PAGEPRESS_LE32 destination_capacity;	/* most bytes of output: 1 to one page for COMPRESS, one page for DECOMPRESS */
	PAGEPRESS_LE32 expected_crc32c;	/* CRC32C of the plain page, checked under CHECK_CRC */
	PAGEPRESS_U8 reserved[28];
};

static_assert(sizeof(struct pagepress_submission_entry) == PAGEPRESS_SUBMISSION_ENTRY_BYTES, "size of pagepress_submission_entry");
static_assert(offsetof(struct pagepress_submission_entry, opcode) == PAGEPRESS_SUBMISSION_ENTRY_OPCODE_OFFSET, "offset of opcode");
static_assert(offsetof(struct pagepress_submission_entry, format) == PAGEPRESS_SUBMISSION_ENTRY_FORMAT_OFFSET, "offset of format");
static_assert(offsetof(struct pagepress_submission_entry, flags) == PAGEPRESS_SUBMISSION_ENTRY_FLAGS_OFFSET, "offset of flags");
static_assert(offsetof(struct pagepress_submission_entry, tag) == PAGEPRESS_SUBMISSION_ENTRY_TAG_OFFSET, "offset of tag");
static_assert(offsetof(struct pagepress_submission_entry, source_address) == PAGEPRESS_SUBMISSION_ENTRY_SOURCE_ADDRESS_OFFSET, "offset of source_address");
static_assert(offsetof(struct pagepress_submission_entry, destination_address) == PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_ADDRESS_OFFSET, "offset of destination_address");
static_assert(offsetof(struct pagepress_submission_entry, source_length) == PAGEPRESS_SUBMISSION_ENTRY_SOURCE_LENGTH_OFFSET, "offset of source_length");
static_assert(offsetof(struct pagepress_submission_entry, destination_capacity) == PAGEPRESS_SUBMISSION_ENTRY_DESTINATION_CAPACITY_OFFSET, "offset of destination_capacity");
static_assert(offsetof(struct pagepress_submission_entry, expected_crc32c) == PAGEPRESS_SUBMISSION_ENTRY_EXPECTED_CRC32C_OFFSET, "offset of expected_crc32c");
static_assert(offsetof(struct pagepress_submission_entry, reserved) == PAGEPRESS_SUBMISSION_ENTRY_RESERVED_OFFSET, "offset of reserved");

/* one result, written by the card in one burst, phase last */
struct pagepress_completion_entry {
	PAGEPRESS_LE64 detail;	/* SAME_FILLED: the 8 bytes the page repeats; SUCCESS of COMPRESS: CRC32C of the stream as it was verified; else 0 */
	PAGEPRESS_LE32 produced_length;	/* bytes of output written */
	PAGEPRESS_LE32 crc32c;	/* CRC32C of the plain page */
	PAGEPRESS_LE32 engine_cycles;	/* core clock cycles from dispatch to result */
	PAGEPRESS_LE16 submission_head;	/* entries before this index have been fetched and may be overwritten */
	PAGEPRESS_U8 reserved[2];
	PAGEPRESS_LE32 tag;	/* tag of the submission */
	PAGEPRESS_U8 status;	/* result (statuses) */
	PAGEPRESS_U8 reserved2[2];
	PAGEPRESS_U8 phase;	/* 1 on the first pass over the ring, 0 on the second, and so on */
};

static_assert(sizeof(struct pagepress_completion_entry) == PAGEPRESS_COMPLETION_ENTRY_BYTES, "size of pagepress_completion_entry");
static_assert(offsetof(struct pagepress_completion_entry, detail) == PAGEPRESS_COMPLETION_ENTRY_DETAIL_OFFSET, "offset of detail");
static_assert(offsetof(struct pagepress_completion_entry, produced_length) == PAGEPRESS_COMPLETION_ENTRY_PRODUCED_LENGTH_OFFSET, "offset of produced_length");
static_assert(offsetof(struct pagepress_completion_entry, crc32c) == PAGEPRESS_COMPLETION_ENTRY_CRC32C_OFFSET, "offset of crc32c");
static_assert(offsetof(struct pagepress_completion_entry, engine_cycles) == PAGEPRESS_COMPLETION_ENTRY_ENGINE_CYCLES_OFFSET, "offset of engine_cycles");
static_assert(offsetof(struct pagepress_completion_entry, submission_head) == PAGEPRESS_COMPLETION_ENTRY_SUBMISSION_HEAD_OFFSET, "offset of submission_head");
static_assert(offsetof(struct pagepress_completion_entry, reserved) == PAGEPRESS_COMPLETION_ENTRY_RESERVED_OFFSET, "offset of reserved");
static_assert(offsetof(struct pagepress_completion_entry, tag) == PAGEPRESS_COMPLETION_ENTRY_TAG_OFFSET, "offset of tag");
static_assert(offsetof(struct pagepress_completion_entry, status) == PAGEPRESS_COMPLETION_ENTRY_STATUS_OFFSET, "offset of status");
static_assert(offsetof(struct pagepress_completion_entry, reserved2) == PAGEPRESS_COMPLETION_ENTRY_RESERVED2_OFFSET, "offset of reserved2");
static_assert(offsetof(struct pagepress_completion_entry, phase) == PAGEPRESS_COMPLETION_ENTRY_PHASE_OFFSET, "offset of phase");

#endif /* PAGEPRESS_INTERFACE_H */
