/* SPDX-License-Identifier: GPL-2.0-only */
/* Where pages rest: a table of slots, one a page of the disk, over a zsmalloc pool. */
#ifndef PAGEPRESS_STORE_H
#define PAGEPRESS_STORE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/blk_types.h>
#include <linux/minmax.h>
#include <linux/time64.h>
#include <linux/types.h>

struct pagepress_bucket;
struct pagepress_chunk;
struct pagepress_depths;
struct pagepress_order;
struct pagepress_transfer;
struct zs_pool;

enum pagepress_kind {
	PAGEPRESS_EMPTY,	/* never written, or freed: reads as zeros */
	PAGEPRESS_SAME,		/* repeats one 8-byte value */
	PAGEPRESS_STREAM,	/* a stream in the pool */
	PAGEPRESS_RAW,		/* the page as it is in the pool */
	PAGEPRESS_BACKED,	/* a stream or page on the backing device */
	PAGEPRESS_IN_FLIGHT,	/* only of a content: taken from a write that has not ended */
};

/* A slot's flags. */
#define PAGEPRESS_SLOT_IDLE		BIT(0)	/* marked by hand, not accessed since */
#define PAGEPRESS_SLOT_WRITEBACK	BIT(1)	/* being copied out, not overwritten since; or */
#define PAGEPRESS_SLOT_IN_FLIGHT	BIT(2)	/* has a writer, see slot.h */
#define PAGEPRESS_SLOT_ORDERED		BIT(3)	/* in the order of writes, see order.h */
#define PAGEPRESS_SLOT_CLEANING		BIT(4)	/* likewise, by the cleaner: each ends its own */
#define PAGEPRESS_SLOT_RECOMPRESSING	BIT(5)	/* likewise, to be replaced by a cold stream */
#define PAGEPRESS_SLOT_COLD		BIT(6)	/* STREAM, BACKED: of the cold format, not LZO1X */
#define PAGEPRESS_SLOT_DENSE		BIT(7)	/* which makes it no smaller, as a card has found */

/* Ages are counted in 2^26 ns, 67 ms; 32 bits of them are nine years. */
#define PAGEPRESS_AGE_SHIFT		26

/* Half of what they count: ages are compared as differences. */
#define PAGEPRESS_MOST_AGE_SECONDS \
	(((u64)S32_MAX << (PAGEPRESS_AGE_SHIFT - 8)) / (NSEC_PER_SEC >> 8))

static inline u32 pagepress_age(u64 seconds)
{
	return seconds * (NSEC_PER_SEC >> 8) >> (PAGEPRESS_AGE_SHIFT - 8);
}

/* What the store asks of whoever keeps the pages that rest elsewhere (PAGEPRESS_BACKED). */
struct pagepress_store_operations {
	/* A slot has given up so many bytes from address on. Under the slot's lock: no sleeping. */
	void (*release)(void *owner, u64 address, unsigned int length);
};

/* What is stored now. RAW_PAGES_SINCE is zram's "huge_pages_since" and never falls. */
#define PAGEPRESS_GAUGES(X) \
	X(PAGES_STORED) \
	X(SAME_PAGES) \
	X(GOOD_PAGES) \
	X(RAW_PAGES) \
	X(RAW_PAGES_SINCE) \
	X(STREAM_BYTES) \
	X(COLD_PAGES) \
	X(COLD_BYTES) \
	X(BACKED_PAGES)

enum pagepress_gauge {
#define X(name) PAGEPRESS_##name,
	PAGEPRESS_GAUGES(X)
#undef X
	PAGEPRESS_GAUGE_COUNT
};

struct pagepress_store {
	struct zs_pool *pool;		/* NULL: the store has no slots */
	int disk;			/* N of pagepressN, for tracepoints */
	struct pagepress_chunk __rcu **chunks;	/* the slots; see table.h */
	unsigned long slot_count;
	atomic64_t chunk_count;		/* chunks there are; each is a page */
	struct pagepress_bucket *buckets;	/* the slots' locks, see slot.h */
	struct pagepress_order *order;	/* of writes; NULL: nobody asks for it */
	struct pagepress_depths *depths;	/* of reads; NULL: nobody asks. Needs order */
	const struct pagepress_store_operations *operations;	/* of what rests elsewhere */
	void *owner;			/* of operations */
	size_t stream_limit;		/* longest stream worth storing, bytes */
	atomic64_t mem_limit;		/* pages; 0: none */
	atomic64_t mem_used_max;	/* pages */
	atomic64_t gauges[PAGEPRESS_GAUGE_COUNT];
};

/* What a slot held at one moment. */
struct pagepress_content {
	enum pagepress_kind kind;
	bool cold;			/* STREAM, BACKED: of the cold format */
	u32 crc;
	unsigned int length;		/* bytes in the caller's buffer; BACKED: on the device */
	union {
		u64 fill;		/* SAME */
		u64 address;		/* BACKED */
	};
};

/* Memory in the pool that waits for its content. */
struct pagepress_object {
	unsigned long handle;		/* 0: none */
	unsigned int length;		/* bytes it can hold */
};

/*
 * Which slots a write-back or a recompression takes: those in memory, in no write, to which all of
 * this applies.
 */
struct pagepress_selection {
	unsigned long first, end;	/* slots, end excluded */
	u8 flags;			/* that a slot must have */
	bool raw;			/* only pages stored as they are */
	u32 age;			/* least time since the last access, PAGEPRESS_AGE_SHIFT */
	bool by_order;			/* not written again since the candidate was found */
	bool warm;			/* neither COLD nor DENSE */
	unsigned int least;		/* bytes in the pool */
};

