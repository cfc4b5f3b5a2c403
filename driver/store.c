// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slot table and the pool. Memory is always allocated before and freed after a slot's lock is
 * held.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "pagepress.h"
#include "slot.h"

int pagepress_store_create(struct pagepress_store *store, const char *name,
			   unsigned long slot_count)
{
	unsigned int index;

	memset(store, 0, sizeof(*store));
	store->slots = vcalloc(slot_count, sizeof(*store->slots));
	store->locks = kvmalloc_array(PAGEPRESS_SLOT_LOCKS, sizeof(*store->locks), GFP_KERNEL);
	if (!store->slots || !store->locks)
		goto no_memory;
	store->pool = zs_create_pool(name);
	if (!store->pool)
		goto no_memory;

	for (index = 0; index < PAGEPRESS_SLOT_LOCKS; index++)
		spin_lock_init(&store->locks[index]);
	store->slot_count = slot_count;
	/*
	 * From this size on an object takes a whole page: then the page itself is the better
	 * content.
	 */
	store->stream_limit = min_t(size_t, zs_huge_class_size(store->pool), PAGE_SIZE) - 1;
	return 0;

no_memory:
	kvfree(store->locks);
	vfree(store->slots);
	memset(store, 0, sizeof(*store));
	return -ENOMEM;
}

void pagepress_store_destroy(struct pagepress_store *store)
{
	unsigned long slot;

	if (!store->pool)
		return;
	for (slot = 0; slot < store->slot_count; slot++) {
		pagepress_store_free_handle(store, pagepress_slot_take(store, &store->slots[slot]));
		if (!(slot % 4096))
			cond_resched();
	}
	zs_destroy_pool(store->pool);
	kvfree(store->locks);
	vfree(store->slots);
	memset(store, 0, sizeof(*store));
}

/*
 * From now on writer makes the slot's next content; readers meanwhile are served from its source.
 * With instead_of, only in its place: false when something newer has taken the slot since.
 */
bool pagepress_store_expect(struct pagepress_store *store, unsigned long index,
			    const struct pagepress_transfer *writer,
			    const struct pagepress_transfer *instead_of)
{
	struct pagepress_slot *slot = &store->slots[index];
	bool expected;

	spin_lock(pagepress_slot_lock(store, index));
	expected = !instead_of || slot->writer == instead_of;
	if (expected)
		slot->writer = writer;
	spin_unlock(pagepress_slot_lock(store, index));
	return expected;
}

/* writer has failed: the slot keeps what it held before. */
void pagepress_store_forget(struct pagepress_store *store, unsigned long slot,
			    const struct pagepress_transfer *writer)
{
	spin_lock(pagepress_slot_lock(store, slot));
	if (store->slots[slot].writer == writer)
		store->slots[slot].writer = NULL;
	spin_unlock(pagepress_slot_lock(store, slot));
}

