/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The order in which pages were written: which are the oldest in memory, without looking through
 * the table. For the files of the store alone.
 *
 * Each write has a place in one long row, places are given out ascending, and the slot keeps its
 * own (pagepress_slot.written). The row lies in blocks, each a page of slot numbers. A slot is in
 * it while it holds a stream or a page in memory: leaving, it strikes its number out. Reads change
 * nothing.
 *
 * Life of a block. It is made when the first of its places is given out, of memory set aside before
 * any lock was taken, and goes with the last number in it. Without memory a slot stays out of the
 * row, and is found by looking through the table as before. Where numbers become sparse, they are
 * packed into the youngest blocks (pagepress_store_pack_order()): by a work, as it takes a while.
 */
#ifndef PAGEPRESS_ORDER_H
#define PAGEPRESS_ORDER_H

#include "store/table.h"

int pagepress_order_create(struct pagepress_store *store);
void pagepress_order_destroy(struct pagepress_store *store);
u64 pagepress_order_pages(struct pagepress_store *store);
u64 pagepress_order_bytes(struct pagepress_store *store);
void pagepress_order_supply(struct pagepress_store *store);

/* Both under the slot's lock. */
void pagepress_order_append(struct pagepress_store *store, unsigned long index,
			    struct pagepress_slot *slot);
void pagepress_order_remove(struct pagepress_store *store, struct pagepress_slot *slot);

/* depth.c */
u32 pagepress_order_next(struct pagepress_store *store);
unsigned int pagepress_order_depths(struct pagepress_store *store, u32 *next, u64 width,
				    u32 *places, unsigned int most, u64 *in_all);

#endif
