// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages leave memory for the backing device, oldest first: those that somebody named, and by itself
 * those that are cold. Many pages, as they are in memory, make one contiguous write.
 */
#include <linux/bio.h>
#include <linux/math64.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sort.h>
#include <linux/vmalloc.h>

#include "backing/backing.h"

#define TICK	     (HZ / 4) /* of the work, while there are cold pages */
#define AFTER_FAULT  (10 * HZ) /* its rest when the device failed, or may take no more */
#define TICK_BATCHES 64 /* most of them before others get their turn */

static int older_first(const void *left, const void *right)
{
	const struct pagepress_candidate *one = left, *other = right;

	return (s32)(one->accessed - other->accessed);
}

static void sort_candidates(struct pagepress_batch *batch)
{
	sort(batch->candidates, batch->count, sizeof(*batch->candidates), older_first, NULL);
}

/* Finds the oldest slots selected, as many as can be noted. */
static void find_candidates(struct pagepress_backing *backing,
			    const struct pagepress_selection *selection)
{
	struct pagepress_store *store = backing->disk->store;
	struct pagepress_batch *batch = &backing->batch;
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
			newest = batch->candidates[batch->count - 1].accessed;
		}
		batch->candidates[batch->count].slot = index;
		batch->candidates[batch->count].accessed = accessed;
		batch->count++;
	}
	sort_candidates(batch);
}

/* Copies candidates to the buffer, each from a sector on, while space sectors last. */
static unsigned int gather(struct pagepress_backing *backing,
			   const struct pagepress_selection *selection, unsigned int space,
			   unsigned int *used)
{
	struct pagepress_batch *batch = &backing->batch;
	unsigned int count = 0;

	*used = 0;
	while (batch->next < batch->count && count < PAGEPRESS_BATCH_PAGES) {
		unsigned long slot = batch->candidates[batch->next].slot;
		void *at = batch->buffer + (*used << SECTOR_SHIFT);
		unsigned int length;
		int error;

		error = pagepress_store_begin_writeback(backing->disk->store, slot, selection, at,
							(space - *used) << SECTOR_SHIFT, &length);
		if (error == -ENOSPC)
			break;
		batch->next++;
		if (error)
			continue;
		batch->copied[count].slot = slot;
		batch->copied[count].length = length;
		count++;
		*used += pagepress_sectors(length);
		memset(at + length, 0, (pagepress_sectors(length) << SECTOR_SHIFT) - length);
	}
	return count;
}

