/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of slots: a directory of chunks, each a page of slots, which come into being when one
 * of their slots is first written and go when the last one is empty. For the files of the store
 * alone.
 *
 * Life of a chunk. It is made by pagepress_table_make(), which alone may fail, and which the write
 * of a page calls before it takes any lock. Its users are the slots that hold something, the
 * writers in flight, and whoever is between pagepress_table_get() and _put(). Without users it is
 * on its way out: nobody may use it again; it leaves the directory, or a new one has taken its
 * place there; and it is freed when nobody can be looking at it without a hold (RCU). As all slots
 * of such a chunk are empty, it makes no difference to find it or to find none.
 */
#ifndef PAGEPRESS_TABLE_H
#define PAGEPRESS_TABLE_H

#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>

#include "store/store.h"

/*
 * One page of the disk: 24 bytes. While a card or the backing device works on a new content, the
 * slot is IN_FLIGHT and the old content stays.
 */
struct pagepress_slot {
	union {
		unsigned long handle;	/* STREAM, RAW: object in the pool */
		u64 fill;		/* SAME */
		u64 address;		/* BACKED: where it begins, byte of the device */
	} __packed __aligned(4);
	u32 crc;			/* STREAM, RAW, BACKED: CRC32C of the plain page */
	u32 accessed;			/* last write or read, PAGEPRESS_AGE_SHIFT */
	u32 written;			/* ORDERED: place in the order of writes */
	u16 length_less_one;		/* STREAM, RAW, BACKED: bytes, up to 64 Ki of them */
	u8 kind;			/* enum pagepress_kind */
	u8 flags;			/* PAGEPRESS_SLOT_... */
};
static_assert(sizeof(struct pagepress_slot) == 24);
static_assert(PAGE_SIZE - 1 <= U16_MAX);

static inline unsigned int pagepress_slot_length(const struct pagepress_slot *slot)
{
	return slot->length_less_one + 1;
}

/* A page, aligned to its size. */
struct pagepress_chunk {
	struct rcu_head rcu;
	refcount_t users;
	struct pagepress_slot slots[];
};

#define PAGEPRESS_CHUNK_SLOTS \
	((PAGE_SIZE - sizeof(struct pagepress_chunk)) / sizeof(struct pagepress_slot))

static inline struct pagepress_chunk *pagepress_chunk_of(const struct pagepress_slot *slot)
{
	return (struct pagepress_chunk *)((unsigned long)slot & PAGE_MASK);
}

int pagepress_table_create(struct pagepress_store *store, unsigned long slot_count);
void pagepress_table_destroy(struct pagepress_store *store);
u64 pagepress_table_bytes(struct pagepress_store *store);
bool pagepress_table_make(struct pagepress_store *store, unsigned long index);
struct pagepress_slot *pagepress_table_look(struct pagepress_store *store, unsigned long index);
struct pagepress_slot *pagepress_table_get(struct pagepress_store *store, unsigned long index);
void pagepress_table_put(struct pagepress_store *store, unsigned long index,
			 struct pagepress_slot *slot);

#endif
