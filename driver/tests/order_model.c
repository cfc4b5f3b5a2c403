// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own order of writes (store/order.c) against a plain list: slots are written, freed and packed at random, now and
 * then without memory, from places that are about to wrap and to change their sign. The oldest come as they were written.
 *
 * usage: order_model SEED
 * prints how often it was packed, how many slots were in the row then, and how many blocks their numbers spanned at most
 */
#include <stdio.h>

#include "store/order.c"

#include "model.h"

#define SLOTS  20000
#define ROUNDS 600

static struct pagepress_slot slots[SLOTS];
static struct pagepress_store store;
static u64 written[SLOTS];	/* number of its last write; 0: not in memory */
static u64 writes, pages;
static bool no_memory;	/* most of the time */

unsigned long __get_free_page(int flags)
{
	void *page = no_memory && below(8) ? NULL : aligned_alloc(PAGE_SIZE, PAGE_SIZE);

	(void)flags;
	pages += !!page;
	return (unsigned long)page;
}

void free_page(unsigned long page)
{
	pages -= !!page;
	free((void *)page);
}

struct pagepress_slot *pagepress_table_get(struct pagepress_store *of, unsigned long index)
{
	(void)of;
	return &slots[index];
}

void pagepress_table_put(struct pagepress_store *of, unsigned long index, struct pagepress_slot *slot)
{
	assert(of == &store && slot == &slots[index]);
}

static void leave(u32 slot)
{
	pagepress_order_remove(&store, &slots[slot]);
	written[slot] = 0;
}

static void write(u32 slot)
{
	leave(slot);
	pagepress_order_supply(&store);
	pagepress_order_append(&store, slot, &slots[slot]);
	if (slots[slot].flags & PAGEPRESS_SLOT_ORDERED)
		written[slot] = ++writes;
}

/* The whole row, oldest first, is what the list says. */
static void check(void)
{
	u32 place = pagepress_store_first_place(&store);
	struct pagepress_candidate oldest[100];
	u64 before = 0, found = 0, kept = 0, depth;
	unsigned int count, index;
	u32 next;

	while ((count = pagepress_store_oldest(&store, &place, oldest, 100))) {
		for (index = 0; index < count; index++, found++) {
			u32 slot = oldest[index].slot;

			assert(slots[slot].flags & PAGEPRESS_SLOT_ORDERED && slots[slot].written == oldest[index].when);
			if (written[slot] <= before) {
				printf("slot %u, write %llu, comes after write %llu\n", slot, written[slot], before);
				exit(1);
			}
			before = written[slot];
		}
	}
	for (index = 0; index < SLOTS; index++)
		kept += !!written[index];
	if (found != kept || kept != store.order->count) {
		printf("%llu slots are found, of %llu\n", found, kept);
		exit(1);
	}
	pagepress_order_depths(&store, &next, SLOTS, &place, 1, &depth);
	assert(depth == kept && next == store.order->next);
	/* A page each, and perhaps one set aside. */
	assert(pages == store.order->block_count + !!store.order->spare);
}

static void run(u32 first)
{
	u64 packed = 0, in_row = 0, most = 0;
	unsigned int round, turn;

	memset(slots, 0, sizeof(slots));
	memset(written, 0, sizeof(written));
	store.slot_count = SLOTS;
	assert(!pagepress_order_create(&store));
	store.order->first = first;
	store.order->next = place_in(first, 0);
	for (round = 0; round < ROUNDS; round++) {
		/* Each round has its own share of slots that stay, and are spread over the row. */
		u32 some = round % 2 ? SLOTS : 1 + below(SLOTS);

		for (turn = 0; turn < 4000; turn++) {
			write(below(some));
			if (below(3))
				leave(below(SLOTS));
			no_memory = !below(50);
			most = max(most, (u64)span(store.order->first, number_of(store.order->next)));
			if (!pagepress_store_is_sparse(&store))
				continue;
			no_memory = !below(4);
			if (no_memory) {
				free_page((unsigned long)store.order->spare);
				store.order->spare = NULL;
			}
			pagepress_store_pack_order(&store);
			packed++;
			in_row += store.order->count;
			check();
			no_memory = false;
			pagepress_store_pack_order(&store);
			assert(!pagepress_store_is_sparse(&store));
		}
		no_memory = false;
		check();
		/* Some blocks become empty, between others. */
		for (turn = 0; turn < SLOTS; turn++)
			if (written[turn] && written[turn] / 3000 % 2)
				leave(turn);
	}
	for (turn = 0; turn < SLOTS; turn++)
		leave(turn);
	assert(!pagepress_order_pages(&store));
	pagepress_order_destroy(&store);
	assert(!pages);
	printf("%llu %llu %llu\n", packed, in_row, most);
}

int main(int count, char **words)
{
	static struct pagepress_bucket buckets[PAGEPRESS_BUCKETS];

	if (count != 2) {
		fprintf(stderr, "usage: order_model SEED\n");
		return 2;
	}
	random_state = strtoull(words[1], NULL, 10);
	store.buckets = buckets;
	run(FIRST_NUMBER);
	run((U32_MAX >> NUMBER_SHIFT >> 1) - 3);
	return 0;
}

void zs_free(void *pool, unsigned long handle)
{
	(void)pool;
	(void)handle;
}
