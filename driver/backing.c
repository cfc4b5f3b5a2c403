// SPDX-License-Identifier: GPL-2.0-only
/* The backing device: claimed, let go, and its room given out. No page is looked at here. */
#include <linux/bitmap.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "backing.h"

#define LEAST_CANDIDATES 1024u
#define MOST_CANDIDATES	 65536u

static void free_batch(struct pagepress_batch *batch)
{
	kvfree(batch->candidates);
	vfree(batch->buffer);
}

/* Why a device that could be claimed is of no use; NULL: it is. */
static const char *unfit(const struct pagepress_backing *backing)
{
	if (backing->bdev->bd_disk->fops->submit_bio == pagepress_submit_bio)
		return "it is a Pagepress disk itself";
	if (bdev_logical_block_size(backing->bdev) > PAGE_SIZE)
		return "its blocks are larger than a page";
	if (bdev_is_zoned(backing->bdev))
		return "it is zoned";
	if (bdev_nr_sectors(backing->bdev) < PAGEPRESS_SECTORS_PER_PAGE)
		return "it has no room for a page";
	return NULL;
}

/* Sleeps, and says in the log what is wrong. path is any block device that nobody else claims. */
struct pagepress_backing *pagepress_backing_open(struct pagepress_disk *disk, const char *path)
{
	struct pagepress_backing *backing = kzalloc(sizeof(*backing), GFP_KERNEL);
	const char *name = disk->gendisk->disk_name;
	const char *why;
	int error = -ENOMEM;

	if (!backing)
		return ERR_PTR(-ENOMEM);
	backing->disk = disk;
	mutex_init(&backing->room_lock);
	backing->path = kstrdup(path, GFP_KERNEL);
	if (!backing->path)
		goto free_backing;
	error = pagepress_claim_device(&backing->claim, path, disk);
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

	error = -ENOMEM;
	backing->batch.buffer = vmalloc(PAGEPRESS_BATCH_BYTES);
	if (!backing->batch.buffer)
		goto unclaim;
	error = pagepress_trips_create(backing);
	if (error)
		goto free_batch;
	pr_info("%s: backing_dev %s, %llu MiB\n", name, path,
		(u64)bdev_nr_sectors(backing->bdev) >> (20 - SECTOR_SHIFT));
	return backing;

free_batch:
	free_batch(&backing->batch);
unclaim:
	pagepress_unclaim_device(&backing->claim);
free_path:
	kfree(backing->path);
free_backing:
	kfree(backing);
	return ERR_PTR(error);
}

/* When no slot rests on it and no page is on its way. NULL is allowed. */
void pagepress_backing_close(struct pagepress_backing *backing)
{
	if (!backing)
		return;
	pagepress_trips_destroy(backing);
	free_batch(&backing->batch);
	vfree(backing->used);
	pagepress_unclaim_device(&backing->claim);
	kfree(backing->path);
	kfree(backing);
}

/*
 * Makes the map of its room, for a disk of so many slots and as empty as that. Of a much larger
 * device only so much is used as they can fill with holes between them.
 */
int pagepress_backing_prepare(struct pagepress_backing *backing, unsigned long slot_count)
{
	unsigned int capacity = clamp_t(unsigned long, slot_count / 64, LEAST_CANDIDATES,
					MOST_CANDIDATES);
	u64 sectors = min_t(u64, bdev_nr_sectors(backing->bdev),
			    (u64)slot_count * PAGEPRESS_SECTORS_PER_PAGE * 2);
	struct pagepress_candidate *candidates;
	unsigned long *used;

	sectors = rounddown(sectors, backing->block);
	used = vzalloc(BITS_TO_LONGS(sectors) * sizeof(long));
	candidates = kvmalloc_array(capacity, sizeof(*candidates), GFP_KERNEL);
	if (!used || !candidates) {
		kvfree(candidates);
		vfree(used);
		return -ENOMEM;
	}
	vfree(backing->used);
	kvfree(backing->batch.candidates);
	backing->used = used;
	backing->sectors = sectors;
	backing->cursor = 0;
	backing->batch.candidates = candidates;
	backing->batch.capacity = capacity;
	backing->batch.count = 0;
	backing->batch.next = 0;
	return 0;
}

