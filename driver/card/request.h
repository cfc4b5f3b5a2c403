/* SPDX-License-Identifier: GPL-2.0-only */
/* One command for a card, with the memory it works in. */
#ifndef PAGEPRESS_REQUEST_H
#define PAGEPRESS_REQUEST_H

#include <linux/list.h>
#include <linux/types.h>

#include "pagepress_interface.h"

struct pagepress_queue;
struct pagepress_request;
struct seq_file;

/*
 * Whose work a command does. All are called in process context, done and redo with no memory to be
 * had from reclaim (memalloc_noreclaim). Either ends with pagepress_queue_release(), now or later.
 */
struct pagepress_owner {
	/* The card has answered: what it says is in the request. */
	void (*done)(struct pagepress_request *request);
	/*
	 * The card cannot be waited for: do it without. The card may still write to plain and
	 * stream, and answer: then nobody is told.
	 */
	void (*redo)(struct pagepress_request *request);
	/*
	 * done() and redo() do not sleep: a task may be told of its command wherever it asked for
	 * it, with preemption off too, by pagepress_queue_poll().
	 */
	bool atomic;
	/* Describes it in a few words. Under queue->lock. */
	void (*show)(struct seq_file *file, const struct pagepress_request *request);
};

#define PAGEPRESS_OWNED_BYTES 256

enum pagepress_request_state {
	PAGEPRESS_REQUEST_FREE,		/* on queue->free */
	PAGEPRESS_REQUEST_SOFTWARE,	/* a CPU fills it, or finishes it */
	PAGEPRESS_REQUEST_ON_CARD,	/* between submission and completion; its owner waits */
	PAGEPRESS_REQUEST_TAKEN_BACK,	/* the card has it; its owner does the work without it */
	PAGEPRESS_REQUEST_LATE,		/* the card has it; its owner has ended */
};

/*
 * The card reads and writes only the two pages below: driver-owned, mapped for as long as the card
 * is bound. So a late write by a card believed dead never hits a page that somebody owns.
 */
struct pagepress_request {
	struct pagepress_queue *queue;
	struct list_head link;		/* queue->free, queue->answered, or a caller's list */
	enum pagepress_request_state state;	/* under queue->lock */
	u32 tag;			/* index in queue->requests, a generation above it */
	u32 number;			/* of the queue's submissions, since it was started */
	unsigned long deadline;		/* jiffies: the card has failed; valid while it has it */
	u64 late_at;			/* ktime_get_ns(): the owner does not wait longer */
	u64 begun;			/* ktime_get_ns() before it was submitted */

	void *plain;			/* a page: from it to compress, to it to decompress */
	void *stream;			/* a page: the other end */
	dma_addr_t plain_bus;
	dma_addr_t stream_bus;

	u8 opcode;
	u8 format;			/* of the stream: LZO1X unless its owner says otherwise */
	u32 crc;			/* of the plain page, by this CPU or from the slot */
	u32 stream_length;		/* DECOMPRESS: bytes; COMPRESS: most bytes */

	u8 status;			/* as the card reported it, and what follows */
	u32 produced_length;
	u32 card_crc;
	u64 detail;			/* fill value, or CRC32C of the stream */

	bool proving;			/* COMPRESS: answered, and on the card again to be proven */
	u64 stream_crc;			/* since then: detail, as it was answered first */

	const struct pagepress_owner *owner;	/* since it was claimed */
	u8 owned[PAGEPRESS_OWNED_BYTES] __aligned(sizeof(u64));	/* the owner's own */
};

#define PAGEPRESS_TAG_INDEX_BITS	16

/* Whether the card may still use its memory, and answer. */
static inline bool pagepress_request_with_card(const struct pagepress_request *request)
{
	return request->state >= PAGEPRESS_REQUEST_ON_CARD;
}

#endif
