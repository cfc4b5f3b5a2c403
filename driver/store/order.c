// SPDX-License-Identifier: GPL-2.0-only
/* The order of writes: a row of slot numbers, oldest first, in blocks that come and go. */
#include <linux/gfp.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "store/order.h"
#include "store/slot.h"

#define NOBODY U32_MAX /* a place that was given up, or never given out */

/* A page. Its number is the upper bits of its places. */
struct block {
	u32 number;
	u32 count;	/* slots in it; never 0 outside order->lock */
	u32 slots[];
};

#define NUMBER_SHIFT (PAGE_SHIFT - 2)
#define BLOCK_SLOTS ((PAGE_SIZE - sizeof(struct block)) / sizeof(u32))

/* Places wrap. The first wrap comes soon, so that every disk in use has seen one. */
#define FIRST_NUMBER ((U32_MAX >> NUMBER_SHIFT) - 3)

/*
 * So many blocks a block's worth of slots the row may span: it is packed when it spans half of
 * them, four times as many as are needed, so a place moves at most once a write.
 */
#define SPAN 8
/* Places are compared as signed differences. */
#define MOST_SPAN (1u << (30 - NUMBER_SHIFT))
/* Not worth packing. */
#define FEW_BLOCKS 4

struct pagepress_order {
	spinlock_t lock;	/* all of it; inside a slot's lock */
	u32 next;		/* place of the next write */
	u32 first;		/* number of a block; none is older */
	u32 mask;		/* of numbers: their place in blocks */
	u64 count;		/* slots in the row */
	u64 block_count;
	struct block *spare;	/* for the next that is made; NULL: none */
	struct block *blocks[];
};

static u32 number_of(u32 place)
{
	return place >> NUMBER_SHIFT;
}

static u32 place_in(u32 number, u32 at)
{
	return number << NUMBER_SHIFT | at;
}

static u32 at_of(u32 place)
{
	return place & ((1u << NUMBER_SHIFT) - 1);
}

/* The next older place. */
static u32 before(u32 place)
{
	return at_of(place) ? place - 1 : place_in(number_of(place) - 1, BLOCK_SLOTS - 1);
}

/* The number that follows. */
static u32 after(u32 number)
{
	return number_of(place_in(number + 1, 0));
}

/* How many numbers from one to a later one. */
static u32 span(u32 first, u32 last)
{
	return (last - first) & (U32_MAX >> NUMBER_SHIFT);
}

/* -ENOMEM without memory for the directory. The store keeps an order from now on. */
int pagepress_order_create(struct pagepress_store *store)
{
	u64 needed = DIV_ROUND_UP_ULL(store->slot_count, BLOCK_SLOTS) * SPAN + 2 * FEW_BLOCKS;
	u32 places = roundup_pow_of_two(min_t(u64, needed, MOST_SPAN));
	struct pagepress_order *order;

	order = kvzalloc(struct_size(order, blocks, places),
			 GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!order)
		return -ENOMEM;
	spin_lock_init(&order->lock);
	order->mask = places - 1;
	order->first = FIRST_NUMBER;
	order->next = place_in(FIRST_NUMBER, 0);
	store->order = order;
	return 0;
}

/* When all slots are empty. */
void pagepress_order_destroy(struct pagepress_store *store)
{
	struct pagepress_order *order = store->order;

	if (!order)
		return;
	WARN_ON(order->block_count);
	free_page((unsigned long)order->spare);
	kvfree(order);
	store->order = NULL;
}

/* Pages of memory that it takes: none when the row is empty. */
u64 pagepress_order_pages(struct pagepress_store *store)
{
	return store->order ? READ_ONCE(store->order->block_count) : 0;
}

/* All that it takes, but for the page set aside. */
u64 pagepress_order_bytes(struct pagepress_store *store)
{
	struct pagepress_order *order = store->order;

	if (!order)
		return 0;
	return struct_size(order, blocks, order->mask + 1) +
	       (READ_ONCE(order->block_count) << PAGE_SHIFT);
}

/*
 * Sets a page aside, if none is. Before a slot's lock is taken; never sleeps, as a codec may be
 * held.
 */
void pagepress_order_supply(struct pagepress_store *store)
{
	struct pagepress_order *order = store->order;
	struct block *block;

	if (!order || READ_ONCE(order->spare))
		return;
	block = (struct block *)__get_free_page(GFP_NOWAIT | __GFP_HIGH | __GFP_NOWARN);
	if (!block)
		return;
	spin_lock(&order->lock);
	if (!order->spare) {
		order->spare = block;
		block = NULL;
	}
	spin_unlock(&order->lock);
	free_page((unsigned long)block);
}

