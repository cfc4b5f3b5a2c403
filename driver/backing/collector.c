// SPDX-License-Identifier: GPL-2.0-only
/*
 * The collector: when no segment is free, the streams of those that hold the fewest bytes are read,
 * packed into few new ones, and written; the old ones are free then. Whose a stream is, the slot
 * table says: it is looked through once for many segments, so that the device bears no names.
 *
 * Others wait for it: the cleaner, a write-back, page I/Os. It waits for the device and for a
 * codec, and needs no memory: its buffers are its own, and so are a few free segments (log.h). Any
 * write of a whole segment empties at least the one whose stream comes first in it, so it never
 * runs out of them.
 */
#include <linux/jiffies.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "backing/backing.h"

#define FEW_VICTIMS 16
#define REST	    HZ /* when the device failed, or writeback_limit is used up */
#define FORGIVE	    (10 * HZ) /* after which what could not be read is tried again */

/*
 * A quarter is gained at least for what is read and written; less when there are none such, but
 * more than the page that may be lost at the end of each write.
 */
#define MOST_LIVE  (PAGEPRESS_SEGMENT_BYTES - 2 * PAGE_SIZE)
#define CHEAP_LIVE min_t(u32, PAGEPRESS_SEGMENT_BYTES / 4 * 3, MOST_LIVE)

static struct pagepress_backing *backing_of(struct pagepress_collector *collector)
{
	return container_of(collector, struct pagepress_backing, collector);
}

/* There may be space: whoever waits for it tries again. */
static void tell(struct pagepress_collector *collector)
{
	atomic_long_inc(&collector->turns);
	wake_up_all(&collector->room);
	pagepress_page_io_resume(backing_of(collector));
}

/* ---- what is to be moved ---- */

static int by_address(const void *left, const void *right)
{
	const struct pagepress_move *one = left, *other = right;

	return one->from.address < other->from.address ? -1 :
							 one->from.address > other->from.address;
}

static int by_number(const void *left, const void *right)
{
	const u32 *one = left, *other = right;

	return *one < *other ? -1 : *one > *other;
}

/* Whose streams lie in the victims, as they lie there. */
static void find_moves(struct pagepress_collector *collector)
{
	struct pagepress_backing *backing = backing_of(collector);
	struct pagepress_store *store = backing->disk->store;
	unsigned long index = 0;
	u64 address;

	collector->count = 0;
	for (; (index = pagepress_store_next(store, index)) < store->slot_count; index++) {
		if (!(index % 4096))
			cond_resched();
		if (collector->count == collector->capacity ||
		    !pagepress_store_peek_address(store, index, &address) ||
		    !pagepress_log_is_victim(&backing->log, address))
			continue;
		collector->moves[collector->count].slot = index;
		collector->moves[collector->count].from.address = address;
		collector->count++;
	}
	sort(collector->moves, collector->count, sizeof(*collector->moves), by_address, NULL);
}

/* A device that fails for a while costs no space for ever. */
static bool may_forgive(const struct pagepress_collector *collector,
			const struct pagepress_log *log)
{
	unsigned long stuck = READ_ONCE(collector->stuck);

	return READ_ONCE(log->stuck) && !time_in_range_open(jiffies, stuck, stuck + FORGIVE);
}

static bool find_victims(struct pagepress_collector *collector)
{
	struct pagepress_log *log = &backing_of(collector)->log;
	struct pagepress_victims *victims = &collector->victims;

	victims->most_streams = collector->capacity;
	victims->most_live = CHEAP_LIVE;
	victims->most = min_t(u32, PAGEPRESS_VICTIMS, FEW_VICTIMS + log->count / 64);
	pagepress_log_find_victims(log, victims);
	if (!victims->count) {
		victims->most_live = MOST_LIVE;
		victims->most = FEW_VICTIMS;
		pagepress_log_find_victims(log, victims);
	}
	if (!victims->count && may_forgive(collector, log)) {
		pagepress_log_forgive(log);
		pagepress_log_find_victims(log, victims);
	}
	sort(victims->numbers, victims->count, sizeof(*victims->numbers), by_number, NULL);
	return victims->count;
}

/* ---- one segment ---- */

