// SPDX-License-Identifier: GPL-2.0-only
/* Slots on their way to the backing device: which may go, when their memory is given up. */
#include <linux/mm.h>
#include <linux/sched.h>

#include "page/compat.h"
#include "store/order.h"
#include "store/slot.h"

/* False when something newer than writer has taken the slot: the space is still the caller's. */
bool pagepress_store_put_backed(struct pagepress_store *store, unsigned long index, u64 address,
				unsigned int length, u32 crc,
				const struct pagepress_transfer *writer)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	unsigned long old = 0;
	bool claimed;

	if (!slot)
		return false;
	spin_lock(pagepress_slot_lock(store, index));
	claimed = pagepress_slot_claim(store, index, slot, writer);
	if (claimed) {
		old = pagepress_slot_take(store, index, slot);
		slot->address = address;
		slot->crc = crc;
		slot->length_less_one = length - 1;
		slot->accessed = pagepress_store_now();
		slot->written = pagepress_order_next(store);
		pagepress_slot_give(store, index, slot, PAGEPRESS_BACKED);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
	pagepress_table_put(store, index, slot);
	return claimed;
}

static void describe(const struct pagepress_slot *slot, struct pagepress_content *content)
{
	content->kind = PAGEPRESS_BACKED;
	content->cold = slot->flags & PAGEPRESS_SLOT_COLD;
	content->address = slot->address;
	content->length = pagepress_slot_length(slot);
	content->crc = slot->crc;
}

/* True and what rests there, when the slot is BACKED and has none of these flags. */
static bool rests(struct pagepress_store *store, unsigned long index, u8 without,
		  struct pagepress_content *content)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	bool backed;

	if (!slot)
		return false;
	spin_lock(pagepress_slot_lock(store, index));
	backed = slot->kind == PAGEPRESS_BACKED && !(slot->flags & without);
	if (backed)
		describe(slot, content);
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
	return backed;
}

/* True and where, when the slot is BACKED and nobody writes to it. */
bool pagepress_store_locate(struct pagepress_store *store, unsigned long index,
			    struct pagepress_content *content)
{
	return rests(store, index, PAGEPRESS_SLOT_IN_FLIGHT, content);
}

/* The same, also while somebody overwrites it. */
bool pagepress_store_rests(struct pagepress_store *store, unsigned long index,
			   struct pagepress_content *content)
{
	return rests(store, index, 0, content);
}

#define COPIERS \
	(PAGEPRESS_SLOT_WRITEBACK | PAGEPRESS_SLOT_CLEANING | PAGEPRESS_SLOT_RECOMPRESSING)

/* Without the slot's lock: a hint. */
static bool is_selected(const struct pagepress_slot *slot,
			const struct pagepress_selection *selection, u32 now)
{
	u8 kind = READ_ONCE(slot->kind);
	u8 flags = READ_ONCE(slot->flags);

	if (kind != PAGEPRESS_RAW && (kind != PAGEPRESS_STREAM || selection->raw))
		return false;
	if (selection->warm && flags & (PAGEPRESS_SLOT_COLD | PAGEPRESS_SLOT_DENSE))
		return false;
	return !(flags & (PAGEPRESS_SLOT_IN_FLIGHT | COPIERS)) &&
	       (flags & selection->flags) == selection->flags &&
	       READ_ONCE(slot->length_less_one) + 1 >= selection->least &&
	       (s32)(now - READ_ONCE(slot->accessed)) >= (s32)selection->age;
}

/* A hint: whether the slot is selected, and when it was accessed. */
bool pagepress_store_selected(struct pagepress_store *store, unsigned long index,
			      const struct pagepress_selection *selection, u32 now, u32 *accessed)
{
	const struct pagepress_slot *slot;
	bool selected;

	rcu_read_lock();
	slot = pagepress_table_look(store, index);
	selected = slot && is_selected(slot, selection, now);
	if (selected)
		*accessed = READ_ONCE(slot->accessed);
	rcu_read_unlock();
	return selected;
}

static void mark(struct pagepress_store *store, unsigned long index,
		 const struct pagepress_selection *selection, u32 now)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);

	if (!slot)
		return;
	spin_lock(pagepress_slot_lock(store, index));
	if (is_selected(slot, selection, now))
		slot->flags |= PAGEPRESS_SLOT_IDLE;
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
}