void pagepress_store_put_same(struct pagepress_store *store, unsigned long index, u64 fill,
			      const struct pagepress_transfer *writer)
{
	struct pagepress_slot *slot = &store->slots[index];
	unsigned long old = 0;

	spin_lock(pagepress_slot_lock(store, index));
	if (pagepress_slot_claim(slot, writer)) {
		old = pagepress_slot_take(store, slot);
		slot->fill = fill;
		slot->accessed = pagepress_store_now();
		pagepress_slot_give(store, slot, PAGEPRESS_SAME);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
}

static bool over_limit(struct pagepress_store *store)
{
	u64 used = zs_get_total_pages(store->pool);
	u64 limit = atomic64_read(&store->mem_limit);
	s64 most = atomic64_read(&store->mem_used_max);

	if (limit && used > limit)
		return true;
	while ((s64)used > most && !atomic64_try_cmpxchg(&store->mem_used_max, &most, used))
		;
	return false;
}

/*
 * Stores length bytes: a stream, or with PAGE_SIZE the page itself. BLK_STS_NOSPC past mem_limit,
 * BLK_STS_RESOURCE without memory; then the slot is as before. May sleep, never for I/O.
 */
blk_status_t pagepress_store_put_data(struct pagepress_store *store, unsigned long index,
				      const void *data, unsigned int length, u32 crc,
				      const struct pagepress_transfer *writer)
{
	struct pagepress_slot *slot = &store->slots[index];
	enum pagepress_kind kind = length == PAGE_SIZE ? PAGEPRESS_RAW : PAGEPRESS_STREAM;
	unsigned long handle, old;

	handle = pagepress_pool_allocate(store->pool, length,
					 GFP_NOIO | __GFP_NOWARN | __GFP_HIGHMEM | __GFP_MOVABLE);
	if (!handle)
		return BLK_STS_RESOURCE;
	if (over_limit(store)) {
		zs_free(store->pool, handle);
		return BLK_STS_NOSPC;
	}
	pagepress_pool_write(store->pool, handle, data, length);

	spin_lock(pagepress_slot_lock(store, index));
	if (pagepress_slot_claim(slot, writer)) {
		old = pagepress_slot_take(store, slot);
		slot->handle = handle;
		slot->crc = crc;
		slot->length = length;
		slot->accessed = pagepress_store_now();
		pagepress_slot_give(store, slot, kind);
	} else {
		old = handle;
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
	return BLK_STS_OK;
}

void pagepress_store_free(struct pagepress_store *store, unsigned long slot)
{
	unsigned long handle;

	spin_lock(pagepress_slot_lock(store, slot));
	store->slots[slot].writer = NULL;
	handle = pagepress_slot_take(store, &store->slots[slot]);
	spin_unlock(pagepress_slot_lock(store, slot));
	pagepress_store_free_handle(store, handle);
}

/* For callers that hold spinlocks of their own: counts a miss when somebody holds the slot's. */
void pagepress_store_try_free(struct pagepress_store *store, unsigned long slot,
			      atomic64_t *misses)
{
	spinlock_t *lock = pagepress_slot_lock(store, slot);
	unsigned long handle;

	if (!spin_trylock(lock)) {
		atomic64_inc(misses);
		return;
	}
	store->slots[slot].writer = NULL;
	handle = pagepress_slot_take(store, &store->slots[slot]);
	spin_unlock(lock);
	pagepress_store_free_handle(store, handle);
}

/* A hint, read without the lock: good for choosing a path, not for acting on it. */
enum pagepress_kind pagepress_store_peek(struct pagepress_store *store, unsigned long slot)
{
	if (READ_ONCE(store->slots[slot].writer))
		return PAGEPRESS_IN_FLIGHT;
	return READ_ONCE(store->slots[slot].kind);
}

/*
 * Copies what the slot holds now into buffer (one page): a stream, or the plain page when kind is
 * RAW or IN_FLIGHT; nothing for EMPTY, SAME and BACKED. After it the slot may change without harm
 * to the caller, unless it is BACKED: see trip.c.
 */
void pagepress_store_fetch(struct pagepress_store *store, unsigned long index, void *buffer,
			   struct pagepress_content *content)
{
	struct pagepress_slot *slot = &store->slots[index];

	spin_lock(pagepress_slot_lock(store, index));
	slot->accessed = pagepress_store_now();
	slot->flags &= ~PAGEPRESS_SLOT_IDLE;
	content->kind = slot->kind;
	content->crc = slot->crc;
	content->length = 0;
	content->fill = 0;
	if (slot->writer) {
		content->kind = PAGEPRESS_IN_FLIGHT;
		content->length = PAGE_SIZE;
		pagepress_transfer_load(slot->writer, buffer);
	} else if (slot->kind == PAGEPRESS_SAME) {
		content->fill = slot->fill;
	} else if (slot->kind == PAGEPRESS_BACKED) {
		content->sector = slot->sector;
		content->length = slot->length;
	} else if (slot->kind != PAGEPRESS_EMPTY) {
		content->length = slot->length;
		pagepress_pool_read(store->pool, slot->handle, buffer, content->length);
	}
	spin_unlock(pagepress_slot_lock(store, index));
}

u64 pagepress_store_pages_used(struct pagepress_store *store)
{
	return store->pool ? zs_get_total_pages(store->pool) : 0;
}

u64 pagepress_store_pages_compacted(struct pagepress_store *store)
{
	struct zs_pool_stats stats = {};

	if (store->pool)
		zs_pool_stats(store->pool, &stats);
	return atomic_long_read(&stats.pages_compacted);
}

void pagepress_store_compact(struct pagepress_store *store)
{
	if (store->pool)
		zs_compact(store->pool);
}

/* Rounded up to whole pages: a limit smaller than a page must not mean none. */
void pagepress_store_set_limit(struct pagepress_store *store, u64 bytes)
{
	atomic64_set(&store->mem_limit, (bytes >> PAGE_SHIFT) + !!(bytes & ~PAGE_MASK));
}
