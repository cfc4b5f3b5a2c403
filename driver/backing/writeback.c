// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages leave memory for the backing device, oldest first: those that somebody named, and by itself
 * those that are cold.
 */
#include <linux/math64.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>

#include "backing/backing.h"

#define TICK	     (HZ / 4) /* of the work, while there are cold pages */
#define AFTER_FAULT  (10 * HZ) /* its rest when the device failed, or may take no more */
#define TICK_BATCHES 64 /* most of them before others get their turn */

/*
 * The more is cleaned at a time, the more pages leave that would have been overwritten or freed: on
 * one load 12472, 13075 and 14147 with 10, 25 and 50 %. The less, the more often the pool is
 * compacted, and the shorter a burst of writes may be before writers wait.
 */
#define DEFAULT_CLEAN_PERCENT 20

/*
 * Writes back everything selected. -EINVAL without a size, -ENODEV without a backing device,
 * -ERANGE if slots are named that the disk does not have, -EINTR by a signal; else as
 * pagepress_batch_write().
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
			status = pagepress_batch_write(backing, &backing->batch, selection,
						       PAGEPRESS_SEGMENT_BYTES >> SECTOR_SHIFT);
			again = status >= 0;
		} else {
			pagepress_batch_search(backing, &backing->batch, selection);
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
	unsigned int most = PAGEPRESS_SEGMENT_BYTES >> SECTOR_SHIFT;
	unsigned int batches;
	int status = 1;

	if (!disk->size || !backing || !cold_seconds)
		return 0;
	allow(writeback, rate);
	for (batches = 0; batches < TICK_BATCHES && status > 0; batches++) {
		if (rate && writeback->allowance <= 0)
			return TICK;
		if (backing->batch.next >= backing->batch.count)
			pagepress_batch_search(backing, &backing->batch, &cold);
		if (!backing->batch.count)
			return clamp_t(u64, cold_seconds * HZ / 16, TICK, 60 * HZ);
		if (rate)
			most = clamp_t(u64, writeback->allowance >> SECTOR_SHIFT,
				       PAGEPRESS_SECTORS_PER_PAGE, most);
		status = pagepress_batch_write(backing, &backing->batch, &cold, most);
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
	disk->writeback->clean_percent = DEFAULT_CLEAN_PERCENT;
	mutex_init(&disk->writeback->lock);
	INIT_DELAYED_WORK(&disk->writeback->work, write_cold_work);
}

/* A setting has changed: look at it now. */
void pagepress_writeback_kick(struct pagepress_disk *disk)
{
	mod_delayed_work(system_freezable_wq, &disk->writeback->work, 0);
}
