/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pagepress on a chip, for programs without an operating system: pages to streams and back through one queue of a core.
 *
 * No heap, no libc, no state of its own: all of it lies in a struct pagepress_core and in memory that the caller gives. Nothing waits
 * longer than the caller says. One caller at a time, one queue: others of the core are somebody else's, but stop with it.
 *
 *	static _Alignas(PAGEPRESS_RING_ALIGNMENT) struct pagepress_submission_entry submissions[8];
 *	static _Alignas(PAGEPRESS_RING_ALIGNMENT) struct pagepress_completion_entry completions[8];
 *	static const struct pagepress_bus bus = {
 *		.context = (void *)0x40000000, .read = pagepress_mapped_read, .write = pagepress_mapped_write };
 *	static struct pagepress_core core = {
 *		.bus = &bus, .submissions = submissions, .completions = completions, .depth_log2 = 3, .queue = 0, .polls = 1000000 };
 *
 *	if (pagepress_start(&core) == PAGEPRESS_OK &&
 *	    pagepress_compress(&core, page, stream, capacity, &outcome) == PAGEPRESS_OK &&
 *	    outcome.status == PAGEPRESS_STATUS_SUCCESS)
 *		keep(stream, outcome.length, outcome.crc32c);
 *
 * The promise that no failure of the core loses a page is the caller's to keep: keep the plain page until its stream is kept, and the
 * stream until its page is back. What a page costs in software is the caller's, too: this driver has no codec.
 */
#ifndef PAGEPRESS_SOC_H
#define PAGEPRESS_SOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pagepress_interface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a function came to. Only PAGEPRESS_OK leaves an outcome. */
enum pagepress_result {
	PAGEPRESS_OK = 0,
	PAGEPRESS_BAD_ARGUMENT,	/* a pointer is NULL, a ring is not aligned, a size is out of range; nothing was done */
	PAGEPRESS_NO_CORE,	/* MAGIC is not there: wrong address, or the core has no clock */
	PAGEPRESS_OTHER_VERSION,/* the core speaks another interface than this driver was built with */
	PAGEPRESS_NO_QUEUE,	/* the core has no queue of this number, or no ring of this depth */
	PAGEPRESS_FULL,		/* as many commands are in flight as the ring holds; poll first */
	PAGEPRESS_EMPTY,	/* no completion is there yet */
	PAGEPRESS_NOT_RUNNING,	/* not started, or stopped since; start it */
	PAGEPRESS_STOPPED,	/* the core or the queue has stopped by itself: pagepress_cause says why. Buffers are its until pagepress_stop or _start says OK */
	PAGEPRESS_TIMEOUT,	/* no completion after `polls` polls; the core has been stopped, buffers are the caller's again */
	PAGEPRESS_BROKEN,	/* a completion that cannot be; the core has been stopped, buffers are the caller's again */
	PAGEPRESS_HUNG		/* it does not stop, and may still write to buffers and rings: hold its reset before they are used again */
};

/*
 * How the core is reached. `read` and `write` are needed; the others may be NULL.
 *
 * `write` must not overtake earlier stores to memory, nor `read` later loads (pagepress_mapped_write and _read see to that).
 * `clean` and `invalidate` are for a core that does not see the processor's caches: before the core reads what the processor has
 * written, and before the processor reads what the core has written. Buffers begin and end with cache lines there.
 */
struct pagepress_bus {
	void *context;									/* given to each of these */
	uint32_t (*read)(void *context, uint32_t offset);				/* a register, `offset` bytes from the core's base */
	void (*write)(void *context, uint32_t offset, uint32_t value);
	uint64_t (*address)(void *context, const volatile void *memory);		/* as the core sees it; NULL: as the processor does */
	void (*clean)(void *context, const volatile void *memory, size_t bytes);
	void (*invalidate)(void *context, volatile void *memory, size_t bytes);
	void (*idle)(void *context);							/* between two polls: a pause, or a simulation's next cycles */
};

/* A queue of a core. The first six members are the caller's, set before pagepress_start; the others are the driver's, zeros before the first start. */
struct pagepress_core {
	const struct pagepress_bus *bus;
	volatile struct pagepress_submission_entry *submissions;	/* 1 << depth_log2 entries, aligned to RING_ALIGNMENT */
	volatile struct pagepress_completion_entry *completions;	/* the same */
	uint32_t depth_log2;						/* MIN_DEPTH_LOG2 to what CAPABILITIES says */
	uint32_t queue;							/* its number, from 0 */
	uint32_t polls;							/* most polls of anything, at least 1 */

