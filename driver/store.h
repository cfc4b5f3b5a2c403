/* SPDX-License-Identifier: GPL-2.0-only */
/* Where pages rest: a table of slots, one a page of the disk, over a zsmalloc pool. */
#ifndef PAGEPRESS_STORE_H
#define PAGEPRESS_STORE_H

#include <linux/atomic.h>
#include <linux/blk_types.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "statistics.h"

struct pagepress_request;
struct zs_pool;

enum pagepress_kind {
	PAGEPRESS_EMPTY,	/* never written, or freed: reads as zeros */
	PAGEPRESS_SAME,		/* repeats slot->fill */
	PAGEPRESS_STREAM,	/* an LZO1X stream of slot->length bytes in the pool */
	PAGEPRESS_RAW,		/* the page as it is in the pool */
	PAGEPRESS_IN_FLIGHT,	/* only of a content: taken from a write that has not ended */
};

/*
 * One page of the disk. While a card works on a new content, writer names its request and the old
 * content stays. Whoever frees or overwrites the slot meanwhile clears writer, and the request,
 * finding itself no longer named, drops what it made: so the write that came last wins, in whatever
 * order the card answers.
 */
struct pagepress_slot {
	union {
		unsigned long handle;	/* STREAM, RAW: object in the pool */
		u64 fill;		/* SAME */
	};
	struct pagepress_request *writer;
	u32 crc;			/* STREAM, RAW: CRC32C of the plain page */
	u16 length;			/* STREAM: bytes */
	u8 kind;			/* enum pagepress_kind */
};

struct pagepress_store {
	struct zs_pool *pool;		/* NULL: no store */
	struct pagepress_slot *slots;
	unsigned long slot_count;
	spinlock_t *locks;		/* slot n is under lock n modulo the number of locks */
	size_t stream_limit;		/* longest stream worth storing, bytes */
	atomic64_t mem_limit;		/* pages; 0: none */
	atomic64_t mem_used_max;	/* pages */
	atomic64_t gauges[PAGEPRESS_GAUGE_COUNT];
};

/* What a slot held at one moment. */
struct pagepress_content {
	enum pagepress_kind kind;
	u32 crc;
	unsigned int length;		/* bytes put in the caller's buffer */
	u64 fill;
};

int pagepress_store_create(struct pagepress_store *store, const char *name,
			   unsigned long slot_count);
void pagepress_store_destroy(struct pagepress_store *store);

void pagepress_store_expect(struct pagepress_store *store, unsigned long slot,
			    struct pagepress_request *writer);
void pagepress_store_forget(struct pagepress_store *store, unsigned long slot,
			    struct pagepress_request *writer);
void pagepress_store_put_same(struct pagepress_store *store, unsigned long slot, u64 fill,
			      struct pagepress_request *writer);
blk_status_t pagepress_store_put_data(struct pagepress_store *store, unsigned long slot,
				      const void *data, unsigned int length, u32 crc,
				      struct pagepress_request *writer);
void pagepress_store_free(struct pagepress_store *store, unsigned long slot);
void pagepress_store_try_free(struct pagepress_store *store, unsigned long slot,
			      atomic64_t *misses);
enum pagepress_kind pagepress_store_peek(struct pagepress_store *store, unsigned long slot);
void pagepress_store_fetch(struct pagepress_store *store, unsigned long slot, void *buffer,
			   struct pagepress_content *content);

u64 pagepress_store_pages_used(struct pagepress_store *store);
u64 pagepress_store_pages_compacted(struct pagepress_store *store);
void pagepress_store_compact(struct pagepress_store *store);
void pagepress_store_set_limit(struct pagepress_store *store, u64 bytes);

static inline u64 pagepress_gauge(struct pagepress_store *store, enum pagepress_gauge gauge)
{
	return atomic64_read(&store->gauges[gauge]);
}

#endif
