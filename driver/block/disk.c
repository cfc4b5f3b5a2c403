// SPDX-License-Identifier: GPL-2.0-only
/* One /dev/pagepressN: made at load, there until unload, whatever becomes of the cards. */
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "backing/backing.h"
#include "block/block.h"
#include "origin/origin.h"
#include "page/compat.h"
#include "path/path.h"
#include "policy/policy.h"

/* A disk and what it is made of, in one piece of memory. */
struct whole_disk {
	struct pagepress_disk disk;	/* first: it is freed as the whole */
	struct pagepress_store store;
	struct pagepress_writeback writeback;
	struct pagepress_origin origin;
	struct pagepress_policy policy;
	struct pagepress_recompression recompression;
};

PAGEPRESS_OPEN(disk_open)
{
	struct pagepress_disk *disk = PAGEPRESS_OPEN_GENDISK->private_data;

	/* Under gendisk->open_mutex, as is claim(). */
	return disk->claimed || READ_ONCE(pagepress_disks_are_shut) ? -EBUSY : 0;
}

static const struct block_device_operations operations = {
	.owner = THIS_MODULE,
	.open = disk_open,
	.submit_bio = pagepress_submit_bio,
	.swap_slot_free_notify = pagepress_swap_slot_free_notify,
};

/*
 * Until unclaim() nobody else opens or claims the disk. -EBUSY while somebody has it, or has it
 * open: an open disk without a size holds nothing, and who is told of new disks opens each at once,
 * so that it may be given one. -EINTR: killed, while a close waits for what it has written.
 */
static int claim(struct pagepress_disk *disk, bool may_be_empty_and_open)
{
	bool free;

	if (mutex_lock_killable(&disk->gendisk->open_mutex))
		return -EINTR;
	/* Sizes change only while claimed. */
	free = !disk->claimed && (!disk_openers(disk->gendisk) ||
				  (may_be_empty_and_open && !disk->size));
	if (free)
		disk->claimed = true;
	mutex_unlock(&disk->gendisk->open_mutex);
	return free ? 0 : -EBUSY;
}

static void unclaim(struct pagepress_disk *disk)
{
	mutex_lock(&disk->gendisk->open_mutex);
	disk->claimed = false;
	mutex_unlock(&disk->gendisk->open_mutex);
}

/*
 * Under init_lock for writing. Rounds size up to whole pages. -EFBIG when this kernel's words are
 * too short to count them, -ENOMEM without memory for the slot table; then the disk is as before.
 */
static int set_size(struct pagepress_disk *disk, u64 size)
{
	struct pagepress_store store = {};
	int error;

	if (size > PAGEPRESS_MOST_BYTES || size >> PAGE_SHIFT >= ULONG_MAX)
		return -EFBIG;
	size = PAGE_ALIGN(size);
	if (size) {
		error = pagepress_store_create(&store, disk->gendisk->disk_name,
					       size >> PAGE_SHIFT, disk->backing);
		if (!error && disk->backing)
			error = pagepress_backing_prepare(disk->backing, store.slot_count);
		if (error) {
			pagepress_store_destroy(&store);
			return error;
		}
	}
	pagepress_policy_stop(disk->policy);
	if (disk->backing)
		pagepress_backing_stop(disk->backing);
	pagepress_store_destroy(disk->store);
	store.disk = disk->gendisk->first_minor;
	store.operations = &pagepress_backed_operations;
	store.owner = disk->backing;
	*disk->store = store;
	pagepress_origin_renew(disk->origin);
	pagepress_store_set_limit(disk->store, disk->mem_limit);
	if (size && disk->backing) {
		pagepress_backing_start(disk->backing);
		pagepress_policy_start(disk->policy);
	}
	/* Who has the empty disk open may write from here on: pairs with pagepress_submit_bio(). */
	smp_wmb();
	WRITE_ONCE(disk->size, size);
	set_capacity_and_notify(disk->gendisk, size >> SECTOR_SHIFT);
	if (size && disk->backing)
		pagepress_writeback_kick(disk);
	if (size)
		pagepress_recompression_kick(disk);
	return 0;
}

