/* SPDX-License-Identifier: GPL-2.0-only */
/* Where pages rest: a table of slots, one a page of the disk, over a zsmalloc pool. */
#ifndef PAGEPRESS_STORE_H
#define PAGEPRESS_STORE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/blk_types.h>
#include <linux/minmax.h>
#include <linux/spinlock.h>
#include <linux/time64.h>
#include <linux/types.h>

#include "statistics.h"

struct pagepress_backing;
struct pagepress_transfer;
struct zs_pool;

enum pagepress_kind {
	PAGEPRESS_EMPTY,	/* never written, or freed: reads as zeros */
	PAGEPRESS_SAME,		/* repeats slot->fill */
	PAGEPRESS_STREAM,	/* an LZO1X stream of slot->length bytes in the pool */
	PAGEPRESS_RAW,		/* the page as it is in the pool */
	PAGEPRESS_BACKED,	/* slot->length bytes on the backing device */
	PAGEPRESS_IN_FLIGHT,	/* only of a content: taken from a write that has not ended */
};

/*
 * One page of the disk. While a card or the backing device works on a new content, writer names the
 * transfer and the old content stays. Whoever frees or overwrites the slot meanwhile clears writer,
 * and the transfer, finding itself no longer named, drops what it made: so the write that came last
 * wins, in whatever order devices answer.
 */
struct pagepress_slot {
	union {
		unsigned long handle;	/* STREAM, RAW: object in the pool */
		u64 fill;		/* SAME */
		u64 sector;		/* BACKED: where it begins */
	};
	const struct pagepress_transfer *writer;
	u32 crc;			/* STREAM, RAW, BACKED: CRC32C of the plain page */
	u32 accessed;			/* last write or read, PAGEPRESS_AGE_SHIFT */
	u32 length;			/* STREAM, RAW, BACKED: bytes */
	u8 kind;			/* enum pagepress_kind */
	u8 flags;
};

#define PAGEPRESS_SLOT_IDLE		BIT(0)	/* marked by hand, not accessed since */
#define PAGEPRESS_SLOT_WRITEBACK	BIT(1)	/* being copied out, not overwritten since */

/* Ages are counted in 2^26 ns, 67 ms; 32 bits of them are nine years. */
#define PAGEPRESS_AGE_SHIFT		26

static inline u32 pagepress_age(u64 seconds)
{
	return min_t(u64, seconds * (NSEC_PER_SEC >> 8) >> (PAGEPRESS_AGE_SHIFT - 8), S32_MAX);
}

struct pagepress_store {
	struct zs_pool *pool;		/* NULL: no store */
	struct pagepress_slot *slots;
	unsigned long slot_count;
	spinlock_t *locks;		/* slot n is under lock n modulo the number of locks */
	struct pagepress_backing *backing;	/* NULL: none */
	size_t stream_limit;		/* longest stream worth storing, bytes */
	atomic64_t mem_limit;		/* pages; 0: none */
	atomic64_t mem_used_max;	/* pages */
	atomic64_t gauges[PAGEPRESS_GAUGE_COUNT];
};

/* What a slot held at one moment. */
struct pagepress_content {
	enum pagepress_kind kind;
	u32 crc;
	unsigned int length;		/* bytes in the caller's buffer; BACKED: on the device */
	union {
		u64 fill;		/* SAME */
		u64 sector;		/* BACKED */
	};
};

/* Which slots a write-back takes: those in memory, in no write, to which all of this applies. */
struct pagepress_selection {
	unsigned long first, end;	/* slots, end excluded */
	u8 flags;			/* that a slot must have */
	bool raw;			/* only pages stored as they are */
	u32 age;			/* least time since the last access, PAGEPRESS_AGE_SHIFT */
};

int pagepress_store_create(struct pagepress_store *store, const char *name,
			   unsigned long slot_count);
void pagepress_store_destroy(struct pagepress_store *store);

bool pagepress_store_expect(struct pagepress_store *store, unsigned long slot,
			    const struct pagepress_transfer *writer,
			    const struct pagepress_transfer *instead_of);
void pagepress_store_forget(struct pagepress_store *store, unsigned long slot,
			    const struct pagepress_transfer *writer);
void pagepress_store_put_same(struct pagepress_store *store, unsigned long slot, u64 fill,
			      const struct pagepress_transfer *writer);
blk_status_t pagepress_store_put_data(struct pagepress_store *store, unsigned long slot,
				      const void *data, unsigned int length, u32 crc,
				      const struct pagepress_transfer *writer);
bool pagepress_store_put_backed(struct pagepress_store *store, unsigned long slot, u64 sector,
				unsigned int length, u32 crc,
				const struct pagepress_transfer *writer);
void pagepress_store_free(struct pagepress_store *store, unsigned long slot);
void pagepress_store_try_free(struct pagepress_store *store, unsigned long slot,
			      atomic64_t *misses);
enum pagepress_kind pagepress_store_peek(struct pagepress_store *store, unsigned long slot);
void pagepress_store_fetch(struct pagepress_store *store, unsigned long slot, void *buffer,
			   struct pagepress_content *content);
bool pagepress_store_locate(struct pagepress_store *store, unsigned long slot,
			    struct pagepress_content *content);

u32 pagepress_store_now(void);
bool pagepress_slot_selected(const struct pagepress_slot *slot,
			     const struct pagepress_selection *selection, u32 now);
void pagepress_store_mark_idle(struct pagepress_store *store, u32 age);
int pagepress_store_begin_writeback(struct pagepress_store *store, unsigned long slot,
				    const struct pagepress_selection *selection, void *buffer,
				    unsigned int room, unsigned int *length);
bool pagepress_store_end_writeback(struct pagepress_store *store, unsigned long slot, bool written,
				   u64 sector);

u64 pagepress_store_pages_used(struct pagepress_store *store);
u64 pagepress_store_pages_compacted(struct pagepress_store *store);
void pagepress_store_compact(struct pagepress_store *store);
void pagepress_store_set_limit(struct pagepress_store *store, u64 bytes);

static inline u64 pagepress_gauge(struct pagepress_store *store, enum pagepress_gauge gauge)
{
	return atomic64_read(&store->gauges[gauge]);
}

/* Whether the pages it holds leave free at least a quarter of what they are. */
static inline bool pagepress_store_saves(struct pagepress_store *store)
{
	return pagepress_gauge(store, PAGEPRESS_STREAM_BYTES) <=
	       pagepress_gauge(store, PAGEPRESS_PAGES_STORED) * (PAGE_SIZE / 4 * 3);
}

#endif
