// SPDX-License-Identifier: GPL-2.0-only
/* Many pages, as they are in memory, leave it in one contiguous write. */
#include <linux/bio.h>
#include <linux/sched.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "backing/backing.h"

/* -ENOMEM without memory. capacity: candidates that it notes. */
int pagepress_batch_create(struct pagepress_batch *batch, u8 copier, unsigned int capacity)
{
	batch->copier = copier;
	batch->capacity = capacity;
	batch->candidates = kvmalloc_array(capacity, sizeof(*batch->candidates), GFP_KERNEL);
	batch->buffer = vmalloc(PAGEPRESS_BATCH_BYTES);
	if (batch->candidates && batch->buffer)
		return 0;
	pagepress_batch_destroy(batch);
	return -ENOMEM;
}

void pagepress_batch_destroy(struct pagepress_batch *batch)
{
	kvfree(batch->candidates);
	vfree(batch->buffer);
	memset(batch, 0, sizeof(*batch));
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

/* Looks through the table for the slots selected that were not accessed for longest. */
void pagepress_batch_search(struct pagepress_backing *backing, struct pagepress_batch *batch,
			    const struct pagepress_selection *selection)
{
	struct pagepress_store *store = backing->disk->store;
	unsigned long index = selection->first, end = min(selection->end, store->slot_count);
	u32 now = pagepress_store_now();
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

/* Copies candidates to the buffer, each from a sector on, while space sectors last. */
static unsigned int gather(struct pagepress_backing *backing, struct pagepress_batch *batch,
			   const struct pagepress_selection *selection, unsigned int space,
			   unsigned int *used)
{
	unsigned int count = 0;

	*used = 0;
	while (batch->next < batch->count && count < PAGEPRESS_BATCH_PAGES) {
		const struct pagepress_candidate *candidate = &batch->candidates[batch->next];
		void *at = batch->buffer + (*used << SECTOR_SHIFT);
		unsigned int length;
		int error;

		error = pagepress_store_begin_writeback(backing->disk->store, candidate, selection,
							batch->copier, at,
							(space - *used) << SECTOR_SHIFT, &length);
		if (error == -ENOSPC)
			break;
		batch->next++;
		if (error)
			continue;
		batch->copied[count].slot = candidate->slot;
		batch->copied[count].length = length;
		count++;
		*used += pagepress_sectors(length);
		memset(at + length, 0, (pagepress_sectors(length) << SECTOR_SHIFT) - length);
	}
	return count;
}

static int write_buffer(struct pagepress_backing *backing, struct pagepress_batch *batch,
			u64 sector, unsigned int sectors)
{
	unsigned int bytes = sectors << SECTOR_SHIFT;
	unsigned int at;

	flush_kernel_vmap_range(batch->buffer, bytes);
	bio_init(&batch->bio, backing->bdev, batch->vectors, PAGEPRESS_BATCH_PAGES, REQ_OP_WRITE);
	batch->bio.bi_iter.bi_sector = sector;
	for (at = 0; at < bytes; at += PAGE_SIZE)
		__bio_add_page(&batch->bio, vmalloc_to_page(batch->buffer + at),
			       min_t(unsigned int, bytes - at, PAGE_SIZE), 0);
	return submit_bio_wait(&batch->bio);
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
 * device failed, or writeback_limit is used up; -ENOSPC: it is full. What was not written stays in
 * memory.
 */
int pagepress_batch_write(struct pagepress_backing *backing, struct pagepress_batch *batch,
			  const struct pagepress_selection *selection, unsigned int most)
{
	struct pagepress_disk *disk = backing->disk;
	const struct pagepress_copied *copied = batch->copied;
	unsigned int count, index, least, space, used, sectors;
	u64 budget = pagepress_backing_budget(backing);
	bool allowed;
	u64 sector, at;
	int error;

	batch->moved = 0;
	most = rounddown(min_t(u64, most, budget), backing->block);
	if (!most)
		return -EIO;
	least = min_t(unsigned int, most, PAGEPRESS_SECTORS_PER_PAGE);
	space = pagepress_backing_take(backing, least, most, &sector);
	if (!space)
		return -ENOSPC;
	space = min_t(unsigned int, space, pagepress_sectors(PAGEPRESS_BATCH_BYTES));
	count = gather(backing, batch, selection, space, &used);
	sectors = round_up(used, backing->block);
	pagepress_backing_trim(backing, sector, space, sectors);
	if (!count)
		return batch->next < batch->count ? -EIO : 0;

	memset(batch->buffer + (used << SECTOR_SHIFT), 0, (sectors - used) << SECTOR_SHIFT);
	/* Others may have used up since what was allowed before. */
	allowed = pagepress_backing_spend(backing, sectors);
	error = allowed ? write_buffer(backing, batch, sector, sectors) : -ENOSPC;
	if (error && allowed)
		complain(backing, batch, count, sector, error);

	/* A write cache is as lasting as our memory: no flush before the copies go. */
	for (index = 0, at = sector; index < count; index++) {
		unsigned int length = pagepress_sectors(copied[index].length);

		if (pagepress_store_end_writeback(disk->store, copied[index].slot, batch->copier,
						  !error, at)) {
			pagepress_count(disk, PAGEPRESS_BACKING_PAGES_OUT);
			batch->moved++;
		} else {
			pagepress_backing_release(backing, at, length);
		}
		at += length;
	}
	pagepress_backing_release(backing, sector + used, sectors - used);
	return error ? -EIO : sectors;
}