static void complain(struct pagepress_backing *backing, u64 address, const char *what, int error)
{
	pagepress_count(backing->disk, PAGEPRESS_BACKING_ERRORS);
	pr_err_ratelimited("%s: pages stay where they are on backing device %s: %s, sector %llu (error %d)\n",
			   backing->disk->gendisk->disk_name, backing->path, what,
			   address >> SECTOR_SHIFT, error);
}

/*
 * Reads the segment, and sees which of these moves are still to be done and whether all of their
 * streams can be: a fault of the device is not to be written as if it were a page.
 */
static bool read_segment(struct pagepress_collector *collector, u64 start, unsigned int first,
			 unsigned int end)
{
	struct pagepress_backing *backing = backing_of(collector);
	int error = pagepress_buffer_read(backing, &collector->read, start);
	unsigned int index;

	if (error) {
		complain(backing, start, "a segment cannot be read", error);
		return false;
	}
	for (index = first; index < end; index++) {
		struct pagepress_move *move = &collector->moves[index];
		u64 address = move->from.address;

		if (!pagepress_store_rests(backing->disk->store, move->slot, &move->from) ||
		    move->from.address != address) {
			move->from.length = 0;
			continue;
		}
		if (!backing->operations->intact(collector->read.data + (address - start),
						 &move->from)) {
			complain(backing, address, "a stream is not what was written", -EIO);
			return false;
		}
		cond_resched();
	}
	return true;
}

/* Writes what is packed, and has the slots say so. */
static int write_packed(struct pagepress_collector *collector)
{
	struct pagepress_backing *backing = backing_of(collector);
	struct pagepress_disk *disk = backing->disk;
	struct pagepress_extent *extent = &collector->extent;
	const struct pagepress_extent blocks = {
		.address = extent->address,
		.bytes = round_up(collector->used, backing->log.block),
	};
	u64 address = extent->address;
	int error = 0;

	if (!pagepress_backing_spend(backing, blocks.bytes >> SECTOR_SHIFT))
		error = -EDQUOT;
	if (!error) {
		error = pagepress_buffer_write(backing, &collector->write, &blocks,
					       collector->used);
		if (error)
			complain(backing, address, "a segment cannot be written", error);
	}
	/* Not before: of what failed nobody has anything, so that all of it is free again. */
	if (!error)
		pagepress_log_trim(&backing->log, extent, collector->used);
	for (; !error && collector->written < collector->packed; collector->written++) {
		const struct pagepress_move *move = &collector->moves[collector->written];
		unsigned int length = move->from.length;

		if (!length)
			continue;
		pagepress_log_add(&backing->log, address, length);
		if (pagepress_store_move_backed(disk->store, move->slot, &move->from, address))
			pagepress_count(disk, PAGEPRESS_COLLECTED_PAGES);
		else
			pagepress_log_release(&backing->log, address, length);
		address += length;
	}
	pagepress_log_end(&backing->log, extent);
	extent->bytes = 0;
	collector->used = 0;
	return error;
}

/* Those of which all is written are done, and free. */
static void end_victims(struct pagepress_collector *collector)
{
	struct pagepress_backing *backing = backing_of(collector);

	while (collector->done < collector->begun &&
	       collector->ends[collector->done] <= collector->written) {
		pagepress_log_end_victim(&backing->log, collector->victims.numbers[collector->done],
					 false);
		collector->done++;
		collector->emptied++;
		pagepress_count(backing->disk, PAGEPRESS_COLLECTED_SEGMENTS);
	}
	/* Not for what it needs itself: nobody's patience is for that. */
	if (pagepress_log_has_space(&backing->log))
		tell(collector);
}

/* The stream lies in the segment that was read, which begins at start. */
static int pack(struct pagepress_collector *collector, const struct pagepress_move *move,
		u64 start)
{
	unsigned int length = move->from.length;
	struct pagepress_extent *extent = &collector->extent;
	int error = 0;

	if (extent->bytes && collector->used + length > extent->bytes) {
		error = write_packed(collector);
		end_victims(collector);
	}
	if (!error && !extent->bytes &&
	    !pagepress_log_take(&backing_of(collector)->log, length, PAGEPRESS_SEGMENT_BYTES, true,
				extent))
		error = -ENOSPC;
	if (error)
		return error;
	memcpy(collector->write.data + collector->used,
	       collector->read.data + (move->from.address - start), length);
	collector->used += length;
	return 0;
}

