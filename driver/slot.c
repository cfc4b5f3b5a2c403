// SPDX-License-Identifier: GPL-2.0-only
/* A slot changes its content, and the gauges follow. */
#include "backing.h"
#include "slot.h"
#include "trace.h"

/* Empties the slot; returns the object that its lock's holder frees afterwards, or 0. */
unsigned long pagepress_slot_take(struct pagepress_store *store, struct pagepress_slot *slot)
{
	unsigned long handle = 0;

	if (slot->kind != PAGEPRESS_EMPTY)
		trace_pagepress_slot_take(store, slot);
	switch (slot->kind) {
	case PAGEPRESS_SAME:
		atomic64_dec(&store->gauges[PAGEPRESS_SAME_PAGES]);
		break;
	case PAGEPRESS_STREAM:
		handle = slot->handle;
		atomic64_sub(slot->length, &store->gauges[PAGEPRESS_STREAM_BYTES]);
		if (slot->length <= PAGE_SIZE / 2)
			atomic64_dec(&store->gauges[PAGEPRESS_GOOD_PAGES]);
		break;
	case PAGEPRESS_RAW:
		handle = slot->handle;
		atomic64_sub(PAGE_SIZE, &store->gauges[PAGEPRESS_STREAM_BYTES]);
		atomic64_dec(&store->gauges[PAGEPRESS_RAW_PAGES]);
		break;
	case PAGEPRESS_BACKED:
		pagepress_backing_release(store->backing, slot->sector,
					  pagepress_sectors(slot->length));
		atomic64_dec(&store->gauges[PAGEPRESS_BACKED_PAGES]);
		break;
	default:
		return 0;
	}
	atomic64_dec(&store->gauges[PAGEPRESS_PAGES_STORED]);
	slot->kind = PAGEPRESS_EMPTY;
	slot->flags = 0;
	slot->handle = 0;
	return handle;
}

/* The content that the fields beside kind describe, in a slot just emptied. */
void pagepress_slot_give(struct pagepress_store *store, struct pagepress_slot *slot,
			 enum pagepress_kind kind)
{
	slot->kind = kind;
	atomic64_inc(&store->gauges[PAGEPRESS_PAGES_STORED]);
	switch (kind) {
	case PAGEPRESS_SAME:
		atomic64_inc(&store->gauges[PAGEPRESS_SAME_PAGES]);
		break;
	case PAGEPRESS_STREAM:
		atomic64_add(slot->length, &store->gauges[PAGEPRESS_STREAM_BYTES]);
		if (slot->length <= PAGE_SIZE / 2)
			atomic64_inc(&store->gauges[PAGEPRESS_GOOD_PAGES]);
		break;
	case PAGEPRESS_RAW:
		atomic64_add(PAGE_SIZE, &store->gauges[PAGEPRESS_STREAM_BYTES]);
		atomic64_inc(&store->gauges[PAGEPRESS_RAW_PAGES]);
		atomic64_inc(&store->gauges[PAGEPRESS_RAW_PAGES_SINCE]);
		break;
	case PAGEPRESS_BACKED:
		atomic64_inc(&store->gauges[PAGEPRESS_BACKED_PAGES]);
		break;
	default:
		break;
	}
	trace_pagepress_slot_give(store, slot);
}

/*
 * True when the slot is free to take a new content from writer. A write without a writer (done
 * inline) always may, and thereby disowns any writer in flight.
 */
bool pagepress_slot_claim(struct pagepress_slot *slot, const struct pagepress_transfer *writer)
{
	if (writer && slot->writer != writer)
		return false;
	slot->writer = NULL;
	return true;
}
