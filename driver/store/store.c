// SPDX-License-Identifier: GPL-2.0-only
/*
 * Slots and the pool. Memory is always allocated before and freed after a slot's lock is held.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "page/compat.h"
#include "page/transfer.h"
#include "store/depth.h"
#include "store/order.h"
#include "store/slot.h"

#define POOL_MEMORY (__GFP_NOWARN | __GFP_HIGHMEM | __GFP_MOVABLE)

u32 pagepress_store_now(void)
{
	return ktime_to_ns(ktime_get_coarse_boottime()) >> PAGEPRESS_AGE_SHIFT;
}

/* ordered: which pages are the oldest will be asked for. */
int pagepress_store_create(struct pagepress_store *store, const char *name,
			   unsigned long slot_count, bool ordered)
{
	static atomic_t pools;
	char pool_name[48];
	unsigned int index;

	memset(store, 0, sizeof(*store));
	store->buckets = kvmalloc_array(PAGEPRESS_BUCKETS, sizeof(*store->buckets), GFP_KERNEL);
	if (!store->buckets)
		return -ENOMEM;
	for (index = 0; index < PAGEPRESS_BUCKETS; index++) {
		spin_lock_init(&store->buckets[index].lock);
		INIT_HLIST_HEAD(&store->buckets[index].writers);
	}
	if (pagepress_table_create(store, slot_count))
		goto free_buckets;
	if (ordered && pagepress_order_create(store))
		goto destroy_table;
	/*
	 * Newer kernels name slab caches after it, each of which may be there once; and a disk that
	 * is given another size has two pools for a moment.
	 */
	snprintf(pool_name, sizeof(pool_name), "%s-%u", name, atomic_inc_return(&pools));
	store->pool = zs_create_pool(pool_name);
	if (!store->pool)
		goto destroy_order;
	/*
	 * From this size on an object takes a whole page: then the page itself is the better
	 * content.
	 */
	store->stream_limit = min_t(size_t, zs_huge_class_size(store->pool), PAGE_SIZE) - 1;
	return 0;

destroy_order:
	pagepress_order_destroy(store);
destroy_table:
	pagepress_table_destroy(store);
free_buckets:
	kvfree(store->buckets);
	memset(store, 0, sizeof(*store));
	return -ENOMEM;
}

void pagepress_store_destroy(struct pagepress_store *store)
{
	if (!store->pool)
		return;
	pagepress_store_discard(store, 0, store->slot_count);
	pagepress_order_destroy(store);
	pagepress_table_destroy(store);
	zs_destroy_pool(store->pool);
	kvfree(store->buckets);
	memset(store, 0, sizeof(*store));
}

static void note_used(struct pagepress_store *store, u64 used)
{
	s64 most = atomic64_read(&store->mem_used_max);

	while ((s64)used > most && !atomic64_try_cmpxchg(&store->mem_used_max, &most, used))
		;
}

/* Also notes what is used now, but for memory of the pool that is given back for it. */
static bool over_limit(struct pagepress_store *store)
{
	u64 used = pagepress_store_pages_used(store);
	u64 limit = atomic64_read(&store->mem_limit);

	if (limit && used > limit)
		return true;
	note_used(store, used);
	return false;
}

/*
 * Before a page is written: the slot has memory of its own from now on until
 * pagepress_store_prepared(), or as long as it holds something or a writer is in flight. So nothing
 * that follows fails for want of it. BLK_STS_RESOURCE without memory. May sleep, never for I/O:
 * under no lock that reclaim needs.
 */
blk_status_t pagepress_store_prepare(struct pagepress_store *store, unsigned long index)
{
	if (!pagepress_table_make(store, index))
		return BLK_STS_RESOURCE;
	/* mem_limit bounds the pool: a slot's own few bytes are never refused. */
	note_used(store, pagepress_store_pages_used(store));
	return BLK_STS_OK;
}

/* The page is written, or in flight, or the write has failed. */
void pagepress_store_prepared(struct pagepress_store *store, unsigned long index)
{
	struct pagepress_slot *slot;

	rcu_read_lock();
	slot = pagepress_table_look(store, index);
	rcu_read_unlock();
	pagepress_table_put(store, index, slot);
}

/*
 * From now on writer makes the slot's next content; readers meanwhile are served from its source.
 * With instead_of, only in its place: false when something newer has taken the slot since. Without,
 * the slot is prepared.
 */
bool pagepress_store_expect(struct pagepress_store *store, unsigned long index,
			    struct pagepress_transfer *writer,
			    const struct pagepress_transfer *instead_of)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	bool expected;

	if (!slot)
		return false;
	spin_lock(pagepress_slot_lock(store, index));
	expected = !instead_of || pagepress_slot_writer(store, index, slot) == instead_of;
	if (expected)
		pagepress_slot_set_writer(store, index, slot, writer);
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
	return expected;
}

