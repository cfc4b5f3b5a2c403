/* SPDX-License-Identifier: GPL-2.0-only */
/* What one slot holds, and how it is locked: for the files of the store alone. */
#ifndef PAGEPRESS_SLOT_H
#define PAGEPRESS_SLOT_H

#include <linux/zsmalloc.h>

#include "store.h"

#define PAGEPRESS_SLOT_LOCKS 1024 /* a power of two; far more than CPUs: two rarely meet */

static inline spinlock_t *pagepress_slot_lock(struct pagepress_store *store, unsigned long slot)
{
	return &store->locks[slot & (PAGEPRESS_SLOT_LOCKS - 1)];
}

/* Not under the slot's lock. */
static inline void pagepress_store_free_handle(struct pagepress_store *store, unsigned long handle)
{
	if (handle)
		zs_free(store->pool, handle);
}

/* Under the slot's lock. */
unsigned long pagepress_slot_take(struct pagepress_store *store, struct pagepress_slot *slot);
void pagepress_slot_give(struct pagepress_store *store, struct pagepress_slot *slot,
			 enum pagepress_kind kind);
bool pagepress_slot_claim(struct pagepress_slot *slot, const struct pagepress_transfer *writer);

#endif
