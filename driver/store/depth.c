// SPDX-License-Identifier: GPL-2.0-only
/*
 * Depths of the pages that are read. To add up what was written after a page would take as long as
 * the order is; so the places that lie at each depth are measured once in a while, and a read looks
 * between which of them its page is. What was written since then counts as if all of it were still
 * there: an error that ends with the next measurement.
 */
#include <linux/math64.h>

#include "store/depth.h"
#include "store/order.h"

/* memory: pages of the machine. Nobody measures or takes them meanwhile. */
void pagepress_depths_start(struct pagepress_store *store, struct pagepress_depths *depths,
			    u64 memory)
{
	unsigned int index;

	/* A read that found it before pagepress_depths_stop() may still be dividing by width. */
	WRITE_ONCE(depths->width, pagepress_depth_width(memory));
	WRITE_ONCE(depths->count, 0);
	WRITE_ONCE(depths->in_memory, 0);
	WRITE_ONCE(depths->next, pagepress_order_next(store));
	for (index = 0; index < PAGEPRESS_DEPTHS; index++)
		atomic_set(&depths->reads[index], 0);
	/* Whoever finds it, finds it as it is now. */
	smp_store_release(&store->depths, depths);
}

/* Reads that have begun may still count theirs. */
void pagepress_depths_stop(struct pagepress_store *store)
{
	WRITE_ONCE(store->depths, NULL);
}

/* By one task at a time. May sleep. */
void pagepress_depths_measure(struct pagepress_store *store)
{
	struct pagepress_depths *depths = store->depths;
	u32 places[PAGEPRESS_DEPTHS - 1];
	unsigned int count, index;
	u64 in_memory;
	u32 next;

	count = pagepress_order_depths(store, &next, depths->width, places, PAGEPRESS_DEPTHS - 1,
				       &in_memory);
	/* A read that sees some of the old and some of the new is counted a little beside. */
	for (index = 0; index < count; index++)
		WRITE_ONCE(depths->places[index], places[index]);
	WRITE_ONCE(depths->count, count);
	WRITE_ONCE(depths->in_memory, in_memory);
	WRITE_ONCE(depths->next, next);
}

/* Moves what was counted into reads, PAGEPRESS_DEPTHS of them. By one task at a time. */
void pagepress_depths_take(struct pagepress_store *store, u32 *reads)
{
	unsigned int index;

	for (index = 0; index < PAGEPRESS_DEPTHS; index++)
		reads[index] = atomic_xchg(&store->depths->reads[index], 0);
}

/*
 * A page that has left memory is older than all that are there, by what was written in between; one
 * that never was there is as deep as if it were.
 */
static u64 depth_of(struct pagepress_store *store, const struct pagepress_depths *depths,
		    const struct pagepress_slot *slot)
{
	u32 since = pagepress_order_next(store) - READ_ONCE(depths->next);
	unsigned int low = 0, high = READ_ONCE(depths->count);
	u32 place = slot->written, oldest;

	if (slot->kind == PAGEPRESS_BACKED) {
		oldest = high ? READ_ONCE(depths->places[high - 1]) : READ_ONCE(depths->next);
		if ((s32)(oldest - place) > 0)
			return READ_ONCE(depths->in_memory) +
			       min_t(u64, oldest - place,
				     pagepress_gauge(store, PAGEPRESS_BACKED_PAGES));
	}
	if ((s32)(place - READ_ONCE(depths->next)) >= 0)
		return pagepress_order_next(store) - place;
	/* How many of the places are younger. */
	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if ((s32)(READ_ONCE(depths->places[middle]) - place) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low * depths->width + since;
}

/* The slot, which holds a page in memory or on the device, is read. Under its lock. */
void pagepress_depths_count(struct pagepress_store *store, const struct pagepress_slot *slot)
{
	/* Pairs with pagepress_depths_start(). */
	struct pagepress_depths *depths = smp_load_acquire(&store->depths);
	u64 depth;

	if (!depths)
		return;
	depth = div64_u64(depth_of(store, depths, slot), depths->width);
	atomic_inc(&depths->reads[min_t(u64, depth, PAGEPRESS_DEPTHS - 1)]);
}
