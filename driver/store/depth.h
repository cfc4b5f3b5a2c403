/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How deep the pages lay that are read back: how many, of those still in memory, were written after
 * each. Of a store that keeps an order of writes.
 */
#ifndef PAGEPRESS_DEPTH_H
#define PAGEPRESS_DEPTH_H

#include <linux/atomic.h>
#include <linux/types.h>

#define PAGEPRESS_DEPTHS 129	/* of the histogram; the last is deeper than sixteen memories */

/* Pages that one depth of the histogram spans, on a machine of so many. */
static inline u64 pagepress_depth_width(u64 memory)
{
	return memory / 8;
}

struct pagepress_slot;
struct pagepress_store;

/* Whoever asks for them has it, as long as the store may be read. */
struct pagepress_depths {
	u64 width;		/* pages between two of places */
	u64 in_memory;		/* when places were measured: pages */
	u32 next;		/* likewise: place of the next write */
	u32 count;		/* of places */
	u32 places[PAGEPRESS_DEPTHS - 1];	/* where the depth comes to 1, 2, … widths */
	atomic_t reads[PAGEPRESS_DEPTHS];	/* since they were taken */
};

void pagepress_depths_start(struct pagepress_store *store, struct pagepress_depths *depths,
			    u64 memory);
void pagepress_depths_stop(struct pagepress_store *store);
void pagepress_depths_measure(struct pagepress_store *store);
void pagepress_depths_take(struct pagepress_store *store, u32 *reads);
void pagepress_depths_count(struct pagepress_store *store, const struct pagepress_slot *slot);

#endif