/*
 * -EBUSY while the disk has a size and is open, or holds what somebody wrote, or hides pages of its
 * origin, or while a refused origin still has reads, -EINTR when killed; else as set_size().
 */
int pagepress_disk_resize(struct pagepress_disk *disk, u64 size)
{
	int error = claim(disk, true);

	if (error)
		return error;
	error = pagepress_origin_settle(disk->origin);
	if (error)
		goto unclaim;
	error = down_write_killable(&disk->init_lock);
	if (error)
		goto unclaim;
	error = -EBUSY;
	if (!atomic64_read(&disk->statistics[PAGEPRESS_NUM_WRITES]) &&
	    !pagepress_origin_is_hidden(disk->origin))
		error = set_size(disk, size);
	up_write(&disk->init_lock);
unclaim:
	unclaim(disk);
	return error;
}

/*
 * path names a block device, or is "none". -EBUSY once the disk has a size, so that no slot rests
 * on what is let go; else an errno that the log explains.
 */
int pagepress_disk_set_backing(struct pagepress_disk *disk, const char *path)
{
	struct pagepress_backing *backing = NULL;
	int error = down_write_killable(&disk->init_lock);

	if (error)
		return error;
	if (disk->size)
		error = -EBUSY;
	else if (strcmp(path, "none"))
		backing = pagepress_backing_open(disk, path, &pagepress_software_operations);
	if (IS_ERR(backing))
		error = PTR_ERR(backing);
	if (!error) {
		pagepress_backing_close(disk->backing);
		disk->backing = backing;
		pagepress_set_rotational(disk->gendisk,
					 backing && pagepress_is_rotational(backing->bdev));
	}
	up_write(&disk->init_lock);
	return error;
}

/* While nobody has the disk open, and nobody can. -EBUSY, -ERESTARTSYS: its origin stays. */
static int let_origin_go(struct pagepress_disk *disk)
{
	return pagepress_origin_wait_idle(disk->origin) ?: pagepress_origin_detach(disk->origin);
}

/*
 * path names a block device with a page image, or is "none". -EBUSY while the disk has a
 * size, or while another origin is attached; else an errno that the log explains.
 */
int pagepress_disk_set_origin(struct pagepress_disk *disk, const char *path)
{
	int error = claim(disk, true);

	if (error)
		return error;
	error = -EBUSY;
	/* Sizes change only while claimed. */
	if (!disk->size)
		error = strcmp(path, "none") ? pagepress_origin_attach(disk->origin, path)
					     : let_origin_go(disk);
	unclaim(disk);
	return error;
}

/*
 * Claims a disk that loses all it has, and takes its init_lock for writing: its writes have ended,
 * its origin is let go. -EBUSY while open, or while an origin's device does not answer; -EINTR when
 * killed while a backing device does not, -ERESTARTSYS: then the disk is as before.
 */
static int claim_alone(struct pagepress_disk *disk)
{
	int error = claim(disk, false);

	if (error)
		return error;
	sync_blockdev(disk->gendisk->part0);
	/* First: others must not wait for init_lock as long. */
	error = pagepress_origin_wait_idle(disk->origin);
	if (!error)
		error = down_write_killable(&disk->init_lock);
	if (error)
		goto unclaim;
	/* Last of what may fail: pages never written are there no more without it. */
	error = pagepress_origin_detach(disk->origin);
	if (!error)
		return 0;
	up_write(&disk->init_lock);
unclaim:
	unclaim(disk);
	return error;
}

/*
 * As claim_alone(). Afterwards the disk has no size, no pages, no backing device, no origin, no
 * mem_limit and no history.
 */
