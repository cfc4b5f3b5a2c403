// SPDX-License-Identifier: GPL-2.0-only
/* Many pages, as they are in memory, leave it in one contiguous write. */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "backing/backing.h"

/* -ENOMEM without memory. capacity: candidates that it notes. */
int pagepress_batch_create(struct pagepress_batch *batch, u8 copier, unsigned int capacity)
{
	batch->copier = copier;
	batch->capacity = capacity;
	batch->candidates = kvmalloc_array(capacity, sizeof(*batch->candidates), GFP_KERNEL);
	batch->copied = kvmalloc_array(PAGEPRESS_BATCH_STREAMS, sizeof(*batch->copied), GFP_KERNEL);
	if (!pagepress_buffer_create(&batch->buffer) && batch->candidates && batch->copied)
		return 0;
	pagepress_batch_destroy(batch);
	return -ENOMEM;
}

void pagepress_batch_destroy(struct pagepress_batch *batch)
{
	kvfree(batch->candidates);
	kvfree(batch->copied);
	pagepress_buffer_destroy(&batch->buffer);
	memset(batch, 0, sizeof(*batch));
}

/* NULL without memory. */
struct pagepress_batch *pagepress_batch_allocate(u8 copier, unsigned int capacity)
{
	struct pagepress_batch *batch = kzalloc(sizeof(*batch), GFP_KERNEL);

	if (batch && pagepress_batch_create(batch, copier, capacity)) {
		kfree(batch);
		return NULL;
	}
	return batch;
}

/* NULL is allowed. */
void pagepress_batch_free(struct pagepress_batch *batch)
{
	if (!batch)
		return;
	pagepress_batch_destroy(batch);
	kfree(batch);
}

static int older_first(const void *left, const void *right)
{
	const struct pagepress_candidate *one = left, *other = right;

	return (s32)(one->when - other->when);
}

static void sort_candidates(struct pagepress_batch *batch)
{
	sort(batch->candidates, batch->count, sizeof(*batch->candidates), older_first, NULL);
}

/*
 * Looks through the table for the slots selected, of those not accessed since `now`, that were not
 * for longest.
 */
void pagepress_batch_search(struct pagepress_backing *backing, struct pagepress_batch *batch,
			    const struct pagepress_selection *selection, u32 now)
{
	struct pagepress_store *store = backing->disk->store;
	unsigned long index = selection->first, end = min(selection->end, store->slot_count);
	u32 accessed, newest = now;

	batch->next = 0;
	batch->count = 0;
	for (; (index = pagepress_store_next(store, index)) < end; index++) {
		if (!(index % 4096))
			cond_resched();
		if (!pagepress_store_selected(store, index, selection, now, &accessed) ||
		    (s32)(accessed - newest) > 0)
			continue;
		if (batch->count == batch->capacity) {
			/* The younger half makes way, and nothing as young is noted any more. */
			sort_candidates(batch);
			batch->count /= 2;
			newest = batch->candidates[batch->count - 1].when;
		}
		batch->candidates[batch->count].slot = index;
		batch->candidates[batch->count].when = accessed;
		batch->count++;
	}
	sort_candidates(batch);
}

/* Copies candidates to the buffer, end to end, while its first bytes last. */
static unsigned int gather(struct pagepress_backing *backing, struct pagepress_batch *batch,
			   const struct pagepress_selection *selection, u32 bytes, u32 *used)
{
	unsigned int count = 0;

	*used = 0;
	while (batch->next < batch->count && count < PAGEPRESS_BATCH_STREAMS) {
		const struct pagepress_candidate *candidate = &batch->candidates[batch->next];
		struct pagepress_content content;
		int error;

		error = pagepress_store_begin_writeback(backing->disk->store, candidate, selection,
							batch->copier, batch->buffer.data + *used,
							bytes - *used, &content);
		if (error == -ENOSPC)
			break;
		batch->next++;
		if (error)
			continue;
		batch->copied[count].slot = candidate->slot;
		batch->copied[count].length = content.length;
		count++;
		*used += content.length;
	}
	return count;
}

/* -ENOSPC: not even the collector finds any; -ERESTARTSYS by a signal. */
static int take_space(struct pagepress_backing *backing, u32 most, struct pagepress_extent *extent)
{
	int error = 0;

	/* Each turn gives somebody space: if not us, then others whose pages went on. */
	while (!error && !pagepress_log_take(&backing->log, min_t(u32, most, PAGE_SIZE), most,
					     false, extent))
		error = pagepress_collector_wait(backing);
	return error;
}

static void complain(struct pagepress_backing *backing, const struct pagepress_batch *batch,
		     unsigned int count, u64 sector, int error)
{
	struct pagepress_disk *disk = backing->disk;

	pagepress_count(disk, PAGEPRESS_BACKING_ERRORS);
	pr_err_ratelimited("%s: slot %lu and %u more not written back: cannot be written to backing device %s, sector %llu (error %d); they stay in memory\n",
			   disk->gendisk->disk_name, batch->copied[0].slot, count - 1,
			   backing->path, sector, error);
}

/*
 * One write of at most `most` sectors; returns how many, or 0 when no candidate is left. -EIO: the
 * device failed, or writeback_limit is used up; -ENOSPC: it is full; -ERESTARTSYS: a signal came
 * while it waited for space. What was not written stays in memory.
 */
int pagepress_batch_write(struct pagepress_backing *backing, struct pagepress_batch *batch,
			  const struct pagepress_selection *selection, unsigned int most)
{
	struct pagepress_disk *disk = backing->disk;
	const struct pagepress_copied *copied = batch->copied;
	u64 budget = pagepress_backing_budget(backing);
	struct pagepress_extent extent;
	unsigned int count, index, sectors;
	bool allowed;
	u64 address;
	u32 used;
	int error;

	batch->moved = 0;
	most = round_down(min_t(u64, most, budget), backing->block);
	if (!most)
		return -EIO;
	error = take_space(backing, most << SECTOR_SHIFT, &extent);
	if (error)
		return error;
	count = gather(backing, batch, selection, extent.bytes, &used);
	pagepress_log_trim(&backing->log, &extent, used);
	if (!count) {
		pagepress_collector_extent_ended(backing, &extent);
		return batch->next < batch->count ? -EIO : 0;
	}

	sectors = extent.bytes >> SECTOR_SHIFT;
	/* Others may have used up since what was allowed before. */
	allowed = pagepress_backing_spend(backing, sectors);
	error = allowed ? pagepress_buffer_write(backing, &batch->buffer, &extent, used) : -ENOSPC;
	if (error && allowed)
		complain(backing, batch, count, extent.address >> SECTOR_SHIFT, error);

	/* A write cache is as lasting as our memory: no flush before the copies go. */
	for (index = 0, address = extent.address; index < count; index++) {
		unsigned int length = copied[index].length;

		if (!error)
			pagepress_log_add(&backing->log, address, length);
		if (pagepress_store_end_writeback(disk->store, copied[index].slot, batch->copier,
						  !error, address)) {
			pagepress_count(disk, PAGEPRESS_BACKING_PAGES_OUT);
			batch->moved++;
		} else if (!error) {
			pagepress_log_release(&backing->log, address, length);
		}
		address += length;
	}
	pagepress_collector_extent_ended(backing, &extent);
	return error ? -EIO : sectors;
}