/* ---- under order->lock ---- */

/* NULL: there is none of that number. */
static struct block *block_of(struct pagepress_order *order, u32 number)
{
	struct block *block = order->blocks[number & order->mask];

	return block && block->number == number ? block : NULL;
}

/* The block of that number, made if there is none. NULL: no memory, or the row is too long. */
static struct block *make_block(struct pagepress_order *order, u32 number)
{
	struct block **where = &order->blocks[number & order->mask];

	if (*where || !order->spare)
		return block_of(order, number);
	*where = order->spare;
	order->spare = NULL;
	memset(*where, 0xff, PAGE_SIZE); /* NOBODY */
	(*where)->number = number;
	(*where)->count = 0;
	WRITE_ONCE(order->block_count, order->block_count + 1);
	return *where;
}

static void put_in(struct pagepress_order *order, struct block *block, u32 place, u32 index,
		   struct pagepress_slot *slot)
{
	block->slots[at_of(place)] = index;
	block->count++;
	order->count++;
	slot->written = place;
	slot->flags |= PAGEPRESS_SLOT_ORDERED;
}

/* Gives up a place that a slot has. The block goes with its last one. */
static void strike_out(struct pagepress_order *order, u32 place)
{
	struct block *block = block_of(order, number_of(place));

	block->slots[at_of(place)] = NOBODY;
	order->count--;
	if (--block->count)
		return;
	order->blocks[block->number & order->mask] = NULL;
	WRITE_ONCE(order->block_count, order->block_count - 1);
	if (order->spare)
		free_page((unsigned long)block);
	else
		order->spare = block;
}

/* Passes what has gone at the old end. */
static void advance(struct pagepress_order *order)
{
	while (order->first != number_of(order->next) && !block_of(order, order->first))
		WRITE_ONCE(order->first, after(order->first));
}

/* ---- slots come and go ---- */

/* The slot, in memory from now on, is the youngest. */
void pagepress_order_append(struct pagepress_store *store, unsigned long index,
			    struct pagepress_slot *slot)
{
	struct pagepress_order *order = store->order;
	struct block *block;

	if (!order || index >= NOBODY)
		return;
	spin_lock(&order->lock);
	block = make_block(order, number_of(order->next));
	if (block) {
		put_in(order, block, order->next, index, slot);
		if (at_of(order->next) == BLOCK_SLOTS - 1)
			order->next = place_in(after(block->number), 0);
		else
			order->next++;
	}
	spin_unlock(&order->lock);
}

/* The slot is not in memory any more. */
void pagepress_order_remove(struct pagepress_store *store, struct pagepress_slot *slot)
{
	struct pagepress_order *order = store->order;

	if (!(slot->flags & PAGEPRESS_SLOT_ORDERED))
		return;
	spin_lock(&order->lock);
	strike_out(order, slot->written);
	slot->flags &= ~PAGEPRESS_SLOT_ORDERED;
	spin_unlock(&order->lock);
}

/* ---- the oldest ---- */

/* The place from which pagepress_store_oldest() begins. */
u32 pagepress_store_first_place(struct pagepress_store *store)
{
	struct pagepress_order *order = store->order;
	u32 place;

	spin_lock(&order->lock);
	advance(order);
	place = place_in(order->first, 0);
	spin_unlock(&order->lock);
	return place;
}

/* Of the block that *place lies in; *place is then behind what was looked at. */
static unsigned int oldest_of_block(struct pagepress_order *order, u32 *place,
				    struct pagepress_candidate *oldest, unsigned int most)
{
	struct block *block = block_of(order, number_of(*place));
	unsigned int count = 0;
	u32 at;

	for (at = at_of(*place); block && at < BLOCK_SLOTS && count < most; at++) {
		if (block->slots[at] == NOBODY)
			continue;
		oldest[count].slot = block->slots[at];
		oldest[count].when = place_in(block->number, at);
		count++;
	}
	*place = block && at < BLOCK_SLOTS ? place_in(block->number, at)
					   : place_in(after(number_of(*place)), 0);
	return count;
}

/*
 * The oldest slots from *place on, oldest first, `most` of them at most, 0 when there is none. They
 * may have changed since. May sleep.
 */
unsigned int pagepress_store_oldest(struct pagepress_store *store, u32 *place,
				    struct pagepress_candidate *oldest, unsigned int most)
{
	struct pagepress_order *order = store->order;
	unsigned int count = 0;
	bool more = true;

