// SPDX-License-Identifier: GPL-2.0-only
/* The table of slots: chunks come and go. */
#include <linux/sched.h>
#include <linux/slab.h>

#include "store/table.h"

/*
 * Reclaim itself asks, so it may take of the reserves, as it may for the pool: one page for the
 * table comes with some hundred for the pool. Whoever is not reclaim waits for it as for the pool,
 * which neither starts I/O nor has anybody killed.
 */
#define CHUNK_FLAGS (GFP_NOIO | __GFP_HIGH | __GFP_NOWARN)

static unsigned long chunk_count(unsigned long slot_count)
{
	return DIV_ROUND_UP(slot_count, PAGEPRESS_CHUNK_SLOTS);
}

/* -ENOMEM without memory for the directory. */
int pagepress_table_create(struct pagepress_store *store, unsigned long slot_count)
{
	/* An administrator asks: an error is the answer, not somebody's end. */
	store->chunks = kvcalloc(chunk_count(slot_count), sizeof(*store->chunks),
				 GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!store->chunks)
		return -ENOMEM;
	store->slot_count = slot_count;
	return 0;
}

/* When all slots are empty. */
void pagepress_table_destroy(struct pagepress_store *store)
{
	/* What an administrator gave up is free when he is told so; and our code may go then. */
	rcu_barrier();
	WARN_ON(atomic64_read(&store->chunk_count));
	kvfree(store->chunks);
	store->chunks = NULL;
}

u64 pagepress_table_bytes(struct pagepress_store *store)
{
	return chunk_count(store->slot_count) * sizeof(*store->chunks) +
	       (atomic64_read(&store->chunk_count) << PAGE_SHIFT);
}

static void free_chunk(struct rcu_head *head)
{
	free_page((unsigned long)container_of(head, struct pagepress_chunk, rcu));
}

/* Puts `chunk` where `old` is, if it still is there. */
static bool replace(struct pagepress_store *store, unsigned long index,
		    struct pagepress_chunk *old, struct pagepress_chunk *chunk)
{
	struct pagepress_chunk __rcu **place = &store->chunks[index / PAGEPRESS_CHUNK_SLOTS];

	return unrcu_pointer(cmpxchg(place, RCU_INITIALIZER(old), RCU_INITIALIZER(chunk))) == old;
}

/*
 * The slot, for a look without a hold: under rcu_read_lock(), with READ_ONCE(). NULL: it is empty.
 */
struct pagepress_slot *pagepress_table_look(struct pagepress_store *store, unsigned long index)
{
	struct pagepress_chunk *chunk =
		rcu_dereference(store->chunks[index / PAGEPRESS_CHUNK_SLOTS]);

	return chunk ? &chunk->slots[index % PAGEPRESS_CHUNK_SLOTS] : NULL;
}

/* The slot, there until pagepress_table_put(). NULL: it is empty. Takes no lock. */
struct pagepress_slot *pagepress_table_get(struct pagepress_store *store, unsigned long index)
{
	struct pagepress_slot *slot;

	rcu_read_lock();
	slot = pagepress_table_look(store, index);
	if (slot && !refcount_inc_not_zero(&pagepress_chunk_of(slot)->users))
		slot = NULL;
	rcu_read_unlock();
	return slot;
}

/* Takes no lock, and may run under any. */
void pagepress_table_put(struct pagepress_store *store, unsigned long index,
			 struct pagepress_slot *slot)
{
	struct pagepress_chunk *chunk = pagepress_chunk_of(slot);

	if (!refcount_dec_and_test(&chunk->users))
		return;
	atomic64_dec(&store->chunk_count);
	replace(store, index, chunk, NULL);
	call_rcu(&chunk->rcu, free_chunk);
}

/*
 * As pagepress_table_get() for a slot that is to be written: makes its chunk if there is none.
 * False without memory. May sleep, never for I/O: under no lock of ours.
 */
bool pagepress_table_make(struct pagepress_store *store, unsigned long index)
{
	struct pagepress_chunk *chunk;
	bool placed = false, found = false;

	if (pagepress_table_get(store, index))
		return true;
	chunk = (struct pagepress_chunk *)get_zeroed_page(CHUNK_FLAGS);
	if (!chunk)
		return false;
	refcount_set(&chunk->users, 1);
	atomic64_inc(&store->chunk_count);
	/* Each turn that changes nothing here means that somebody else has got on. */
	while (!placed && !found) {
		struct pagepress_slot *slot;

		rcu_read_lock();
		slot = pagepress_table_look(store, index);
		if (slot && refcount_inc_not_zero(&pagepress_chunk_of(slot)->users))
			found = true;
		else
			placed = replace(store, index, slot ? pagepress_chunk_of(slot) : NULL,
					 chunk);
		rcu_read_unlock();
	}
	if (found) {
		atomic64_dec(&store->chunk_count);
		free_page((unsigned long)chunk);
	}
	return true;
}

/*
 * The first slot from index on that may hold something, slot_count when there is none: what was
 * never written costs next to nothing to pass. May sleep.
 */
unsigned long pagepress_store_next(struct pagepress_store *store, unsigned long index)
{
	while (index < store->slot_count) {
		unsigned long number = index / PAGEPRESS_CHUNK_SLOTS;

		if (rcu_access_pointer(store->chunks[number]))
			break;
		index = (number + 1) * PAGEPRESS_CHUNK_SLOTS;
		if (!(number % 4096))
			cond_resched();
	}
	return min(index, store->slot_count);
}
