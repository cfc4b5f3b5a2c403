// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page in memory comes to be a cold stream: fewer bytes, the same page. Begun by
 * pagepress_store_begin_writeback() with the flag RECOMPRESSING, which whoever overwrites or frees
 * the slot takes away; ended by one of these.
 */
#include "page/compat.h"
#include "store/slot.h"

/* Under the slot's lock: whether it holds what it did at first, and nobody overwrites it. */
static bool end(struct pagepress_slot *slot)
{
	bool same = slot->flags & PAGEPRESS_SLOT_RECOMPRESSING;

	/* As in zram: it has been touched. */
	if (same)
		slot->flags &= ~(PAGEPRESS_SLOT_RECOMPRESSING | PAGEPRESS_SLOT_IDLE);
	return same && !(slot->flags & PAGEPRESS_SLOT_IN_FLIGHT);
}

/* The slot keeps what it has; dense: until it is written again. */
void pagepress_store_keep_warm(struct pagepress_store *store, unsigned long index, bool dense)
{
	struct pagepress_slot *slot = pagepress_table_get(store, index);

	if (!slot)
		return;
	spin_lock(pagepress_slot_lock(store, index));
	if (end(slot) && dense)
		slot->flags |= PAGEPRESS_SLOT_DENSE;
	spin_unlock(pagepress_slot_lock(store, index));
	pagepress_table_put(store, index, slot);
}

/*
 * The slot's page, proven to be what this stream gives, is this stream from now on; readers have
 * the one or the other. -ENOMEM without memory, -ENOSPC when even this little does not fit below
 * mem_limit beside the old one, -EAGAIN when somebody freed, overwrote or is overwriting the slot:
 * then it keeps what it has. *saved: bytes. Reclaim may run, without I/O: the caller holds nothing
 * that it needs.
 */
int pagepress_store_make_cold(struct pagepress_store *store, unsigned long index,
			      const void *stream, unsigned int length, unsigned int *saved)
{
	struct pagepress_object object = {};
	struct pagepress_slot *slot;
	unsigned long old;
	int error;

	error = pagepress_store_reserve_in_limit(store, length, &object);
	if (error) {
		pagepress_store_keep_warm(store, index, false);
		return error;
	}
	pagepress_pool_write(store->pool, object.handle, stream, length);
	old = object.handle;
	slot = pagepress_table_get(store, index);
	error = -EAGAIN;
	if (slot) {
		spin_lock(pagepress_slot_lock(store, index));
		if (end(slot)) {
			*saved = pagepress_slot_length(slot) - length;
			old = pagepress_slot_make_cold(store, index, slot, object.handle,
						       length);
			error = 0;
		}
		spin_unlock(pagepress_slot_lock(store, index));
		pagepress_table_put(store, index, slot);
	}
	pagepress_store_free_handle(store, old);
	return error;
}
