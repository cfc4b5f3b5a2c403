// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cleaner: when the pages in memory come near mem_limit, those written longest ago leave for
 * the backing device, in full batches, until a share of the memory is free again. Reads have no
 * part in it. Memory is thus a cache for writes, in front of the device.
 *
 * Writers wait for it, so it waits for nothing of theirs: it takes no lock that is held over I/O or
 * over an allocation, no codec and no page I/O; it has a batch and a rescuer of its own, and needs
 * no memory.
 */
#include <linux/jiffies.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>

#include "backing/backing.h"
#include "backing/pressure.h"

#define CANDIDATES    1024 /* noted at a time */
#define PATIENCE      (2 * HZ) /* longest a writer waits for one page */
#define REST	      HZ /* when the device failed or is full, or nothing can leave */
#define COMPACT_BYTES SZ_1M /* streams gone before the pool gives back its fragments */

/* Whether writers may expect anything of it. */
static bool is_able(const struct pagepress_cleaner *cleaner)
{
	unsigned long resting = READ_ONCE(cleaner->resting);

	return !READ_ONCE(cleaner->stopped) &&
	       READ_ONCE(cleaner->late) != READ_ONCE(cleaner->turns) &&
	       !time_in_range_open(jiffies, resting, resting + REST);
}

static struct pagepress_backing *backing_of(struct pagepress_cleaner *cleaner)
{
	return container_of(cleaner, struct pagepress_backing, cleaner);
}

/* ---- the work ---- */

/* By the order of writes; at last, by a search, what had no memory to be in it. */
static bool find_oldest(struct pagepress_cleaner *cleaner, bool *by_order, u32 *place)
{
	static const struct pagepress_selection any = { .end = ULONG_MAX };
	struct pagepress_backing *backing = backing_of(cleaner);
	struct pagepress_batch *batch = &cleaner->batch;

	batch->next = 0;
	batch->count = 0;
	if (*by_order)
		batch->count = pagepress_store_oldest(backing->disk->store, place,
						      batch->candidates, batch->capacity);
	if (!batch->count) {
		*by_order = false;
		pagepress_batch_search(backing, batch, &any, pagepress_store_now());
	}
	return batch->count;
}

/* As pagepress_batch_write(). */
static int write_oldest(struct pagepress_cleaner *cleaner, bool *by_order, u32 *place)
{
	struct pagepress_backing *backing = backing_of(cleaner);
	struct pagepress_disk *disk = backing->disk;
	struct pagepress_batch *batch = &cleaner->batch;
	int status = 0;

	while (!status) {
		const struct pagepress_selection oldest = {
			.end = ULONG_MAX,
			.by_order = *by_order,
		};

		if (batch->next < batch->count)
			status = pagepress_batch_write(backing, batch, &oldest,
						       PAGEPRESS_SEGMENT_BYTES >> SECTOR_SHIFT);
		else if (!find_oldest(cleaner, by_order, place))
			break;
		if (READ_ONCE(cleaner->stopped))
			break;
	}
	if (status > 0) {
		pagepress_count(disk, PAGEPRESS_CLEANING_WRITES);
		atomic64_add(batch->moved, &disk->statistics[PAGEPRESS_CLEANED_PAGES]);
	}
	return status;
}

static u64 excess(struct pagepress_disk *disk)
{
	struct pagepress_pressure pressure;

	if (!pagepress_pressure(disk->store, &pressure))
		return 0;
	return pagepress_pressure_excess(&pressure, READ_ONCE(disk->writeback->clean_percent));
}

static bool is_needed(struct pagepress_cleaner *cleaner)
{
	return READ_ONCE(cleaner->asked) || excess(backing_of(cleaner)->disk);
}

static void tell(struct pagepress_cleaner *cleaner)
{
	WRITE_ONCE(cleaner->turns, cleaner->turns + 1);
	wake_up_all(&cleaner->room);
}

/*
 * Streams that leave make holes in the pool, and pages free when compaction has filled those: once
 * as many have gone as there are too many pages, and at once for writers who wait.
 */
static int clean_once(struct pagepress_cleaner *cleaner, bool *by_order, u32 *place, u64 *gone)
{
	struct pagepress_disk *disk = backing_of(cleaner)->disk;
	u64 enough = min_t(u64, excess(disk) << PAGE_SHIFT, COMPACT_BYTES);
	int status = write_oldest(cleaner, by_order, place);

	if (status > 0)
		*gone += (u64)status << SECTOR_SHIFT;
	if (*gone && (*gone >= enough || status <= 0 || wq_has_sleeper(&cleaner->room))) {
		pagepress_store_compact(disk->store);
		*gone = 0;
	}
	return status;
}

static void clean(struct work_struct *work)
{
	struct pagepress_cleaner *cleaner = container_of(work, struct pagepress_cleaner, work);
	struct pagepress_disk *disk = backing_of(cleaner)->disk;
	unsigned int noreclaim = memalloc_noreclaim_save();
	bool by_order = true;
	u64 gone = 0;
	int status = 1;
	u32 place;

	if (pagepress_store_is_sparse(disk->store))
		pagepress_store_pack_order(disk->store);
	place = pagepress_store_first_place(disk->store);
	cleaner->batch.count = 0;
	cleaner->batch.next = 0;
	while (status > 0 && !READ_ONCE(cleaner->stopped) && is_needed(cleaner)) {
		status = clean_once(cleaner, &by_order, &place, &gone);
		if (status <= 0 && is_needed(cleaner))
			WRITE_ONCE(cleaner->resting, jiffies);
		WRITE_ONCE(cleaner->asked, false);
		tell(cleaner);
		cond_resched();
	}
	tell(cleaner); /* what was needed may have gone otherwise */
	memalloc_noreclaim_restore(noreclaim);
}