/* writer has failed: the slot keeps what it held before. */
void pagepress_store_forget(struct pagepress_store *store, unsigned long index,
			    const struct pagepress_transfer *writer)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);

	if (!slot)
		return;
	spin_lock(pagepress_slot_lock(store, index));
	if (pagepress_slot_writer(store, index, slot) == writer)
		pagepress_slot_set_writer(store, index, slot, NULL);
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
}

/* writer is in flight, or NULL: then the slot is prepared. */
void pagepress_store_put_same(struct pagepress_store *store, unsigned long index, u64 fill,
			      const struct pagepress_transfer *writer)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	unsigned long old = 0;

	if (!slot)
		return;
	spin_lock(pagepress_slot_lock(store, index));
	if (pagepress_slot_claim(store, index, slot, writer)) {
		old = pagepress_slot_take(store, index, slot);
		slot->fill = fill;
		slot->accessed = pagepress_store_now();
		pagepress_slot_give(store, index, slot, PAGEPRESS_SAME);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
	pagepress_table_put(store, index, slot);
}

/* Installs what the pool holds as handle, or gives it back if something newer has the slot. */
static void install(struct pagepress_store *store, unsigned long index, unsigned long handle,
		    unsigned int length, u32 crc, const struct pagepress_transfer *writer)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	unsigned long old = handle;

	if (!slot) {
		pagepress_store_free_handle(store, handle);
		return;
	}
	pagepress_order_supply(store);
	spin_lock(pagepress_slot_lock(store, index));
	if (pagepress_slot_claim(store, index, slot, writer)) {
		old = pagepress_slot_take(store, index, slot);
		slot->handle = handle;
		slot->crc = crc;
		slot->length_less_one = length - 1;
		slot->accessed = pagepress_store_now();
		pagepress_slot_give(store, index, slot,
				    length == PAGE_SIZE ? PAGEPRESS_RAW : PAGEPRESS_STREAM);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
	pagepress_table_put(store, index, slot);
}

/*
 * Takes memory for so many bytes in place of what object had; false without. Reclaim may run, and
 * this may sleep until others have freed memory: the caller holds nothing that they need.
 */
bool pagepress_store_reserve(struct pagepress_store *store, unsigned int length,
			     struct pagepress_object *object)
{
	pagepress_store_unreserve(store, object);
	object->handle = pagepress_pool_allocate(store->pool, length, GFP_NOIO | POOL_MEMORY);
	object->length = length;
	return object->handle;
}

/*
 * For what nobody waits for: asks once, and below mem_limit. -ENOMEM without memory, -ENOSPC past
 * the limit; then object has none, as before.
 */
int pagepress_store_reserve_in_limit(struct pagepress_store *store, unsigned int length,
				     struct pagepress_object *object)
{
	object->handle = pagepress_pool_allocate(store->pool, length,
						 GFP_NOIO | __GFP_NORETRY | POOL_MEMORY);
	object->length = length;
	if (!object->handle)
		return -ENOMEM;
	if (!over_limit(store))
		return 0;
	pagepress_store_unreserve(store, object);
	return -ENOSPC;
}

void pagepress_store_unreserve(struct pagepress_store *store, struct pagepress_object *object)
{
	pagepress_store_free_handle(store, object->handle);
	object->handle = 0;
}

/* What was reserved if it is large enough, else what is free: reclaim never runs here. */
static unsigned long take_object(struct pagepress_store *store, unsigned int length,
				 struct pagepress_object *reserved)
{
	unsigned long handle;

	if (!reserved || !reserved->handle || reserved->length < length)
		return pagepress_pool_allocate(store->pool, length,
					       __GFP_KSWAPD_RECLAIM | POOL_MEMORY);
	handle = reserved->handle;
	reserved->handle = 0;
	return handle;
}

/*
 * Stores length bytes: a stream, or with PAGE_SIZE the page itself; in the memory reserved, if
 * there is any. BLK_STS_NOSPC past mem_limit, BLK_STS_RESOURCE without memory that is free now;
 * then the slot is as before. writer is in flight, or NULL: then the slot is prepared. Never
 * sleeps: the caller may hold what reclaim needs.
 */
blk_status_t pagepress_store_put_data(struct pagepress_store *store, unsigned long index,
				      const void *data, unsigned int length, u32 crc,
				      const struct pagepress_transfer *writer,
				      struct pagepress_object *reserved)
{
	unsigned long handle;

	handle = take_object(store, length, reserved);
	if (!handle)
		return BLK_STS_RESOURCE;
	if (over_limit(store)) {
		zs_free(store->pool, handle);
		return BLK_STS_NOSPC;
	}
	pagepress_pool_write(store->pool, handle, data, length);
	install(store, index, handle, length, crc, writer);
	return BLK_STS_OK;
}

void pagepress_store_free(struct pagepress_store *store, unsigned long index)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	unsigned long handle;

	if (!slot)
		return;
	spin_lock(pagepress_slot_lock(store, index));
	pagepress_slot_set_writer(store, index, slot, NULL);
	handle = pagepress_slot_take(store, index, slot);
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, handle);
	pagepress_table_put(store, index, slot);
}

