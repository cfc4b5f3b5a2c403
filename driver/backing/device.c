// SPDX-License-Identifier: GPL-2.0-only
/* The backing device: claimed, let go, and what may be written to it. No page is looked at here. */
#include <linux/slab.h>

#include "backing/backing.h"

#define LEAST_BYTES SZ_1M

/*
 * The collector looks through the whole table for its moves: the larger that is, the more at a
 * time. At least what a segment may hold; no stream that comes here has fewer bytes.
 */
#define LEAST_STREAM 24
#define LEAST_MOVES  (PAGEPRESS_SEGMENT_BYTES / LEAST_STREAM)
#define MOST_MOVES   65536

/* Why a device that could be claimed is of no use; NULL: it is. */
static const char *unfit(const struct pagepress_backing *backing)
{
	if (backing->bdev->bd_disk->fops == backing->disk->gendisk->fops)
		return "it is a Pagepress disk itself";
	if (bdev_logical_block_size(backing->bdev) > PAGE_SIZE)
		return "its blocks are larger than a page";
	if (bdev_is_zoned(backing->bdev))
		return "it is zoned";
	if (bdev_nr_sectors(backing->bdev) << SECTOR_SHIFT < LEAST_BYTES)
		return "it is smaller than 1 MiB";
	return NULL;
}

/* Sleeps, and says in the log what is wrong. path is any block device that nobody else claims. */
struct pagepress_backing *
pagepress_backing_open(struct pagepress_disk *disk, const char *path,
		       const struct pagepress_backing_operations *operations)
{
	struct pagepress_backing *backing = kzalloc(sizeof(*backing), GFP_KERNEL);
	const char *name = disk->gendisk->disk_name;
	const char *why;
	int error = -ENOMEM;

	if (!backing)
		return ERR_PTR(-ENOMEM);
	backing->disk = disk;
	backing->operations = operations;
	backing->path = kstrdup(path, GFP_KERNEL);
	if (!backing->path)
		goto free_backing;
	error = pagepress_claim_device(&backing->claim, path, disk, true);
	if (error) {
		pr_err("%s: cannot claim backing_dev %s (error %d): a block device that nobody uses is needed\n",
		       name, path, error);
		goto free_path;
	}
	backing->bdev = backing->claim.bdev;
	why = unfit(backing);
	if (why) {
		pr_err("%s: backing_dev %s is of no use: %s\n", name, path, why);
		error = -EINVAL;
		goto unclaim;
	}
	backing->block = bdev_logical_block_size(backing->bdev) >> SECTOR_SHIFT;

	error = pagepress_page_io_create(backing);
	if (error)
		goto unclaim;
	error = pagepress_cleaner_create(backing);
	if (error)
		goto destroy_page_io;
	error = pagepress_collector_create(backing);
	if (error)
		goto destroy_cleaner;
	pagepress_windows_create(backing);
	pr_info("%s: backing_dev %s, %llu MiB\n", name, path,
		(u64)bdev_nr_sectors(backing->bdev) >> (20 - SECTOR_SHIFT));
	return backing;

destroy_cleaner:
	pagepress_cleaner_destroy(backing);
destroy_page_io:
	pagepress_page_io_destroy(backing);
unclaim:
	pagepress_unclaim_device(&backing->claim);
free_path:
	kfree(backing->path);
free_backing:
	kfree(backing);
	return ERR_PTR(error);
}

/* When no slot rests on it, no page is on its way, and the cleaner is stopped. NULL is allowed. */
void pagepress_backing_close(struct pagepress_backing *backing)
{
	if (!backing)
		return;
	pagepress_windows_destroy(backing);
	pagepress_collector_destroy(backing);
	pagepress_cleaner_destroy(backing);
	pagepress_page_io_destroy(backing);
	pagepress_batch_free(backing->cold);
	pagepress_log_destroy(&backing->log);
	pagepress_unclaim_device(&backing->claim);
	kfree(backing->path);
	kfree(backing);
}

