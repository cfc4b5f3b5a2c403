/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What one slot holds, who writes it, and how it is locked: for the files of the store alone.
 *
 * A transfer that is to make a slot's next content is its writer while it is in flight. Whoever
 * frees or overwrites the slot meanwhile takes that away, and the transfer, finding itself no
 * longer the writer, drops what it made: so the write that came last wins, in whatever order
 * devices answer. Writers are few and slots are many: so a slot has but a flag, and the writers
 * hang on the slot's lock.
 */
#ifndef PAGEPRESS_SLOT_H
#define PAGEPRESS_SLOT_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/zsmalloc.h>

#include "store/table.h"

#define PAGEPRESS_BUCKETS 1024 /* a power of two; far more than CPUs: two rarely meet */

/* Slot n is under lock n modulo PAGEPRESS_BUCKETS, once pagepress_table_get() has found it. */
struct pagepress_bucket {
	spinlock_t lock;		/* its slots, and the list below */
	struct hlist_head writers;	/* by transfer->writes; at most one a slot */
};

static inline spinlock_t *pagepress_slot_lock(struct pagepress_store *store, unsigned long slot)
{
	return &store->buckets[slot & (PAGEPRESS_BUCKETS - 1)].lock;
}

/* Not under the slot's lock. */
static inline void pagepress_store_free_handle(struct pagepress_store *store, unsigned long handle)
{
	if (handle)
		zs_free(store->pool, handle);
}

/* All of these under the slot's lock. */
unsigned long pagepress_slot_take(struct pagepress_store *store, unsigned long index,
				  struct pagepress_slot *slot);
void pagepress_slot_give(struct pagepress_store *store, unsigned long index,
			 struct pagepress_slot *slot, enum pagepress_kind kind);
unsigned long pagepress_slot_make_cold(struct pagepress_store *store, unsigned long index,
				       struct pagepress_slot *slot, unsigned long handle,
				       unsigned int length);
struct pagepress_transfer *pagepress_slot_writer(struct pagepress_store *store,
						 unsigned long index,
						 const struct pagepress_slot *slot);
void pagepress_slot_set_writer(struct pagepress_store *store, unsigned long index,
			       struct pagepress_slot *slot, struct pagepress_transfer *writer);
bool pagepress_slot_claim(struct pagepress_store *store, unsigned long index,
			  struct pagepress_slot *slot, const struct pagepress_transfer *writer);

#endif