/* Marks every page in memory that was not accessed for so long. */
void pagepress_store_mark_idle(struct pagepress_store *store, u32 age)
{
	const struct pagepress_selection old = { .end = store->slot_count, .age = age };
	u32 now = pagepress_store_now();
	unsigned long index = 0;

	while ((index = pagepress_store_next(store, index)) < store->slot_count) {
		mark(store, index++, &old, now);
		if (!(index % 4096))
			cond_resched();
	}
}

static bool still_at(const struct pagepress_slot *slot, u32 place)
{
	return slot->flags & PAGEPRESS_SLOT_ORDERED && slot->written == place;
}

/*
 * Copies the slot's stream or page to buffer, which has space bytes, and says what it is. copier:
 * the flag of whoever copies. -EAGAIN when it is not selected any more, or not even there, as the
 * disk was reset since it was found; -ENOSPC when there is not enough space. After 0,
 * pagepress_store_end_writeback() must follow, with the same flag; or what cold.c has, of a
 * recompression.
 */
int pagepress_store_begin_writeback(struct pagepress_store *store,
				    const struct pagepress_candidate *candidate,
				    const struct pagepress_selection *selection, u8 copier,
				    void *buffer, unsigned int space,
				    struct pagepress_content *content)
{
	unsigned long index = candidate->slot;
	struct pagepress_slot *slot = NULL;
	int error = 0;

	if (index < store->slot_count)
		slot = pagepress_table_get(store, index);
	if (!slot)
		return -EAGAIN;
	spin_lock(pagepress_slot_lock(store, index));
	if (!is_selected(slot, selection, pagepress_store_now()) ||
	    (selection->by_order && !still_at(slot, candidate->when))) {
		error = -EAGAIN;
	} else if (pagepress_slot_length(slot) > space) {
		error = -ENOSPC;
	} else {
		slot->flags |= copier;
		*content = (struct pagepress_content){
			.kind = slot->kind,
			.cold = slot->flags & PAGEPRESS_SLOT_COLD,
			.crc = slot->crc,
			.length = pagepress_slot_length(slot),
		};
		pagepress_pool_read(store->pool, slot->handle, buffer, content->length);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
	return error;
}

/*
 * The copy in memory goes only if it was written, and nobody freed, overwrote or is overwriting the
 * slot since it began: whoever did has taken the flag away, and if another copies what came then,
 * that one has a flag of its own. False: the space is still the caller's.
 */
bool pagepress_store_end_writeback(struct pagepress_store *store, unsigned long index, u8 copier,
				   bool written, u64 address)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	unsigned long old = 0;
	bool moved;
	u8 format;

	if (!slot)
		return false;
	spin_lock(pagepress_slot_lock(store, index));
	moved = written && slot->flags & copier && !(slot->flags & PAGEPRESS_SLOT_IN_FLIGHT);
	slot->flags &= ~copier;
	if (moved) {
		format = slot->flags & PAGEPRESS_SLOT_COLD;
		old = pagepress_slot_take(store, index, slot);
		slot->flags |= format;
		slot->address = address;
		pagepress_slot_give(store, index, slot, PAGEPRESS_BACKED);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
	pagepress_table_put(store, index, slot);
	return moved;
}

/* A hint: of what pagepress_store_rests() says, the address alone. */
bool pagepress_store_peek_address(struct pagepress_store *store, unsigned long index, u64 *address)
{
	const struct pagepress_slot *slot;
	bool backed;

	rcu_read_lock();
	slot = pagepress_table_look(store, index);
	backed = slot && READ_ONCE(slot->kind) == PAGEPRESS_BACKED;
	if (backed)
		*address = slot->address;
	rcu_read_unlock();
	return backed;
}

/*
 * What rests at content's address rests at `to` as well: gives up the former. False when the slot
 * has given it up already: `to` is still the caller's.
 */
bool pagepress_store_move_backed(struct pagepress_store *store, unsigned long index,
				 const struct pagepress_content *content, u64 to)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);
	struct pagepress_content now;
	bool same;

	if (!slot)
		return false;
	spin_lock(pagepress_slot_lock(store, index));
	describe(slot, &now);
	same = slot->kind == PAGEPRESS_BACKED && now.address == content->address &&
	       now.length == content->length && now.crc == content->crc &&
	       now.cold == content->cold;
	if (same) {
		slot->address = to;
		store->operations->release(store->owner, now.address, now.length);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
	return same;
}