static int write_buffer(struct pagepress_backing *backing, u64 sector, unsigned int sectors)
{
	struct pagepress_batch *batch = &backing->batch;
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

static void complain(struct pagepress_backing *backing, unsigned int count, u64 sector,
		     int error)
{
	struct pagepress_disk *disk = backing->disk;

	pagepress_count(disk, PAGEPRESS_BACKING_ERRORS);
	pr_err_ratelimited("%s: slot %lu and %u more not written back: cannot be written to backing device %s, sector %llu (error %d); they stay in memory\n",
			   disk->gendisk->disk_name, backing->batch.copied[0].slot, count - 1,
			   backing->path, sector, error);
}

/*
 * One write of at most `most` sectors; returns how many, or 0 when no candidate is left. -EIO: the
 * device failed, or writeback_limit is used up; -ENOSPC: it is full. What was not written stays in
 * memory.
 */
static int write_batch(struct pagepress_backing *backing,
		       const struct pagepress_selection *selection, unsigned int most)
{
	struct pagepress_disk *disk = backing->disk;
	const struct pagepress_copied *copied = backing->batch.copied;
	unsigned int count, index, least, space, used, sectors;
	u64 budget = pagepress_backing_budget(backing);
	bool allowed;
	u64 sector, at;
	int error;

	most = rounddown(min_t(u64, most, budget), backing->block);
	if (!most)
		return -EIO;
	least = min_t(unsigned int, most, PAGEPRESS_SECTORS_PER_PAGE);
	space = pagepress_backing_take(backing, least, most, &sector);
	if (!space)
		return -ENOSPC;
	space = min_t(unsigned int, space, pagepress_sectors(PAGEPRESS_BATCH_BYTES));
	count = gather(backing, selection, space, &used);
	sectors = round_up(used, backing->block);
	pagepress_backing_trim(backing, sector, space, sectors);
	if (!count)
		return backing->batch.next < backing->batch.count ? -EIO : 0;

	memset(backing->batch.buffer + (used << SECTOR_SHIFT), 0, (sectors - used) << SECTOR_SHIFT);
	/* Others may have used up since what was allowed before. */
	allowed = pagepress_backing_spend(backing, sectors);
	error = allowed ? write_buffer(backing, sector, sectors) : -ENOSPC;
	if (error && allowed)
		complain(backing, count, sector, error);

	/* A write cache is as lasting as our memory: no flush before the copies go. */
	for (index = 0, at = sector; index < count; index++) {
		unsigned int length = pagepress_sectors(copied[index].length);

		if (pagepress_store_end_writeback(disk->store, copied[index].slot, !error, at))
			pagepress_count(disk, PAGEPRESS_BACKING_PAGES_OUT);
		else
			pagepress_backing_release(backing, at, length);
		at += length;
	}
	pagepress_backing_release(backing, sector + used, sectors - used);
	return error ? -EIO : sectors;
}

/*
 * Writes back everything selected. -EINVAL without a size, -ENODEV without a backing device,
 * -ERANGE if slots are named that the disk does not have, -EINTR by a signal; else as
 * write_batch().
 */
int pagepress_writeback(struct pagepress_disk *disk, const struct pagepress_selection *selection)
{
	struct pagepress_backing *backing;
	bool again = true, searched = false;
	unsigned int noio;
	int status = 0;

	if (mutex_lock_interruptible(&disk->writeback->lock))
		return -EINTR;
	noio = memalloc_noio_save();
	/* Others want init_lock too: one batch at a time. */
	while (again) {
		down_read(&disk->init_lock);
		backing = disk->backing;
		if (!disk->size || !backing) {
			status = disk->size ? -ENODEV : -EINVAL;
			again = false;
		} else if (selection->end != ULONG_MAX &&
			   selection->end > disk->store->slot_count) {
			status = -ERANGE;
			again = false;
		} else if (searched && backing->batch.next < backing->batch.count) {
			status = write_batch(backing, selection,
					     pagepress_sectors(PAGEPRESS_BATCH_BYTES));
			again = status >= 0;
		} else {
			find_candidates(backing, selection);
			searched = true;
			again = backing->batch.count;
		}
		if (!again && backing)
			backing->batch.count = 0;
		up_read(&disk->init_lock);
		if (again && signal_pending(current)) {
			status = -EINTR;
			again = false;
		}
		cond_resched();
	}
	memalloc_noio_restore(noio);
	mutex_unlock(&disk->writeback->lock);
	return min(status, 0);
}

/* ---- by itself ---- */

/* What the rate allows by now, and at most what it allows in a second. */
static void allow(struct pagepress_writeback *writeback, u64 rate)
{
	unsigned long now = jiffies;
	unsigned long passed = min_t(unsigned long, now - writeback->allowed_at, HZ);

	writeback->allowance = min_t(s64, writeback->allowance + div_u64(rate * passed, HZ), rate);
	writeback->allowed_at = now;
}

/* Under writeback->lock and init_lock. Returns when to come back, jiffies; 0: not by itself. */
static unsigned long write_cold(struct pagepress_disk *disk)
{
	struct pagepress_writeback *writeback = disk->writeback;
	struct pagepress_backing *backing = disk->backing;
	u64 cold_seconds = READ_ONCE(writeback->age);
	const struct pagepress_selection cold = {
		.end = ULONG_MAX,
		.age = pagepress_age(cold_seconds),
	};
	u64 rate = READ_ONCE(writeback->rate);
	unsigned int most = pagepress_sectors(PAGEPRESS_BATCH_BYTES);
	unsigned int batches;
	int status = 1;

	if (!disk->size || !backing || !cold_seconds)
		return 0;
	allow(writeback, rate);
	for (batches = 0; batches < TICK_BATCHES && status > 0; batches++) {
		if (rate && writeback->allowance <= 0)
			return TICK;
		if (backing->batch.next >= backing->batch.count)
			find_candidates(backing, &cold);
		if (!backing->batch.count)
			return clamp_t(u64, cold_seconds * HZ / 16, TICK, 60 * HZ);
		if (rate)
			most = clamp_t(u64, writeback->allowance >> SECTOR_SHIFT,
				       PAGEPRESS_SECTORS_PER_PAGE, most);
		status = write_batch(backing, &cold, most);
		if (status > 0 && rate)
			writeback->allowance -= (s64)status << SECTOR_SHIFT;
	}
	return status < 0 ? AFTER_FAULT : 1;
}

static void write_cold_work(struct work_struct *work)
{
	struct pagepress_writeback *writeback = container_of(to_delayed_work(work),
							     struct pagepress_writeback, work);
	struct pagepress_disk *disk = writeback->disk;
	unsigned int noio = memalloc_noio_save();
	unsigned long delay;

	mutex_lock(&writeback->lock);
	down_read(&disk->init_lock);
	delay = write_cold(disk);
	up_read(&disk->init_lock);
	mutex_unlock(&writeback->lock);
	memalloc_noio_restore(noio);
	/* Freezable: no writes while the machine is suspended. */
	if (delay)
		queue_delayed_work(system_freezable_wq, &writeback->work, delay);
}

void pagepress_writeback_init(struct pagepress_disk *disk)
{
	disk->writeback->disk = disk;
	mutex_init(&disk->writeback->lock);
	INIT_DELAYED_WORK(&disk->writeback->work, write_cold_work);
}

/* A setting has changed: look at it now. */
void pagepress_writeback_kick(struct pagepress_disk *disk)
{
	mod_delayed_work(system_freezable_wq, &disk->writeback->work, 0);
}
