// SPDX-License-Identifier: GPL-2.0-only
/* Slots on their way to the backing device: which may go, when their memory is given up. */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "compat.h"
#include "slot.h"

u32 pagepress_store_now(void)
{
	return ktime_to_ns(ktime_get_coarse_boottime()) >> PAGEPRESS_AGE_SHIFT;
}

/* False when something newer than writer has taken the slot: sector is still the caller's. */
bool pagepress_store_put_backed(struct pagepress_store *store, unsigned long index, u64 sector,
				unsigned int length, u32 crc,
				const struct pagepress_transfer *writer)
{
	struct pagepress_slot *slot = &store->slots[index];
	unsigned long old = 0;
	bool claimed;

	spin_lock(pagepress_slot_lock(store, index));
	claimed = pagepress_slot_claim(slot, writer);
	if (claimed) {
		old = pagepress_slot_take(store, slot);
		slot->sector = sector;
		slot->crc = crc;
		slot->length = length;
		slot->accessed = pagepress_store_now();
		pagepress_slot_give(store, slot, PAGEPRESS_BACKED);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
	return claimed;
}

/* True and where, when the slot is BACKED and nobody writes to it. */
bool pagepress_store_locate(struct pagepress_store *store, unsigned long index,
			    struct pagepress_content *content)
{
	struct pagepress_slot *slot = &store->slots[index];
	bool backed;

	spin_lock(pagepress_slot_lock(store, index));
	backed = slot->kind == PAGEPRESS_BACKED && !slot->writer;
	if (backed) {
		content->kind = PAGEPRESS_BACKED;
		content->sector = slot->sector;
		content->length = slot->length;
		content->crc = slot->crc;
	}
	spin_unlock(pagepress_slot_lock(store, index));
	return backed;
}

/* Marks every page in memory that was not accessed for so long. */
void pagepress_store_mark_idle(struct pagepress_store *store, u32 age)
{
	const struct pagepress_selection old = { .end = store->slot_count, .age = age };
	u32 now = pagepress_store_now();
	unsigned long index;

	for (index = 0; index < store->slot_count; index++) {
		spin_lock(pagepress_slot_lock(store, index));
		if (pagepress_slot_selected(&store->slots[index], &old, now))
			store->slots[index].flags |= PAGEPRESS_SLOT_IDLE;
		spin_unlock(pagepress_slot_lock(store, index));
		if (!(index % 4096))
			cond_resched();
	}
}

/* Without the slot's lock: a hint. */
bool pagepress_slot_selected(const struct pagepress_slot *slot,
			     const struct pagepress_selection *selection, u32 now)
{
	u8 kind = READ_ONCE(slot->kind);
	u8 flags = READ_ONCE(slot->flags);

	if (kind != PAGEPRESS_RAW && (kind != PAGEPRESS_STREAM || selection->raw))
		return false;
	return !READ_ONCE(slot->writer) && !(flags & PAGEPRESS_SLOT_WRITEBACK) &&
	       (flags & selection->flags) == selection->flags &&
	       (s32)(now - READ_ONCE(slot->accessed)) >= (s32)selection->age;
}

/*
 * Copies the slot's stream or page to buffer, which has room bytes. -EAGAIN when it is not selected
 * any more, -ENOSPC when there is not enough room. After 0, pagepress_store_end_writeback() must
 * follow.
 */
int pagepress_store_begin_writeback(struct pagepress_store *store, unsigned long index,
				    const struct pagepress_selection *selection, void *buffer,
				    unsigned int room, unsigned int *length)
{
	struct pagepress_slot *slot = &store->slots[index];
	int error = 0;

	spin_lock(pagepress_slot_lock(store, index));
	if (!pagepress_slot_selected(slot, selection, pagepress_store_now())) {
		error = -EAGAIN;
	} else if (slot->length > room) {
		error = -ENOSPC;
	} else {
		slot->flags |= PAGEPRESS_SLOT_WRITEBACK;
		*length = slot->length;
		pagepress_pool_read(store->pool, slot->handle, buffer, slot->length);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	return error;
}

/*
 * The copy in memory goes only if it was written, and nobody freed, overwrote or is overwriting the
 * slot since it began. False: sector is still the caller's.
 */
bool pagepress_store_end_writeback(struct pagepress_store *store, unsigned long index, bool written,
				   u64 sector)
{
	struct pagepress_slot *slot = &store->slots[index];
	unsigned long old = 0;
	bool moved;

	spin_lock(pagepress_slot_lock(store, index));
	moved = written && slot->flags & PAGEPRESS_SLOT_WRITEBACK && !slot->writer;
	slot->flags &= ~PAGEPRESS_SLOT_WRITEBACK;
	if (moved) {
		old = pagepress_slot_take(store, slot);
		slot->sector = sector;
		pagepress_slot_give(store, slot, PAGEPRESS_BACKED);
	}
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_store_free_handle(store, old);
	return moved;
}
