/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every place where kernels differ, in the form of Debian's 6.1, so that the other files read as
 * for one kernel. A newer form is added here behind a probe by compiling (Kbuild), never behind a
 * version number: distributions backport.
 */
#ifndef PAGEPRESS_COMPAT_H
#define PAGEPRESS_COMPAT_H

#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/string.h>
#include <linux/zsmalloc.h>

/* Returns 0 when there is no memory for the object. */
static inline unsigned long pagepress_pool_allocate(struct zs_pool *pool, size_t size, gfp_t flags)
{
	unsigned long handle = zs_malloc(pool, size, flags);

	return IS_ERR_VALUE(handle) ? 0 : handle;
}

/* No sleeping between map and unmap: the pool may hand out a per-CPU buffer. */
static inline void pagepress_pool_write(struct zs_pool *pool, unsigned long handle,
					const void *data, size_t size)
{
	memcpy(zs_map_object(pool, handle, ZS_MM_WO), data, size);
	zs_unmap_object(pool, handle);
}

static inline void pagepress_pool_read(struct zs_pool *pool, unsigned long handle,
				       void *data, size_t size)
{
	memcpy(data, zs_map_object(pool, handle, ZS_MM_RO), size);
	zs_unmap_object(pool, handle);
}

/* A disk whose blocks are pages, without partitions and volatile cache. */
static inline struct gendisk *pagepress_allocate_gendisk(void)
{
	struct gendisk *gendisk = blk_alloc_disk(NUMA_NO_NODE);

	if (!gendisk)
		return ERR_PTR(-ENOMEM);

	gendisk->flags |= GENHD_FL_NO_PART;
	blk_queue_logical_block_size(gendisk->queue, PAGE_SIZE);
	blk_queue_physical_block_size(gendisk->queue, PAGE_SIZE);
	blk_queue_io_min(gendisk->queue, PAGE_SIZE);
	blk_queue_io_opt(gendisk->queue, PAGE_SIZE);
	gendisk->queue->limits.discard_granularity = PAGE_SIZE;
	blk_queue_max_discard_sectors(gendisk->queue, UINT_MAX);
	blk_queue_max_write_zeroes_sectors(gendisk->queue, UINT_MAX);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, gendisk->queue);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, gendisk->queue);
	/*
	 * A page redone after a failure is read from its owner again: it must not change meanwhile.
	 */
	blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, gendisk->queue);
	return gendisk;
}

/* A block device that only its holder may have open for writing. */
struct pagepress_claim {
	struct block_device *bdev;
};

static inline int pagepress_claim_device(struct pagepress_claim *claim, const char *path,
					 void *holder)
{
	struct block_device *bdev = blkdev_get_by_path(path, FMODE_READ | FMODE_WRITE | FMODE_EXCL,
						       holder);

	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	claim->bdev = bdev;
	return 0;
}

static inline void pagepress_unclaim_device(struct pagepress_claim *claim)
{
	blkdev_put(claim->bdev, FMODE_READ | FMODE_WRITE | FMODE_EXCL);
}

#define PAGEPRESS_OPEN(name)	static int name(struct block_device *bdev, fmode_t mode)
#define PAGEPRESS_CLASS_SHOW(name) \
static ssize_t name##_show(struct class *class, struct class_attribute *attribute, char *buffer)
#define PAGEPRESS_CLASS_STORE(name) \
static ssize_t name##_store(struct class *class, struct class_attribute *attribute, \
			    const char *buffer, size_t length)
#define PAGEPRESS_OPEN_GENDISK		(bdev->bd_disk)

#endif
