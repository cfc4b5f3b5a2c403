// SPDX-License-Identifier: GPL-2.0-only
/* The backing device: claimed, let go, and its space given out. No page is looked at here. */
#include <linux/bitops.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "backing/backing.h"

#define LEAST_CANDIDATES 1024u
#define MOST_CANDIDATES	 65536u

/* Why a device that could be claimed is of no use; NULL: it is. */
static const char *unfit(const struct pagepress_backing *backing)
{
	if (backing->bdev->bd_disk->fops == backing->disk->gendisk->fops)
		return "it is a Pagepress disk itself";
	if (bdev_logical_block_size(backing->bdev) > PAGE_SIZE)
		return "its blocks are larger than a page";
	if (bdev_is_zoned(backing->bdev))
		return "it is zoned";
	if (bdev_nr_sectors(backing->bdev) < PAGEPRESS_SECTORS_PER_PAGE)
		return "it is smaller than a page";
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
	mutex_init(&backing->space_lock);
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

	error = pagepress_batch_create(&backing->batch, PAGEPRESS_SLOT_WRITEBACK, LEAST_CANDIDATES);
	if (error)
		goto unclaim;
	error = pagepress_page_io_create(backing);
	if (error)
		goto destroy_batch;
	error = pagepress_cleaner_create(backing);
	if (error)
		goto destroy_page_io;
	pr_info("%s: backing_dev %s, %llu MiB\n", name, path,
		(u64)bdev_nr_sectors(backing->bdev) >> (20 - SECTOR_SHIFT));
	return backing;

destroy_page_io:
	pagepress_page_io_destroy(backing);
destroy_batch:
	pagepress_batch_destroy(&backing->batch);
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
	pagepress_cleaner_destroy(backing);
	pagepress_page_io_destroy(backing);
	pagepress_batch_destroy(&backing->batch);
	vfree(backing->used);
	pagepress_unclaim_device(&backing->claim);
	kfree(backing->path);
	kfree(backing);
}

/*
 * Makes the map of its space, for a disk of so many slots and as empty as that. Of a much larger
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
	backing->longest = sectors;
	atomic64_set(&backing->given_back, 0);
	backing->batch.candidates = candidates;
	backing->batch.capacity = capacity;
	backing->batch.count = 0;
	backing->batch.next = 0;
	return 0;
}

/* The first free run of whole blocks, in sectors, that begins at `from` or later; 0: none. */
static unsigned long next_run(struct pagepress_backing *backing, unsigned long *from,
			      unsigned long most)
{
	unsigned long first, last;

	while (*from < backing->sectors) {
		first = find_next_zero_bit(backing->used, backing->sectors, *from);
		first = round_up(first, backing->block);
		if (first >= backing->sectors)
			break;
		last = find_next_bit(backing->used, min(first + most, backing->sectors), first);
		*from = first;
		if (last - first >= backing->block)
			return rounddown(last - first, backing->block);
		/* The block has a sector in use. */
		*from = first + backing->block;
	}
	return 0;
}

/* The first run of `most` sectors behind the cursor, else the longest there is; 0: none. */
static unsigned long find_space(struct pagepress_backing *backing, unsigned long most,
				unsigned long *found)
{
	unsigned long from, length, longest = 0;
	unsigned int pass;

	for (pass = 0; pass < 2; pass++) {
		from = pass ? 0 : round_up(backing->cursor, backing->block);
		while (longest < most && (length = next_run(backing, &from, most))) {
			if (length > longest) {
				longest = length;
				*found = from;
			}
			from += length;
		}
	}
	return longest;
}

/*
 * Takes contiguous space: most sectors if it can, never fewer than least; both are rounded up to
 * blocks. Returns how many, 0 without space. What follows what was taken last is preferred.
 *
 * On a device nearly full a search meets all of the map. What it learns, how long the longest run
 * is, bounds the next ones, so that they end at the first run of that length, or need not begin;
 * until a thousandth of the device was given back.
 */
unsigned int pagepress_backing_take(struct pagepress_backing *backing, unsigned int least,
				    unsigned int most, u64 *sector)
{
	unsigned long enough = max_t(unsigned long, backing->sectors / 1024,
				     PAGEPRESS_SECTORS_PER_PAGE);
	unsigned long index, found, taken = 0;

	mutex_lock(&backing->space_lock);
	least = round_up(least, backing->block);
	if (atomic64_read(&backing->given_back) >= enough) {
		atomic64_set(&backing->given_back, 0);
		backing->longest = backing->sectors;
	}
	most = min_t(unsigned long, max(least, round_up(most, backing->block)), backing->longest);
	if (least <= most) {
		taken = find_space(backing, most, &found);
		if (taken < most) {
			pagepress_count(backing->disk, PAGEPRESS_BACKING_SEARCHES);
			backing->longest = taken;
		}
		if (taken < least)
			taken = 0;
	}
	/* One by one: others clear bits of the same words meanwhile. */
	for (index = 0; index < taken; index++)
		set_bit(found + index, backing->used);
	if (taken) {
		backing->cursor = found + taken;
		*sector = found;
		atomic64_add(taken, &backing->used_sectors);
	}
	mutex_unlock(&backing->space_lock);
	return taken;
}

static void mark_free(struct pagepress_backing *backing, u64 sector, unsigned int count)
{
	unsigned int index;

	for (index = 0; index < count; index++)
		clear_bit(sector + index, backing->used);
	atomic64_sub(count, &backing->used_sectors);
}

/* Gives space back; takes no lock, and may run under any. */
void pagepress_backing_release(struct pagepress_backing *backing, u64 sector, unsigned int count)
{
	mark_free(backing, sector, count);
	atomic64_add(count, &backing->given_back);
}

/* What a slot gave up. */
static void release_slot(void *backing, u64 sector, unsigned int length)
{
	pagepress_backing_release(backing, sector, pagepress_sectors(length));
}

const struct pagepress_store_operations pagepress_backed_operations = {
	.release = release_slot,
};

/* Of space just taken only the first sectors will be written: what is taken next follows them. */
void pagepress_backing_trim(struct pagepress_backing *backing, u64 sector, unsigned int taken,
			    unsigned int kept)
{
	mutex_lock(&backing->space_lock);
	if (backing->cursor == sector + taken)
		backing->cursor = sector + kept;
	/* Of a run just taken: none becomes longer than longest. */
	mark_free(backing, sector + kept, taken - kept);
	mutex_unlock(&backing->space_lock);
}

/* Whether a page may go there; a hint. */
bool pagepress_backing_has_space(struct pagepress_backing *backing)
{
	u64 used = atomic64_read(&backing->used_sectors);

	return used + PAGEPRESS_SECTORS_PER_PAGE <= backing->sectors &&
	       pagepress_backing_budget(backing) >= PAGEPRESS_SECTORS_PER_PAGE;
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