/* The next of the victims; its moves begin where those of the one before end. */
static int empty_segment(struct pagepress_collector *collector, u32 number)
{
	struct pagepress_backing *backing = backing_of(collector);
	u64 start = (u64)number * PAGEPRESS_SEGMENT_BYTES;
	unsigned int first = collector->packed, end = first;
	int error = 0;

	while (end < collector->count &&
	       pagepress_segment_of(collector->moves[end].from.address) == number)
		end++;
	if (!read_segment(collector, start, first, end)) {
		for (; collector->packed < end; collector->packed++)
			collector->moves[collector->packed].from.length = 0;
		WRITE_ONCE(collector->stuck, jiffies);
		pagepress_log_end_victim(&backing->log, number, true);
		return 0;
	}
	collector->victims.numbers[collector->begun] = number;
	collector->ends[collector->begun++] = end;
	for (; !error && collector->packed < end; collector->packed++)
		if (collector->moves[collector->packed].from.length)
			error = pack(collector, &collector->moves[collector->packed], start);
	return error;
}

/* ---- the work ---- */

static int collect(struct pagepress_collector *collector)
{
	struct pagepress_backing *backing = backing_of(collector);
	const struct pagepress_victims *victims = &collector->victims;
	unsigned int index;
	int error = 0;

	collector->packed = 0;
	collector->written = 0;
	collector->begun = 0;
	collector->done = 0;
	for (index = 0; !error && index < victims->count && !READ_ONCE(collector->stopped); index++)
		error = empty_segment(collector, victims->numbers[index]);
	if (!error && collector->extent.bytes)
		error = write_packed(collector);
	if (!error)
		collector->written = collector->packed;
	end_victims(collector);
	for (; collector->done < collector->begun; collector->done++)
		pagepress_log_end_victim(&backing->log, victims->numbers[collector->done], false);
	for (; index < victims->count; index++)
		pagepress_log_end_victim(&backing->log, victims->numbers[index], false);
	return error;
}

static void gain(struct pagepress_collector *collector)
{
	struct pagepress_backing *backing = backing_of(collector);
	u64 released = READ_ONCE(backing->log.released), ended;
	int error = 0;

	/* Of what is being written now, the search does not know what it leaves. */
	pagepress_log_is_written_to(&backing->log, &ended);
	pagepress_count(backing->disk, PAGEPRESS_BACKING_SEARCHES);
	/* As long as it works nobody knows. */
	WRITE_ONCE(collector->in_vain, U64_MAX);
	collector->emptied = 0;
	if (find_victims(collector)) {
		find_moves(collector);
		error = collect(collector);
	}
	if (error)
		WRITE_ONCE(collector->resting, jiffies);
	WRITE_ONCE(collector->in_vain_ended, ended);
	if (!error && !collector->emptied)
		WRITE_ONCE(collector->in_vain, released);
}

/*
 * Whether a search would be in vain, as the last one was: little was given up since, nothing is to
 * be tried again, and either nothing was written since, or *written_to: something still is, whose
 * end comes first. So a full device is not searched for each page.
 */
static bool is_in_vain(const struct pagepress_collector *collector, struct pagepress_log *log,
		       bool *written_to)
{
	u64 enough = max_t(u64, pagepress_log_capacity(log) / 1024, 2 * PAGE_SIZE);
	u64 in_vain = READ_ONCE(collector->in_vain), ended;

	if (in_vain == U64_MAX || READ_ONCE(log->released) - in_vain >= enough ||
	    may_forgive(collector, log))
		return false;
	*written_to = pagepress_log_is_written_to(log, &ended);
	return *written_to || ended == READ_ONCE(collector->in_vain_ended);
}

static void run(struct work_struct *work)
{
	struct pagepress_collector *collector = container_of(work, struct pagepress_collector,
							     work);
	struct pagepress_log *log = &backing_of(collector)->log;
	unsigned int noreclaim = memalloc_noreclaim_save();
	bool written_to;

	/* Space may have come free since somebody asked for it, or not have been found. */
	if (!pagepress_log_has_space(log) && !is_in_vain(collector, log, &written_to))
		gain(collector);
	tell(collector);
	memalloc_noreclaim_restore(noreclaim);
}

