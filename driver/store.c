// SPDX-License-Identifier: GPL-2.0-only
/*
 * The slot table and the pool. Memory is always allocated before and freed after a slot's lock is
 * held.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "request.h"
#include "store.h"

#define LOCK_COUNT 1024 /* a power of two; far more than CPUs, so that two rarely meet */

static spinlock_t *slot_lock(struct pagepress_store *store, unsigned long slot)
{
	return &store->locks[slot & (LOCK_COUNT - 1)];
}

int pagepress_store_create(struct pagepress_store *store, const char *name,
			   unsigned long slot_count)
{
	unsigned int index;

	memset(store, 0, sizeof(*store));
	store->slots = vcalloc(slot_count, sizeof(*store->slots));
	store->locks = kvmalloc_array(LOCK_COUNT, sizeof(*store->locks), GFP_KERNEL);
	if (!store->slots || !store->locks)
		goto no_memory;
	store->pool = zs_create_pool(name);
	if (!store->pool)
		goto no_memory;

	for (index = 0; index < LOCK_COUNT; index++)
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

static unsigned long take_content(struct pagepress_store *store, struct pagepress_slot *slot)
{
	unsigned long handle = 0;

	switch (slot->kind) {
	case PAGEPRESS_SAME:
		atomic64_dec(&store->gauges[PAGEPRESS_SAME_PAGES]);
		break;
	case PAGEPRESS_STREAM:
		handle = slot->handle;
		atomic64_sub(slot->length, &store->gauges[PAGEPRESS_STREAM_BYTES]);
		if (slot->length <= PAGE_SIZE / 2)
			atomic64_dec(&store->gauges[PAGEPRESS_GOOD_PAGES]);
		break;
	case PAGEPRESS_RAW:
		handle = slot->handle;
		atomic64_sub(PAGE_SIZE, &store->gauges[PAGEPRESS_STREAM_BYTES]);
		atomic64_dec(&store->gauges[PAGEPRESS_RAW_PAGES]);
		break;
	default:
		return 0;
	}
	atomic64_dec(&store->gauges[PAGEPRESS_PAGES_STORED]);
	slot->kind = PAGEPRESS_EMPTY;
	slot->handle = 0;
	return handle;
}

static void free_handle(struct pagepress_store *store, unsigned long handle)
{
	if (handle)
		zs_free(store->pool, handle);
}

void pagepress_store_destroy(struct pagepress_store *store)
{
	unsigned long slot;

	if (!store->pool)
		return;
	for (slot = 0; slot < store->slot_count; slot++) {
		free_handle(store, take_content(store, &store->slots[slot]));
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
 */
void pagepress_store_expect(struct pagepress_store *store, unsigned long slot,
			    struct pagepress_request *writer)
{
	spin_lock(slot_lock(store, slot));
	store->slots[slot].writer = writer;
	spin_unlock(slot_lock(store, slot));
}

/* writer has failed: the slot keeps what it held before. */
void pagepress_store_forget(struct pagepress_store *store, unsigned long slot,
			    struct pagepress_request *writer)
{
	spin_lock(slot_lock(store, slot));
	if (store->slots[slot].writer == writer)
		store->slots[slot].writer = NULL;
	spin_unlock(slot_lock(store, slot));
}

/*
 * True when the slot is free to take a new content from writer. A write without a writer (done
 * inline) always may, and thereby disowns any writer in flight.
 */
static bool claim_slot(struct pagepress_slot *slot, struct pagepress_request *writer)
{
	if (writer && slot->writer != writer)
		return false;
	slot->writer = NULL;
	return true;
}

void pagepress_store_put_same(struct pagepress_store *store, unsigned long index, u64 fill,
			      struct pagepress_request *writer)
{
	struct pagepress_slot *slot = &store->slots[index];
	unsigned long old = 0;

	spin_lock(slot_lock(store, index));
	if (claim_slot(slot, writer)) {
		old = take_content(store, slot);
		slot->kind = PAGEPRESS_SAME;
		slot->fill = fill;
		atomic64_inc(&store->gauges[PAGEPRESS_SAME_PAGES]);
		atomic64_inc(&store->gauges[PAGEPRESS_PAGES_STORED]);
	}
	spin_unlock(slot_lock(store, index));
	free_handle(store, old);
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
				      struct pagepress_request *writer)
{
	struct pagepress_slot *slot = &store->slots[index];
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

	spin_lock(slot_lock(store, index));
	if (claim_slot(slot, writer)) {
		old = take_content(store, slot);
		slot->handle = handle;
		slot->crc = crc;
		if (length == PAGE_SIZE) {
			slot->kind = PAGEPRESS_RAW;
			atomic64_inc(&store->gauges[PAGEPRESS_RAW_PAGES]);
			atomic64_inc(&store->gauges[PAGEPRESS_RAW_PAGES_SINCE]);
		} else {
			slot->kind = PAGEPRESS_STREAM;
			slot->length = length;
			if (length <= PAGE_SIZE / 2)
				atomic64_inc(&store->gauges[PAGEPRESS_GOOD_PAGES]);
		}
		atomic64_add(length, &store->gauges[PAGEPRESS_STREAM_BYTES]);
		atomic64_inc(&store->gauges[PAGEPRESS_PAGES_STORED]);
	} else {
		old = handle;
	}
	spin_unlock(slot_lock(store, index));
	free_handle(store, old);
	return BLK_STS_OK;
}

void pagepress_store_free(struct pagepress_store *store, unsigned long slot)
{
	unsigned long handle;

	spin_lock(slot_lock(store, slot));
	store->slots[slot].writer = NULL;
	handle = take_content(store, &store->slots[slot]);
	spin_unlock(slot_lock(store, slot));
	free_handle(store, handle);
}

/* For callers that hold spinlocks of their own: counts a miss when somebody holds the slot's. */
void pagepress_store_try_free(struct pagepress_store *store, unsigned long slot,
			      atomic64_t *misses)
{
	spinlock_t *lock = slot_lock(store, slot);
	unsigned long handle;

	if (!spin_trylock(lock)) {
		atomic64_inc(misses);
		return;
	}
	store->slots[slot].writer = NULL;
	handle = take_content(store, &store->slots[slot]);
	spin_unlock(lock);
	free_handle(store, handle);
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
 * RAW or IN_FLIGHT; nothing for EMPTY and SAME. After it the slot may change without harm to the
 * caller.
 */
void pagepress_store_fetch(struct pagepress_store *store, unsigned long index, void *buffer,
			   struct pagepress_content *content)
{
	struct pagepress_slot *slot = &store->slots[index];

	spin_lock(slot_lock(store, index));
	content->kind = slot->kind;
	content->crc = slot->crc;
	content->length = 0;
	content->fill = 0;
	if (slot->writer) {
		content->kind = PAGEPRESS_IN_FLIGHT;
		content->length = PAGE_SIZE;
		pagepress_request_copy_source(slot->writer, buffer);
	} else if (slot->kind == PAGEPRESS_SAME) {
		content->fill = slot->fill;
	} else if (slot->kind != PAGEPRESS_EMPTY) {
		content->length = slot->kind == PAGEPRESS_RAW ? PAGE_SIZE : slot->length;
		pagepress_pool_read(store->pool, slot->handle, buffer, content->length);
	}
	spin_unlock(slot_lock(store, index));
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
