/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How much memory the pool of compressed pages should have. Decides and moves nothing; knows
 * neither store nor device.
 *
 * What the pool takes, programs lose: a smaller pool leaves more of their pages in memory, a larger
 * one keeps more swapped pages away from the backing device. Which is better is seen from the depth
 * of the pages that are read back: how many, of those still in the pool, were written after each. A
 * pool of any size holds the pages down to some depth, and so much more memory for programs would
 * have kept those above some other: one histogram of depths tells what every size would have cost.
 *
 * Growing costs nothing that cannot be taken back. Who shrinks sends pages to the device unseen:
 * the pool shrinks only after a larger one has cost as much as bringing those pages back may cost,
 * as far as the pages sent there before tell how likely that is. So no load makes it lose more than
 * about twice what is inevitable.
 */
#ifndef PAGEPRESS_POOL_BUDGET_H
#define PAGEPRESS_POOL_BUDGET_H

#include "store/depth.h"

struct pagepress_pool_budget {
	u64 memory;		/* pages of the machine: what depths are measured in */
	u64 pages;		/* that the pool may have */
	u64 saving;		/* by the best pool, not spent yet on shrinking: 1/16 ns */
	u64 history[PAGEPRESS_DEPTHS];	/* reads by depth, 16 a read; older ones count for less */
	u64 young;		/* pages sent to the device, nothing is known of yet: 16 each */
	u64 gone, back;		/* pages sent to the device, read from there: like history */
};

/* What a decision rests on. Counts are since the decision before. */
struct pagepress_pool_state {
	u32 reads[PAGEPRESS_DEPTHS];	/* by depth */
	u64 used;		/* pages of memory that the pool has */
	u64 held;		/* compressed pages in it */
	u64 shared;		/* pages of memory that pool, programs and files have, or nobody */
	u64 written_back;	/* pages sent to the device */
	u64 read_back;		/* pages read from there */
	u64 file_refaults;	/* pages of files that were dropped, and read again soon */
	u64 pool_ns, backing_ns;	/* what a read of a page takes from pool and device */
};

/* Costs are of the reads of history, 1/16 ns. */
struct pagepress_pool_decision {
	u64 cost;		/* with the budget there was; 0: too few reads to judge by */
	u64 best_cost;		/* with the best budget */
	u64 best;		/* that budget, pages */
};

void pagepress_pool_budget_init(struct pagepress_pool_budget *budget, u64 memory, u64 shared);
struct pagepress_pool_decision
pagepress_pool_budget_decide(struct pagepress_pool_budget *budget,
			     const struct pagepress_pool_state *state);

#endif