/* ---- whoever finds no space ---- */

static bool rests(const struct pagepress_collector *collector)
{
	unsigned long resting = READ_ONCE(collector->resting);

	return READ_ONCE(collector->stopped) ||
	       time_in_range_open(jiffies, resting, resting + REST);
}

/* For who may go elsewhere: whether there is no space, and none to be had. A hint. */
bool pagepress_collector_has_nothing(struct pagepress_backing *backing)
{
	struct pagepress_collector *collector = &backing->collector;
	struct pagepress_log *log = &backing->log;
	bool written_to;

	return !pagepress_log_has_space(log) &&
	       (rests(collector) || (is_in_vain(collector, log, &written_to) && !written_to));
}

/*
 * True: there will be a turn, after which there may be space. It begins, or what is being written
 * ends. False: there is none to be had, as it failed just now, or searched in vain while nothing
 * was written, and nothing has been since.
 */
bool pagepress_collector_kick(struct pagepress_backing *backing)
{
	struct pagepress_collector *collector = &backing->collector;
	bool written_to;

	if (rests(collector))
		return false;
	if (!pagepress_log_has_space(&backing->log) &&
	    is_in_vain(collector, &backing->log, &written_to))
		return written_to;
	queue_work(collector->workqueue, &collector->work);
	return true;
}

/*
 * Until there has been a turn. -ENOSPC: there is no space to be had; -ERESTARTSYS by a signal,
 * which works never have.
 */
int pagepress_collector_wait(struct pagepress_backing *backing)
{
	struct pagepress_collector *collector = &backing->collector;
	long turns = atomic_long_read(&collector->turns);

	if (!pagepress_collector_kick(backing))
		return -ENOSPC;
	return wait_event_interruptible(collector->room,
					atomic_long_read(&collector->turns) != turns);
}

/*
 * Of others: the extent is written, or has failed to be. What it leaves, and what its pages gave
 * up, may be space for somebody, and whoever waited for it to end goes on.
 */
void pagepress_collector_extent_ended(struct pagepress_backing *backing,
				      const struct pagepress_extent *extent)
{
	pagepress_log_end(&backing->log, extent);
	tell(&backing->collector);
}

/* ---- its life ---- */

/* -ENOMEM without memory. */
int pagepress_collector_create(struct pagepress_backing *backing)
{
	struct pagepress_collector *collector = &backing->collector;

	init_waitqueue_head(&collector->room);
	INIT_WORK(&collector->work, run);
	collector->stopped = true;
	if (pagepress_buffer_create(&collector->read))
		return -ENOMEM;
	if (pagepress_buffer_create(&collector->write))
		goto destroy_read;
	/* Of its own: the cleaner waits for it, and page I/Os must not wait with it. */
	collector->workqueue = alloc_workqueue("%s-collector", WQ_MEM_RECLAIM | WQ_UNBOUND, 1,
					       backing->disk->gendisk->disk_name);
	if (collector->workqueue)
		return 0;
	pagepress_buffer_destroy(&collector->write);
destroy_read:
	pagepress_buffer_destroy(&collector->read);
	return -ENOMEM;
}

/* Stopped. */
void pagepress_collector_destroy(struct pagepress_backing *backing)
{
	struct pagepress_collector *collector = &backing->collector;

	destroy_workqueue(collector->workqueue);
	pagepress_buffer_destroy(&collector->write);
	pagepress_buffer_destroy(&collector->read);
	kvfree(collector->moves);
}

/* The disk has a store. Under init_lock, for writing. */
void pagepress_collector_start(struct pagepress_backing *backing)
{
	struct pagepress_collector *collector = &backing->collector;

	collector->in_vain = U64_MAX;
	collector->resting = jiffies - REST;
	collector->stuck = jiffies;
	WRITE_ONCE(collector->stopped, false);
}

/* Before the store goes; nobody waits for space any more. */
void pagepress_collector_stop(struct pagepress_backing *backing)
{
	WRITE_ONCE(backing->collector.stopped, true);
	cancel_work_sync(&backing->collector.work);
}