/* A slot that may be written back, as it was when it was found. */
struct pagepress_candidate {
	unsigned long slot;
	u32 when;			/* last access; by_order: place in the order of writes */
};

int pagepress_store_create(struct pagepress_store *store, const char *name,
			   unsigned long slot_count, bool ordered);
void pagepress_store_destroy(struct pagepress_store *store);

blk_status_t pagepress_store_prepare(struct pagepress_store *store, unsigned long slot);
void pagepress_store_prepared(struct pagepress_store *store, unsigned long slot);
bool pagepress_store_expect(struct pagepress_store *store, unsigned long slot,
			    struct pagepress_transfer *writer,
			    const struct pagepress_transfer *instead_of);
void pagepress_store_forget(struct pagepress_store *store, unsigned long slot,
			    const struct pagepress_transfer *writer);
void pagepress_store_put_same(struct pagepress_store *store, unsigned long slot, u64 fill,
			      const struct pagepress_transfer *writer);
bool pagepress_store_reserve(struct pagepress_store *store, unsigned int length,
			     struct pagepress_object *object);
int pagepress_store_reserve_in_limit(struct pagepress_store *store, unsigned int length,
				     struct pagepress_object *object);
void pagepress_store_unreserve(struct pagepress_store *store, struct pagepress_object *object);
blk_status_t pagepress_store_put_data(struct pagepress_store *store, unsigned long slot,
				      const void *data, unsigned int length, u32 crc,
				      const struct pagepress_transfer *writer,
				      struct pagepress_object *reserved);
bool pagepress_store_put_backed(struct pagepress_store *store, unsigned long slot, u64 address,
				unsigned int length, u32 crc,
				const struct pagepress_transfer *writer);
unsigned long pagepress_store_next(struct pagepress_store *store, unsigned long slot);
void pagepress_store_free(struct pagepress_store *store, unsigned long slot);
void pagepress_store_discard(struct pagepress_store *store, unsigned long slot, unsigned long end);
void pagepress_store_try_free(struct pagepress_store *store, unsigned long slot,
			      atomic64_t *misses);
enum pagepress_kind pagepress_store_peek(struct pagepress_store *store, unsigned long slot);
void pagepress_store_fetch(struct pagepress_store *store, unsigned long slot, void *buffer,
			   struct pagepress_content *content);
bool pagepress_store_locate(struct pagepress_store *store, unsigned long slot,
			    struct pagepress_content *content);
bool pagepress_store_rests(struct pagepress_store *store, unsigned long slot,
			   struct pagepress_content *content);
bool pagepress_store_peek_address(struct pagepress_store *store, unsigned long slot, u64 *address);
bool pagepress_store_move_backed(struct pagepress_store *store, unsigned long slot,
				 const struct pagepress_content *content, u64 to);

u32 pagepress_store_now(void);
bool pagepress_store_selected(struct pagepress_store *store, unsigned long slot,
			      const struct pagepress_selection *selection, u32 now, u32 *accessed);
void pagepress_store_mark_idle(struct pagepress_store *store, u32 age);
int pagepress_store_begin_writeback(struct pagepress_store *store,
				    const struct pagepress_candidate *candidate,
				    const struct pagepress_selection *selection, u8 copier,
				    void *buffer, unsigned int space,
				    struct pagepress_content *content);
bool pagepress_store_end_writeback(struct pagepress_store *store, unsigned long slot, u8 copier,
				   bool written, u64 address);

/* cold.c */
void pagepress_store_keep_warm(struct pagepress_store *store, unsigned long slot, bool dense);
int pagepress_store_make_cold(struct pagepress_store *store, unsigned long slot, const void *stream,
			      unsigned int length, unsigned int *saved);

/* order.c: of a store that keeps an order */
u32 pagepress_store_first_place(struct pagepress_store *store);
unsigned int pagepress_store_oldest(struct pagepress_store *store, u32 *place,
				    struct pagepress_candidate *oldest, unsigned int most);
bool pagepress_store_is_sparse(struct pagepress_store *store);
void pagepress_store_pack_order(struct pagepress_store *store);

u64 pagepress_store_pages_used(struct pagepress_store *store);
u64 pagepress_store_pages_pooled(struct pagepress_store *store);
u64 pagepress_store_pages_beside(struct pagepress_store *store);
u64 pagepress_store_table_bytes(struct pagepress_store *store);
u64 pagepress_store_pages_compacted(struct pagepress_store *store);
void pagepress_store_compact(struct pagepress_store *store);
bool pagepress_store_is_limited(struct pagepress_store *store);
void pagepress_store_set_limit(struct pagepress_store *store, u64 bytes);

static inline u64 pagepress_gauge(struct pagepress_store *store, enum pagepress_gauge gauge)
{
	return atomic64_read(&store->gauges[gauge]);
}

/* Whether the pages it holds in memory leave free at least a quarter of what they are. */
static inline bool pagepress_store_saves(struct pagepress_store *store)
{
	u64 backed = pagepress_gauge(store, PAGEPRESS_BACKED_PAGES);
	u64 stored = pagepress_gauge(store, PAGEPRESS_PAGES_STORED);

	/* Of a page on its way either may be counted first. */
	return pagepress_gauge(store, PAGEPRESS_STREAM_BYTES) <=
	       (stored - min(stored, backed)) * (PAGE_SIZE / 4 * 3);
}

#endif
