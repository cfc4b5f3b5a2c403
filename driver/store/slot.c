// SPDX-License-Identifier: GPL-2.0-only
/* A slot changes its content or its writer, and the gauges and the chunk's users follow. */
#include "observe/trace.h"
#include "page/transfer.h"
#include "store/order.h"
#include "store/slot.h"

/* What it holds in memory, a stream or a page: once more (sign 1), or no more (-1). */
static void count_in_memory(struct pagepress_store *store, const struct pagepress_slot *slot,
			    int sign)
{
	unsigned int length = pagepress_slot_length(slot);
	s64 bytes = sign * (s64)length;

	atomic64_add(bytes, &store->gauges[PAGEPRESS_STREAM_BYTES]);
	if (slot->kind == PAGEPRESS_RAW)
		atomic64_add(sign, &store->gauges[PAGEPRESS_RAW_PAGES]);
	else if (length <= PAGE_SIZE / 2)
		atomic64_add(sign, &store->gauges[PAGEPRESS_GOOD_PAGES]);
	if (slot->flags & PAGEPRESS_SLOT_COLD) {
		atomic64_add(sign, &store->gauges[PAGEPRESS_COLD_PAGES]);
		atomic64_add(bytes, &store->gauges[PAGEPRESS_COLD_BYTES]);
	}
}

/* Empties the slot; returns the object that its lock's holder frees afterwards, or 0. */
unsigned long pagepress_slot_take(struct pagepress_store *store, unsigned long index,
				  struct pagepress_slot *slot)
{
	unsigned long handle = 0;

	if (slot->kind != PAGEPRESS_EMPTY)
		trace_pagepress_slot_take(store, index, slot);
	switch (slot->kind) {
	case PAGEPRESS_SAME:
		atomic64_dec(&store->gauges[PAGEPRESS_SAME_PAGES]);
		break;
	case PAGEPRESS_STREAM:
	case PAGEPRESS_RAW:
		handle = slot->handle;
		count_in_memory(store, slot, -1);
		break;
	case PAGEPRESS_BACKED:
		store->operations->release(store->owner, slot->address,
					   pagepress_slot_length(slot));
		atomic64_dec(&store->gauges[PAGEPRESS_BACKED_PAGES]);
		break;
	default:
		return 0;
	}
	pagepress_order_remove(store, slot);
	atomic64_dec(&store->gauges[PAGEPRESS_PAGES_STORED]);
	slot->kind = PAGEPRESS_EMPTY;
	slot->flags &= PAGEPRESS_SLOT_IN_FLIGHT;
	slot->handle = 0;
	refcount_dec(&pagepress_chunk_of(slot)->users);
	return handle;
}

/* The content that the fields beside kind describe, in a slot just emptied. */
void pagepress_slot_give(struct pagepress_store *store, unsigned long index,
			 struct pagepress_slot *slot, enum pagepress_kind kind)
{
	slot->kind = kind;
	refcount_inc(&pagepress_chunk_of(slot)->users);
	atomic64_inc(&store->gauges[PAGEPRESS_PAGES_STORED]);
	switch (kind) {
	case PAGEPRESS_SAME:
		atomic64_inc(&store->gauges[PAGEPRESS_SAME_PAGES]);
		break;
	case PAGEPRESS_RAW:
		atomic64_inc(&store->gauges[PAGEPRESS_RAW_PAGES_SINCE]);
		fallthrough;
	case PAGEPRESS_STREAM:
		count_in_memory(store, slot, 1);
		pagepress_order_append(store, index, slot);
		break;
	case PAGEPRESS_BACKED:
		atomic64_inc(&store->gauges[PAGEPRESS_BACKED_PAGES]);
		break;
	default:
		break;
	}
	trace_pagepress_slot_give(store, index, slot);
}

/*
 * The same page in fewer bytes, as a cold stream: its age, its place in the order of writes and its
 * users are what they were. Returns the object that the lock's holder frees afterwards.
 */
unsigned long pagepress_slot_make_cold(struct pagepress_store *store, unsigned long index,
				       struct pagepress_slot *slot, unsigned long handle,
				       unsigned int length)
{
	unsigned long old = slot->handle;

	trace_pagepress_slot_take(store, index, slot);
	count_in_memory(store, slot, -1);
	slot->kind = PAGEPRESS_STREAM;
	slot->flags |= PAGEPRESS_SLOT_COLD;
	slot->handle = handle;
	slot->length_less_one = length - 1;
	count_in_memory(store, slot, 1);
	trace_pagepress_slot_give(store, index, slot);
	return old;
}

static struct hlist_head *writers(struct pagepress_store *store, unsigned long index)
{
	return &store->buckets[index & (PAGEPRESS_BUCKETS - 1)].writers;
}

/* The transfer in flight that makes the slot's next content; NULL: there is none. */
struct pagepress_transfer *pagepress_slot_writer(struct pagepress_store *store,
						 unsigned long index,
						 const struct pagepress_slot *slot)
{
	struct pagepress_transfer *writer;

	if (!(slot->flags & PAGEPRESS_SLOT_IN_FLIGHT))
		return NULL;
	hlist_for_each_entry(writer, writers(store, index), writes)
		if (writer->slot == index)
			return writer;
	return NULL;
}

/* writer, or with NULL nobody, makes the slot's next content from now on. */
void pagepress_slot_set_writer(struct pagepress_store *store, unsigned long index,
			       struct pagepress_slot *slot, struct pagepress_transfer *writer)
{
	struct pagepress_transfer *old = pagepress_slot_writer(store, index, slot);

	if (old) {
		hlist_del(&old->writes);
		slot->flags &= ~PAGEPRESS_SLOT_IN_FLIGHT;
		refcount_dec(&pagepress_chunk_of(slot)->users);
	}
	if (writer) {
		hlist_add_head(&writer->writes, writers(store, index));
		slot->flags |= PAGEPRESS_SLOT_IN_FLIGHT;
		refcount_inc(&pagepress_chunk_of(slot)->users);
	}
}

/*
 * True when the slot is free to take a new content from writer. A write without a writer (done
 * inline) always may, and thereby disowns any writer in flight.
 */
bool pagepress_slot_claim(struct pagepress_store *store, unsigned long index,
			  struct pagepress_slot *slot, const struct pagepress_transfer *writer)
{
	if (writer && pagepress_slot_writer(store, index, slot) != writer)
		return false;
	pagepress_slot_set_writer(store, index, slot, NULL);
	return true;
}