int pagepress_disk_reset(struct pagepress_disk *disk)
{
	int error = claim_alone(disk);
	unsigned int index;

	if (error)
		return error;
	disk->mem_limit = 0;
	set_size(disk, 0);
	pagepress_backing_close(disk->backing);
	disk->backing = NULL;
	pagepress_set_rotational(disk->gendisk, false);
	for (index = 0; index < PAGEPRESS_STATISTIC_COUNT; index++)
		atomic64_set(&disk->statistics[index], 0);
	up_write(&disk->init_lock);
	unclaim(disk);
	return 0;
}

static struct pagepress_disk *allocate(void)
{
	struct whole_disk *whole = kzalloc(sizeof(*whole), GFP_KERNEL);

	if (!whole)
		return NULL;
	whole->disk.store = &whole->store;
	whole->disk.writeback = &whole->writeback;
	whole->disk.origin = &whole->origin;
	whole->disk.policy = &whole->policy;
	whole->disk.recompression = &whole->recompression;
	return &whole->disk;
}

/* Of a disk without size, origin and files, that nobody has open: ends what files have begun. */
static void release(struct pagepress_disk *disk)
{
	cancel_delayed_work_sync(&disk->writeback->work);
	cancel_delayed_work_sync(&disk->recompression->work);
	pagepress_policy_destroy(disk->policy);
	pagepress_backing_close(disk->backing);
	put_disk(disk->gendisk);
	destroy_workqueue(disk->pages);
	kfree(disk);
}

/* groups: its files in sysfs. */
struct pagepress_disk *pagepress_disk_create(int major, int index, u64 size,
					     const struct attribute_group **groups)
{
	struct pagepress_disk *disk = allocate();
	struct gendisk *gendisk;
	int error;

	if (!disk)
		return ERR_PTR(-ENOMEM);
	disk->pages = alloc_workqueue(PAGEPRESS_NAME "%d-pages", WQ_MEM_RECLAIM | WQ_UNBOUND, 0,
				      index);
	if (!disk->pages) {
		error = -ENOMEM;
		goto free_disk;
	}
	gendisk = pagepress_allocate_gendisk();
	if (IS_ERR(gendisk)) {
		error = PTR_ERR(gendisk);
		goto destroy_pages;
	}
	init_rwsem(&disk->init_lock);
	pagepress_recompression_init(disk);
	pagepress_writeback_init(disk);
	pagepress_origin_init(disk->origin, disk);
	pagepress_policy_init(disk->policy, disk);
	disk->gendisk = gendisk;
	gendisk->major = major;
	gendisk->first_minor = index;
	gendisk->minors = 1;
	gendisk->fops = &operations;
	gendisk->private_data = disk;
	snprintf(gendisk->disk_name, sizeof(gendisk->disk_name), PAGEPRESS_NAME "%d", index);

	down_write(&disk->init_lock);
	error = set_size(disk, size);
	up_write(&disk->init_lock);
	if (error) {
		pr_err("%s: no memory for the slots of %llu MiB: load with a smaller disksize_mb\n",
		       gendisk->disk_name, size >> 20);
		goto put_gendisk;
	}
	error = device_add_disk(NULL, gendisk, groups);
	if (!error)
		return disk;
	/* Its files may have been there for a moment, and an origin's reads end before it goes. */
	while (let_origin_go(disk))
		msleep(PAGEPRESS_AGAIN_MS);
	down_write(&disk->init_lock);
	set_size(disk, 0);
	up_write(&disk->init_lock);
	release(disk);
	return ERR_PTR(error);

put_gendisk:
	put_disk(gendisk);
destroy_pages:
	destroy_workqueue(disk->pages);
free_disk:
	kfree(disk);
	return ERR_PTR(error);
}

/* As claim_alone(); else the disk is gone, and disk with it. */
int pagepress_disk_remove(struct pagepress_disk *disk)
{
	int error = claim_alone(disk);

	if (error)
		return error;
	/*
	 * Whoever writes back or recompresses sees that there is nothing left; else the files would
	 * wait for all of it, and cannot be interrupted.
	 */
	set_size(disk, 0);
	up_write(&disk->init_lock);
	del_gendisk(disk->gendisk);
	release(disk);
	return 0;
}