	while (more && !count) {
		spin_lock(&order->lock);
		more = (s32)(*place - order->next) < 0;
		if (more)
			count = oldest_of_block(order, place, oldest, most);
		spin_unlock(&order->lock);
		cond_resched();
	}
	return count;
}

/* ---- depths ---- */

/* The place of the next write; a moment later it may be another. */
u32 pagepress_order_next(struct pagepress_store *store)
{
	return READ_ONCE(store->order->next);
}

/*
 * From the place of the next write, *next, to the oldest: places[n] is the first of the block in
 * which the depth comes to n + 1 widths. Returns how many there are, `most` at most; *in_all: the
 * depth of the oldest. Others write meanwhile. May sleep.
 */
unsigned int pagepress_order_depths(struct pagepress_store *store, u32 *next, u64 width,
				    u32 *places, unsigned int most, u64 *in_all)
{
	struct pagepress_order *order = store->order;
	u32 end = number_of(pagepress_store_first_place(store)), number;
	unsigned int count = 0;
	u64 depth = 0;

	/* After the end is known: so it is never behind us. */
	*next = pagepress_order_next(store);
	for (number = number_of(*next);; number = number_of(place_in(number - 1, 0))) {
		struct block *block;

		spin_lock(&order->lock);
		block = block_of(order, number);
		depth += block ? block->count : 0;
		spin_unlock(&order->lock);
		while (count < most && depth >= (count + 1) * width)
			places[count++] = place_in(number, 0);
		if (number == end)
			break;
		cond_resched();
	}
	*in_all = depth;
	return count;
}

/* ---- packed ---- */

/* Whether it is time for pagepress_store_pack_order(); a hint. */
bool pagepress_store_is_sparse(struct pagepress_store *store)
{
	struct pagepress_order *order = store->order;
	u64 blocks = READ_ONCE(order->block_count);

	return blocks > 2 * DIV_ROUND_UP_ULL(READ_ONCE(order->count), BLOCK_SLOTS) + FEW_BLOCKS ||
	       span(READ_ONCE(order->first), number_of(READ_ONCE(order->next))) > order->mask / 2;
}

/*
 * Moves the slot at place `from` to the later place `*to`, or, without memory for a block there,
 * leaves it and sets *to to where it is. False when there is none at `from`.
 */
static bool move(struct pagepress_store *store, unsigned long index, u32 from, u32 *to)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	struct pagepress_order *order = store->order;
	struct block *block;
	bool there;

	if (!slot)
		return false;
	spin_lock(pagepress_slot_lock(store, index));
	spin_lock(&order->lock);
	there = slot->flags & PAGEPRESS_SLOT_ORDERED && slot->written == from;
	block = there ? make_block(order, number_of(*to)) : NULL;
	if (block) {
		/* In before out: both places may be of one block. */
		put_in(order, block, *to, index, slot);
		strike_out(order, from);
	} else if (there) {
		*to = from;
	}
	spin_unlock(&order->lock);
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
	return there;
}

/*
 * The youngest slot of the block that *place lies in, not younger than *place, which becomes its
 * place. NOBODY without any: then *place becomes the block's first.
 */
static u32 slot_at(struct pagepress_order *order, u32 *place)
{
	u32 number = number_of(*place), at = at_of(*place), index = NOBODY;
	struct block *block;

	spin_lock(&order->lock);
	block = block_of(order, number);
	while (block && at && block->slots[at] == NOBODY)
		at--;
	if (block)
		index = block->slots[at];
	*place = place_in(number, block ? at : 0);
	spin_unlock(&order->lock);
	return index;
}

/*
 * If it is time, packs the row: from the youngest but those of the last block to the oldest, each
 * moves to the youngest place that is free, so that the order stays. By one task at a time; others
 * write, read and free slots meanwhile. May sleep.
 */
void pagepress_store_pack_order(struct pagepress_store *store)
{
	struct pagepress_order *order = store->order;
	u32 end = pagepress_store_first_place(store);
	u32 to, from, index;

	if (!pagepress_store_is_sparse(store))
		return;
	to = before(place_in(number_of(READ_ONCE(order->next)), 0));
	for (from = to; (s32)(from - end) >= 0; from = before(from)) {
		pagepress_order_supply(store);
		index = slot_at(order, &from);
		if (index != NOBODY && (from == to || move(store, index, from, &to)))
			to = before(to);
		cond_resched();
	}
}