	uint32_t page_bytes;						/* of the core; 0 until started */
	uint32_t tail;							/* next submission */
	uint32_t head;							/* next completion */
	uint32_t in_flight;						/* commands submitted, their completion not taken */
	uint32_t next_tag;
	uint8_t phase;							/* of a completion that is new */
	bool running;
};

/* A command for pagepress_submit. The buffers are the core's until its completion has been taken, or the core has been stopped. */
struct pagepress_command {
	uint8_t opcode;			/* PAGEPRESS_OPCODE_COMPRESS or _DECOMPRESS */
	uint16_t flags;			/* PAGEPRESS_FLAG_... */
	const volatile void *source;	/* of any alignment */
	uint32_t source_length;		/* one page; of a stream 1 to two pages */
	volatile void *destination;	/* of any alignment; not a byte after destination_capacity is written */
	uint32_t destination_capacity;	/* of a stream 1 to one page; one page */
	uint32_t crc32c;		/* decompress, CHECK_CRC: of the plain page */
};

/* What a command came to. */
struct pagepress_outcome {
	uint32_t tag;			/* as pagepress_submit gave it */
	uint8_t status;			/* PAGEPRESS_STATUS_... */
	uint32_t length;		/* bytes written, a page at most; who does not trust the core compares it with the room he gave */
	uint32_t crc32c;		/* of the plain page */
	uint64_t detail;		/* SAME_FILLED: the eight bytes that the page repeats */
};

/* ---- life of a core ---- */

/*
 * Checks that the core is there and speaks this interface, stops it if it runs, and starts it and the queue with empty rings.
 * Also what to do after STOPPED, TIMEOUT and BROKEN. OK, BAD_ARGUMENT, NO_CORE, OTHER_VERSION, NO_QUEUE, HUNG, STOPPED.
 */
enum pagepress_result pagepress_start(struct pagepress_core *core);

/* Stops it with all its queues. Afterwards it touches no memory, and what was in flight has no completion. OK, BAD_ARGUMENT, HUNG. */
enum pagepress_result pagepress_stop(struct pagepress_core *core);

/* ---- a page, waited for ---- */

/*
 * Compresses the page at `page` into at most `capacity` bytes, verified on chip. No other command may be in flight in this queue.
 * OK: outcome->status says how: SUCCESS, SAME_FILLED and INCOMPRESSIBLE are good ends, of which only the first has written. With any
 * other status the page is to be done in software.
 */
enum pagepress_result pagepress_compress(struct pagepress_core *core, const void *page, void *stream, uint32_t capacity,
					 struct pagepress_outcome *outcome);

/* Decompresses `length` bytes of `stream` into a page whose CRC32C must be `crc32c`. Otherwise the same; SUCCESS alone is good. */
enum pagepress_result pagepress_decompress(struct pagepress_core *core, const void *stream, uint32_t length, uint32_t crc32c, void *page,
					   struct pagepress_outcome *outcome);

/* ---- several at once ---- */

/* Hands a command to the core; *tag tells its outcome apart. OK, BAD_ARGUMENT, FULL, NOT_RUNNING. */
enum pagepress_result pagepress_submit(struct pagepress_core *core, const struct pagepress_command *command, uint32_t *tag);

/*
 * Takes the next completion, in the order in which commands end. It looks once: OK, EMPTY, BAD_ARGUMENT, NOT_RUNNING, STOPPED, BROKEN,
 * HUNG. After the last three nothing is submitted until a start. A caller that has seen EMPTY for too long calls pagepress_stop. Which tags
 * are in flight the caller knows; where caches are not coherent it invalidates the destination.
 */
enum pagepress_result pagepress_poll(struct pagepress_core *core, struct pagepress_outcome *outcome);

/* ---- what else a core says ---- */

/* Why it stopped by itself: PAGEPRESS_FATAL_..., of the core, else of the queue; NONE while it runs. Lost when it is stopped or started. */
uint32_t pagepress_cause(const struct pagepress_core *core);

/* A counter, PAGEPRESS_COUNTER_...; 0 for one that there is not. Its halves belong together. */
uint64_t pagepress_counter(const struct pagepress_core *core, uint32_t counter);

/* "SUCCESS", …; "?" for none that this driver knows. */
const char *pagepress_status_name(uint32_t status);

/* `read` and `write` of a core that is mapped at `context`. */
uint32_t pagepress_mapped_read(void *context, uint32_t offset);
void pagepress_mapped_write(void *context, uint32_t offset, uint32_t value);

#ifdef __cplusplus
}
#endif

#endif /* PAGEPRESS_SOC_H */
