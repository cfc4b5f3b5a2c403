/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How full memory is, and what follows from it: when the cleaner begins, how far it goes, when
 * writers wait for it. Decides, and moves nothing.
 *
 * All of it in pages of the pool, of which there may be what mem_limit leaves beside the slot table
 * and the order of writes: those do not shrink when streams leave.
 */
#ifndef PAGEPRESS_PRESSURE_H
#define PAGEPRESS_PRESSURE_H

#include <linux/math64.h>

#include "store/store.h"

#define PAGEPRESS_MOST_CLEAN_PERCENT	90

struct pagepress_pressure {
	u64 used, most;
};

/* False without a mem_limit: then there is none. */
static inline bool pagepress_pressure(struct pagepress_store *store,
				      struct pagepress_pressure *pressure)
{
	u64 limit = atomic64_read(&store->mem_limit);
	u64 beside = pagepress_store_pages_beside(store);

	pressure->used = pagepress_store_pages_pooled(store);
	pressure->most = limit > beside ? limit - beside : 0;
	return limit;
}

/* An eighth before the limit, so that writers, who go on meanwhile, rarely meet it. */
static inline bool pagepress_pressure_is_high(const struct pagepress_pressure *pressure)
{
	return pressure->used > pressure->most - pressure->most / 8;
}

/* The last thirty-second is for pages on their way: who begins one now waits first. */
static inline bool pagepress_pressure_leaves_room(const struct pagepress_pressure *pressure)
{
	return pressure->used <= pressure->most - pressure->most / 32;
}

/* So many pages are to leave. At least to where it is not high, however little is to be clean. */
static inline u64 pagepress_pressure_excess(const struct pagepress_pressure *pressure, u64 percent)
{
	u64 least = pressure->most - pressure->most / 8;
	u64 goal = min(least, pressure->most - div_u64(pressure->most * percent, 100));

	return pressure->used > goal ? pressure->used - goal : 0;
}

#endif