/*
 * Makes the accounts of its space, for a disk of so many slots and as empty as that. Of a much
 * larger device only so much is used as they can fill twice. On success the cleaner and the
 * collector are stopped; on failure all is as before. Under init_lock, for writing.
 */
int pagepress_backing_prepare(struct pagepress_backing *backing, unsigned long slot_count)
{
	unsigned int capacity = clamp_t(unsigned long, slot_count / 16, LEAST_MOVES, MOST_MOVES);
	u64 bytes = min_t(u64, (u64)bdev_nr_sectors(backing->bdev) << SECTOR_SHIFT,
			  ((u64)slot_count << PAGE_SHIFT) * 2 + LEAST_BYTES);
	struct pagepress_move *moves;
	struct pagepress_log log;
	int error;

	moves = kvmalloc_array(capacity, sizeof(*moves), GFP_KERNEL);
	if (!moves)
		return -ENOMEM;
	error = pagepress_log_create(&log, bytes, backing->block << SECTOR_SHIFT);
	if (error) {
		kvfree(moves);
		return error;
	}
	/* Of what the disk had before, until nobody works with it. */
	pagepress_backing_stop(backing);
	pagepress_windows_forget(backing);
	pagepress_log_destroy(&backing->log);
	kvfree(backing->collector.moves);
	pagepress_batch_free(backing->cold);
	backing->cold = NULL;
	backing->log = log;
	spin_lock_init(&backing->log.lock);
	backing->collector.moves = moves;
	backing->collector.capacity = capacity;
	return 0;
}

/* What a slot gave up. */
static void release_slot(void *owner, u64 address, unsigned int length)
{
	struct pagepress_backing *backing = owner;

	pagepress_log_release(&backing->log, address, length);
}

const struct pagepress_store_operations pagepress_backed_operations = {
	.release = release_slot,
};

/* The disk has a store. Under init_lock, for writing. */
void pagepress_backing_start(struct pagepress_backing *backing)
{
	pagepress_collector_start(backing);
	pagepress_cleaner_start(backing);
}

/* Before the store goes; nobody writes any more. Waits for one batch and its turn of collecting. */
void pagepress_backing_stop(struct pagepress_backing *backing)
{
	pagepress_cleaner_stop(backing);
	pagepress_collector_stop(backing);
}

/* Whether a page may go there; a hint. */
bool pagepress_backing_has_space(struct pagepress_backing *backing)
{
	struct pagepress_log *log = &backing->log;

	return READ_ONCE(log->live) + PAGE_SIZE <= pagepress_log_capacity(log) &&
	       pagepress_backing_budget(backing) >= PAGEPRESS_SECTORS_PER_PAGE;
}

/* Whether it would send a page back: it has just failed, or its space is in pieces. A hint. */
bool pagepress_backing_refuses(struct pagepress_backing *backing)
{
	u64 failed = READ_ONCE(backing->failed);

	return (failed && time_before64(get_jiffies_64(), failed + HZ)) ||
	       pagepress_collector_has_nothing(backing);
}

/* Sectors that writeback_limit still allows. */
u64 pagepress_backing_budget(struct pagepress_backing *backing)
{
	struct pagepress_writeback *writeback = backing->disk->writeback;

	if (!READ_ONCE(writeback->limit_enable))
		return U64_MAX;
	return atomic64_read(&writeback->limit);
}

/*
 * Sectors are about to be written; false: writeback_limit does not allow them. A limit that is set
 * meanwhile counts from then on, whole.
 */
bool pagepress_backing_spend(struct pagepress_backing *backing, unsigned int sectors)
{
	struct pagepress_disk *disk = backing->disk;
	struct pagepress_writeback *writeback = disk->writeback;
	s64 left = atomic64_read(&writeback->limit);

	if (READ_ONCE(writeback->limit_enable)) {
		do {
			if (left < sectors)
				return false;
		} while (!atomic64_try_cmpxchg(&writeback->limit, &left, left - sectors));
	}
	atomic64_add(sectors, &disk->statistics[PAGEPRESS_BACKING_SECTORS_OUT]);
	return true;
}