/* Frees all slots from index to end, end excluded. May sleep. */
void pagepress_store_discard(struct pagepress_store *store, unsigned long index, unsigned long end)
{
	while ((index = pagepress_store_next(store, index)) < end) {
		pagepress_store_free(store, index++);
		cond_resched();
	}
}

/* For callers that hold spinlocks of their own: counts a miss when somebody holds the slot's. */
void pagepress_store_try_free(struct pagepress_store *store, unsigned long index,
			      atomic64_t *misses)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	spinlock_t *lock = pagepress_slot_lock(store, index);
	unsigned long handle = 0;

	if (!slot)
		return;
	if (spin_trylock(lock)) {
		pagepress_slot_set_writer(store, index, slot, NULL);
		handle = pagepress_slot_take(store, index, slot);
		spin_unlock(lock);
	} else {
		atomic64_inc(misses);
	}
	pagepress_store_free_handle(store, handle);
	pagepress_table_put(store, index, slot);
}

/* A hint, read without the lock: good for choosing a path, not for acting on it. */
enum pagepress_kind pagepress_store_peek(struct pagepress_store *store, unsigned long index)
{
	enum pagepress_kind kind = PAGEPRESS_EMPTY;
	const struct pagepress_slot *slot;

	rcu_read_lock();
	slot = pagepress_table_look(store, index);
	if (slot && READ_ONCE(slot->flags) & PAGEPRESS_SLOT_IN_FLIGHT)
		kind = PAGEPRESS_IN_FLIGHT;
	else if (slot)
		kind = READ_ONCE(slot->kind);
	rcu_read_unlock();
	return kind;
}

/*
 * Copies what the slot holds now into buffer (one page): a stream, or the plain page when kind is
 * RAW or IN_FLIGHT; nothing for EMPTY, SAME and BACKED. After it the slot may change without harm
 * to the caller, unless it is BACKED: see page_io.c.
 */
void pagepress_store_fetch(struct pagepress_store *store, unsigned long index, void *buffer,
			   struct pagepress_content *content)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	const struct pagepress_transfer *writer;

	*content = (struct pagepress_content){ .kind = PAGEPRESS_EMPTY };
	if (!slot)
		return;
	spin_lock(pagepress_slot_lock(store, index));
	slot->accessed = pagepress_store_now();
	slot->flags &= ~PAGEPRESS_SLOT_IDLE;
	content->kind = slot->kind;
	content->cold = slot->flags & PAGEPRESS_SLOT_COLD;
	content->crc = slot->crc;
	writer = pagepress_slot_writer(store, index, slot);
	if (writer) {
		content->kind = PAGEPRESS_IN_FLIGHT;
		content->length = PAGE_SIZE;
		pagepress_transfer_load(writer, buffer);
	} else if (slot->kind == PAGEPRESS_SAME) {
		content->fill = slot->fill;
	} else if (slot->kind == PAGEPRESS_BACKED) {
		content->address = slot->address;
		content->length = pagepress_slot_length(slot);
	} else if (slot->kind != PAGEPRESS_EMPTY) {
		content->length = pagepress_slot_length(slot);
		pagepress_pool_read(store->pool, slot->handle, buffer, content->length);
	}
	if (!writer && slot->kind != PAGEPRESS_EMPTY && slot->kind != PAGEPRESS_SAME)
		pagepress_depths_count(store, slot);
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
}

/*
 * Pages of memory that what is stored takes: of the pool, of the table and of the order of writes.
 * None when empty.
 */
u64 pagepress_store_pages_used(struct pagepress_store *store)
{
	return pagepress_store_pages_pooled(store) + pagepress_store_pages_beside(store);
}

/* Those of the pool. */
u64 pagepress_store_pages_pooled(struct pagepress_store *store)
{
	return store->pool ? zs_get_total_pages(store->pool) : 0;
}

/* Those beside it; they come and go at any moment. */
u64 pagepress_store_pages_beside(struct pagepress_store *store)
{
	return atomic64_read(&store->chunk_count) + pagepress_order_pages(store);
}

/* All that table and order take, also what they take when empty. */
u64 pagepress_store_table_bytes(struct pagepress_store *store)
{
	return store->pool ? pagepress_table_bytes(store) + pagepress_order_bytes(store) +
				     PAGEPRESS_BUCKETS * sizeof(*store->buckets)
			   : 0;
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

/* By mem_limit, or by what pool_budget=auto gives it. */
bool pagepress_store_is_limited(struct pagepress_store *store)
{
	return atomic64_read(&store->mem_limit);
}

/* Rounded up to whole pages: a limit smaller than a page must not mean none. */
void pagepress_store_set_limit(struct pagepress_store *store, u64 bytes)
{
	atomic64_set(&store->mem_limit, (bytes >> PAGE_SHIFT) + !!(bytes & ~PAGE_MASK));
}