/* ---- whoever writes ---- */

/* Has it begin when it is time. False: memory has no room for another page. */
static bool look(struct pagepress_cleaner *cleaner)
{
	struct pagepress_store *store = backing_of(cleaner)->disk->store;
	struct pagepress_pressure pressure;
	bool limited = pagepress_pressure(store, &pressure);

	if (((limited && pagepress_pressure_is_high(&pressure)) ||
	     pagepress_store_is_sparse(store)) &&
	    is_able(cleaner))
		queue_work(cleaner->workqueue, &cleaner->work);
	return !limited || pagepress_pressure_leaves_room(&pressure);
}

/*
 * Before a page is compressed for memory: until there is room for it, for a while at most, and not
 * at all when the cleaner does not get on. Under no lock, and without a codec or a page I/O.
 */
void pagepress_cleaner_wait(struct pagepress_backing *backing)
{
	struct pagepress_cleaner *cleaner = &backing->cleaner;
	unsigned long turns = READ_ONCE(cleaner->turns);

	if (look(cleaner) || !is_able(cleaner))
		return;
	pagepress_count(backing->disk, PAGEPRESS_CLEANING_WAITS);
	/* Of an older turn, as it may be by now, it says nothing. */
	if (!wait_event_timeout(cleaner->room, look(cleaner) || !is_able(cleaner), PATIENCE))
		WRITE_ONCE(cleaner->late, turns);
}

/*
 * As above, but the page is compressed, and found no room. A stream of a size that the pool does
 * not hold yet takes several of its pages at once, and of a small mem_limit that is more than what
 * is to be left: so it waits for streams to leave, however far from the limit the pool seems.
 */
void pagepress_cleaner_make_room(struct pagepress_backing *backing)
{
	struct pagepress_cleaner *cleaner = &backing->cleaner;
	unsigned long turns = READ_ONCE(cleaner->turns);

	if (!is_able(cleaner))
		return;
	pagepress_count(backing->disk, PAGEPRESS_CLEANING_WAITS);
	WRITE_ONCE(cleaner->asked, true);
	queue_work(cleaner->workqueue, &cleaner->work);
	/* What one batch brings may be others': then, as above, until there is room again. */
	if (!wait_event_timeout(cleaner->room,
				(!READ_ONCE(cleaner->asked) && look(cleaner)) || !is_able(cleaner),
				PATIENCE))
		WRITE_ONCE(cleaner->late, turns);
}

/* Whether waiting may bring room: else a page that memory cannot take goes past it. */
bool pagepress_cleaner_is_able(struct pagepress_backing *backing)
{
	return is_able(&backing->cleaner);
}

/* mem_limit has changed. Under init_lock. */
void pagepress_cleaner_kick(struct pagepress_backing *backing)
{
	if (is_able(&backing->cleaner))
		look(&backing->cleaner);
	wake_up_all(&backing->cleaner.room); /* there may be some now */
}

/* ---- its life ---- */

/* -ENOMEM without memory. */
int pagepress_cleaner_create(struct pagepress_backing *backing)
{
	struct pagepress_cleaner *cleaner = &backing->cleaner;

	init_waitqueue_head(&cleaner->room);
	INIT_WORK(&cleaner->work, clean);
	cleaner->stopped = true;
	if (pagepress_batch_create(&cleaner->batch, PAGEPRESS_SLOT_CLEANING, CANDIDATES))
		return -ENOMEM;
	/* Of its own: it waits for the device, and page I/Os must not wait with it. */
	cleaner->workqueue = alloc_workqueue("%s-cleaner", WQ_MEM_RECLAIM | WQ_UNBOUND, 1,
					     backing->disk->gendisk->disk_name);
	if (cleaner->workqueue)
		return 0;
	pagepress_batch_destroy(&cleaner->batch);
	return -ENOMEM;
}

/* Stopped. */
void pagepress_cleaner_destroy(struct pagepress_backing *backing)
{
	destroy_workqueue(backing->cleaner.workqueue);
	pagepress_batch_destroy(&backing->cleaner.batch);
}

/* The disk has a store with an order of writes. Under init_lock, for writing. */
void pagepress_cleaner_start(struct pagepress_backing *backing)
{
	struct pagepress_cleaner *cleaner = &backing->cleaner;

	cleaner->asked = false;
	cleaner->late = cleaner->turns - 1;
	cleaner->resting = jiffies - REST;
	WRITE_ONCE(cleaner->stopped, false);
}

/* Before the store goes; nobody writes any more. Waits for one batch. */
void pagepress_cleaner_stop(struct pagepress_backing *backing)
{
	WRITE_ONCE(backing->cleaner.stopped, true);
	cancel_work_sync(&backing->cleaner.work);
}