static unsigned long find_room(struct pagepress_backing *backing, unsigned int count)
{
	unsigned long found, align = backing->block - 1;

	found = bitmap_find_next_zero_area(backing->used, backing->sectors, backing->cursor, count,
					   align);
	if (found + count > backing->sectors)
		found = bitmap_find_next_zero_area(backing->used, backing->sectors, 0, count,
						   align);
	return found;
}

/*
 * Takes contiguous room: most sectors if it can, never fewer than least; both are rounded up to
 * blocks. Returns how many, 0 without room. What follows what was taken last is preferred.
 */
unsigned int pagepress_backing_take(struct pagepress_backing *backing, unsigned int least,
				    unsigned int most, u64 *sector)
{
	unsigned int count, index, taken = 0;
	unsigned long found;

	least = round_up(least, backing->block);
	count = max_t(unsigned int, least, round_up(most, backing->block));
	mutex_lock(&backing->room_lock);
	for (;;) {
		found = find_room(backing, count);
		if (found + count <= backing->sectors)
			taken = count;
		if (taken || count == least)
			break;
		count = max_t(unsigned int, least, round_up(count / 2, backing->block));
	}
	/* One by one: others clear bits of the same words meanwhile. */
	for (index = 0; index < taken; index++)
		set_bit(found + index, backing->used);
	if (taken) {
		backing->cursor = found + taken;
		*sector = found;
		atomic64_add(taken, &backing->used_sectors);
	}
	mutex_unlock(&backing->room_lock);
	return taken;
}

/* Gives room back; takes no lock, and may run under any. */
void pagepress_backing_release(struct pagepress_backing *backing, u64 sector, unsigned int count)
{
	unsigned int index;

	for (index = 0; index < count; index++)
		clear_bit(sector + index, backing->used);
	atomic64_sub(count, &backing->used_sectors);
}

/* Of room just taken only the first sectors will be written: what is taken next follows them. */
void pagepress_backing_trim(struct pagepress_backing *backing, u64 sector, unsigned int taken,
			    unsigned int kept)
{
	mutex_lock(&backing->room_lock);
	if (backing->cursor == sector + taken)
		backing->cursor = sector + kept;
	mutex_unlock(&backing->room_lock);
	pagepress_backing_release(backing, sector + kept, taken - kept);
}

/* Whether a page may go there; a hint. */
bool pagepress_backing_has_room(struct pagepress_backing *backing)
{
	u64 used = atomic64_read(&backing->used_sectors);

	return used + PAGEPRESS_SECTORS_PER_PAGE <= backing->sectors &&
	       pagepress_backing_budget(backing) >= PAGEPRESS_SECTORS_PER_PAGE;
}

/* Sectors that writeback_limit still allows. */
u64 pagepress_backing_budget(struct pagepress_backing *backing)
{
	struct pagepress_writeback *writeback = &backing->disk->writeback;

	if (!READ_ONCE(writeback->limit_enable))
		return U64_MAX;
	return max_t(s64, atomic64_read(&writeback->limit), 0);
}

/* Sectors are about to be written. */
void pagepress_backing_spend(struct pagepress_backing *backing, unsigned int sectors)
{
	struct pagepress_disk *disk = backing->disk;

	atomic64_add(sectors, &disk->statistics[PAGEPRESS_BACKING_SECTORS_OUT]);
	if (READ_ONCE(disk->writeback.limit_enable) &&
	    atomic64_sub_return(sectors, &disk->writeback.limit) < 0)
		atomic64_set(&disk->writeback.limit, 0);
}
