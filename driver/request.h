/* SPDX-License-Identifier: GPL-2.0-only */
/* One command for a card, with the memory it works in. */
#ifndef PAGEPRESS_REQUEST_H
#define PAGEPRESS_REQUEST_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "pagepress.h"

struct pagepress_queue;

/* What an answer of a card comes to. */
enum pagepress_verdict {
	PAGEPRESS_DONE,		/* the page is where it belongs */
	PAGEPRESS_KEPT,		/* the same, or on its way to the backing device; counted */
	PAGEPRESS_LATER,	/* the backing device must take it, and is busy */
	PAGEPRESS_FAILED,	/* nothing can take it; recorded */
	PAGEPRESS_DOUBTED,	/* the card says success, but it cannot be */
	PAGEPRESS_REPORTED,	/* the card says it could not */
};

enum pagepress_request_state {
	PAGEPRESS_REQUEST_FREE,		/* on queue->free */
	PAGEPRESS_REQUEST_SOFTWARE,	/* a CPU fills it, or finishes it */
	PAGEPRESS_REQUEST_ON_CARD,	/* between submission and completion */
};

/*
 * The card reads and writes only the two pages below: driver-owned, mapped for as long as the card
 * is bound. So a late write by a card believed dead never hits a page that somebody owns.
 */
struct pagepress_request {
	struct pagepress_queue *queue;
	struct list_head link;		/* queue->free, or a caller's list while it finishes */
	enum pagepress_request_state state;	/* under queue->lock */
	u32 tag;			/* index in queue->requests, a generation above it */
	unsigned long deadline;		/* jiffies; valid while ON_CARD */
	u64 begun;			/* ktime_get_ns() before it was submitted */

	void *plain;			/* a page: from it to compress, to it to decompress */
	void *stream;			/* a page: the other end */
	dma_addr_t plain_bus;
	dma_addr_t stream_bus;

	u8 opcode;
	u32 crc;			/* of the plain page, by this CPU or from the slot */
	u32 stream_length;		/* DECOMPRESS: bytes; COMPRESS: most bytes */
	struct pagepress_transfer transfer;	/* the owner's page: software may start again */

	u8 status;			/* as the card reported it, and what follows */
	u32 produced_length;
	u32 card_crc;
	u64 detail;			/* fill value, or CRC32C of the stream */
	struct page *spare;		/* COMPRESS: memory set aside; NULL: given back */
	struct work_struct later;	/* does it here, when finishing it would have to wait */
};

#define PAGEPRESS_TAG_INDEX_BITS	16

/* offload.c: judge what the card answered, end the page, give the request back */
void pagepress_offload_finish(struct pagepress_request *request);
/* offload.c: the card cannot be waited for: do the page here, give the request back */
void pagepress_offload_redo(struct pagepress_request *request);

#endif
