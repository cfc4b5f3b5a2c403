// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages leave memory for the backing device, oldest first: those that somebody named, and by itself
 * those that are cold.
 */
#include <linux/math64.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "backing/backing.h"

#define LEAST_CANDIDATES 1024u /* that a batch notes */
#define MOST_CANDIDATES	 65536u

#define TICK	    (HZ / 4) /* of the work, while there are cold pages */
#define AFTER_FAULT (10 * HZ) /* its rest when the device failed, or may take no more */

/*
 * The more is cleaned at a time, the more pages leave that would have been overwritten or freed: on
 * one load 12472, 13075 and 14147 with 10, 25 and 50 %. The less, the more often the pool is
 * compacted, and the shorter a burst of writes may be before writers wait.
 */
#define DEFAULT_CLEAN_PERCENT 20

/*
 * Between two write-backs the memory of a batch is free for others. Taken before any lock, as
 * reclaim may swap to this disk. NULL without memory.
 */
static struct pagepress_batch *allocate_batch(const struct pagepress_disk *disk)
{
	unsigned int capacity = clamp_t(u64, READ_ONCE(disk->size) / PAGE_SIZE / 64,
					LEAST_CANDIDATES, MOST_CANDIDATES);

	return pagepress_batch_allocate(PAGEPRESS_SLOT_WRITEBACK, capacity);
}

/*
 * Writes back everything selected, but what is accessed meanwhile: else whoever goes on writing
 * would keep it from ending. -ENOMEM without memory, -EINVAL without a size, -ENODEV without a
 * backing device, -ERESTARTSYS by a signal, which a suspend sends, too: the rest is written back
 * afterwards; else as pagepress_batch_write().
 */
int pagepress_writeback(struct pagepress_disk *disk, const struct pagepress_selection *selection)
{
	struct pagepress_batch *batch = allocate_batch(disk);
	struct pagepress_backing *backing;
	bool again = true, searched = false;
	unsigned int noio;
	int status = 0;
	u32 begun;

	if (!batch)
		return -ENOMEM;
	if (mutex_lock_interruptible(&disk->writeback->lock)) {
		pagepress_batch_free(batch);
		return -ERESTARTSYS;
	}
	begun = pagepress_store_now();
	noio = memalloc_noio_save();
	/* Others want init_lock too: one batch at a time. */
	while (again) {
		if (down_read_killable(&disk->init_lock)) {
			status = -ERESTARTSYS;
			break;
		}
		backing = disk->backing;
		if (!disk->size || !backing) {
			status = disk->size ? -ENODEV : -EINVAL;
			again = false;
		} else if (searched && batch->next < batch->count) {
			status = pagepress_batch_write(backing, batch, selection,
						       PAGEPRESS_SEGMENT_BYTES >> SECTOR_SHIFT);
			again = status >= 0;
		} else {
			pagepress_batch_search(backing, batch, selection, begun);
			searched = true;
			again = batch->count;
		}
		up_read(&disk->init_lock);
		if (again && signal_pending(current)) {
			status = -ERESTARTSYS;
			again = false;
		}
		cond_resched();
	}
	memalloc_noio_restore(noio);
	mutex_unlock(&disk->writeback->lock);
	pagepress_batch_free(batch);
	return min(status, 0);
}

/* ---- by itself ---- */

/* What the rate allows by now, and at most what it allows in a second. */
static void allow(struct pagepress_writeback *writeback, u64 rate)
{
	unsigned long now = jiffies;
	unsigned long passed = min_t(unsigned long, now - writeback->allowed_at, HZ);
	u32 rest;

	writeback->allowance = min_t(s64,
				     writeback->allowance + div_u64_rem(rate * passed, HZ, &rest),
				     rate);
	/* The time that gave no whole byte counts again: at a low rate it is all there is. */
	writeback->allowed_at = now - (rate ? div64_u64(rest, rate) : 0);
}

/*
 * Under writeback->lock and init_lock, which others want: for a tick or one batch. Keeps what it
 * has found in backing->cold until that is written; *spare is a batch to begin with, or NULL, and
 * takes back what is not kept. Returns when to come back, jiffies; 0: not by itself.
 */
static unsigned long write_cold(struct pagepress_disk *disk, struct pagepress_batch **spare)
{
	struct pagepress_writeback *writeback = disk->writeback;
	struct pagepress_backing *backing = disk->backing;
	u64 cold_seconds = READ_ONCE(writeback->age);
	const struct pagepress_selection cold = {
		.end = ULONG_MAX,
		.age = pagepress_age(cold_seconds),
	};
	u64 rate = READ_ONCE(writeback->rate);
	unsigned int most = PAGEPRESS_SEGMENT_BYTES >> SECTOR_SHIFT;
	unsigned long end = jiffies + TICK;
	struct pagepress_batch *batch;
	int status;

	if (!disk->size || !backing)
		return 0;
	if (!cold_seconds) {
		swap(backing->cold, *spare);
		return 0;
	}
	if (!backing->cold)
		swap(backing->cold, *spare);
	batch = backing->cold;
	if (!batch)
		return TICK;
	allow(writeback, rate);
	do {
		if (rate && writeback->allowance <= 0)
			return TICK;
		if (batch->next >= batch->count)
			pagepress_batch_search(backing, batch, &cold, pagepress_store_now());
		if (!batch->count) {
			swap(backing->cold, *spare);
			return clamp_t(u64, cold_seconds * HZ / 16, TICK, 60 * HZ);
		}
		if (rate)
			most = clamp_t(u64, writeback->allowance >> SECTOR_SHIFT,
				       PAGEPRESS_SECTORS_PER_PAGE, most);
		status = pagepress_batch_write(backing, batch, &cold, most);
		if (status > 0 && rate)
			writeback->allowance -= (s64)status << SECTOR_SHIFT;
	} while (status > 0 && time_before(jiffies, end));
	return status < 0 ? AFTER_FAULT : 1;
}

static void write_cold_work(struct work_struct *work)
{
	struct pagepress_writeback *writeback = container_of(to_delayed_work(work),
							     struct pagepress_writeback, work);
	struct pagepress_disk *disk = writeback->disk;
	struct pagepress_batch *spare = NULL;
	unsigned long delay = TICK;
	unsigned int noio;

	if (READ_ONCE(writeback->age) && !writeback->keeps)
		spare = allocate_batch(disk);
	/* What somebody named may take minutes to write back: this worker is not kept as long. */
	if (mutex_trylock(&writeback->lock)) {
		noio = memalloc_noio_save();
		down_read(&disk->init_lock);
		delay = write_cold(disk, &spare);
		writeback->keeps = disk->backing && disk->backing->cold;
		up_read(&disk->init_lock);
		memalloc_noio_restore(noio);
		mutex_unlock(&writeback->lock);
	}
	pagepress_batch_free(spare);
	/* Freezable: no writes while the machine is suspended. */
	if (delay)
		queue_delayed_work(system_freezable_wq, &writeback->work, delay);
}

void pagepress_writeback_init(struct pagepress_disk *disk)
{
	disk->writeback->disk = disk;
	disk->writeback->clean_percent = DEFAULT_CLEAN_PERCENT;
	mutex_init(&disk->writeback->lock);
	INIT_DELAYED_WORK(&disk->writeback->work, write_cold_work);
}

/* A setting has changed: look at it now. */
void pagepress_writeback_kick(struct pagepress_disk *disk)
{
	mod_delayed_work(system_freezable_wq, &disk->writeback->work, 0);
}
