/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every place where kernels differ, so that the other files read as for one kernel. The plain form
 * is that of 6.1; a newer one stands behind PAGEPRESS_HAS_..., which probe-kernel finds out by
 * compiling, never behind a version number: distributions backport.
 */
#ifndef PAGEPRESS_COMPAT_H
#define PAGEPRESS_COMPAT_H

#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/string.h>
#include <linux/zsmalloc.h>

#include "kernel_features.h"

/* hex2bin(): older kernels have it in kernel.h. */
#ifdef PAGEPRESS_HAS_HEX_HEADER
#include <linux/hex.h>
#endif

/* Returns 0 when there is no memory for the object. */
static inline unsigned long pagepress_pool_allocate(struct zs_pool *pool, size_t size, gfp_t flags)
{
#ifdef PAGEPRESS_HAS_ZS_MALLOC_NODE
	unsigned long handle = zs_malloc(pool, size, flags, NUMA_NO_NODE);
#else
	unsigned long handle = zs_malloc(pool, size, flags);
#endif

	return IS_ERR_VALUE(handle) ? 0 : handle;
}

#ifdef PAGEPRESS_HAS_ZS_OBJECT_READ
static inline void pagepress_pool_write(struct zs_pool *pool, unsigned long handle,
					const void *data, size_t size)
{
	zs_obj_write(pool, handle, (void *)data, size);
}

/* An object that lies in two pages is gathered in data, which is where it is wanted. */
static inline void pagepress_pool_read(struct zs_pool *pool, unsigned long handle,
				       void *data, size_t size)
{
	void *object = zs_obj_read_begin(pool, handle, size, data);

	if (object != data)
		memcpy(data, object, size);
	zs_obj_read_end(pool, handle, size, object);
}
#else
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
#endif

/*
 * Whole pages, as many as a bio can count the bytes of: kernels before 6.11 put as many into one as
 * the disk takes. Of 4 GiB and more, only what lies beyond a multiple of 4 GiB would be zeroed.
 */
#define PAGEPRESS_MOST_ZEROED_SECTORS	(round_down(UINT_MAX, PAGE_SIZE) >> SECTOR_SHIFT)

/*
 * A disk whose blocks are pages, without partitions and volatile cache. A page redone after a
 * failure is read from its owner again: it must not change meanwhile (stable writes).
 */
static inline struct gendisk *pagepress_allocate_gendisk(void)
{
	struct gendisk *gendisk;
#ifdef PAGEPRESS_HAS_LIMITS_AT_ALLOCATION
	struct queue_limits limits = {
		.features = BLK_FEAT_STABLE_WRITES,
		.logical_block_size = PAGE_SIZE,
		.physical_block_size = PAGE_SIZE,
		.io_min = PAGE_SIZE,
		.io_opt = PAGE_SIZE,
		.discard_granularity = PAGE_SIZE,
		.max_hw_discard_sectors = UINT_MAX,
		.max_write_zeroes_sectors = PAGEPRESS_MOST_ZEROED_SECTORS,
	};

	gendisk = blk_alloc_disk(&limits, NUMA_NO_NODE);
	if (IS_ERR(gendisk))
		return gendisk;
#else
	gendisk = blk_alloc_disk(NUMA_NO_NODE);
	if (!gendisk)
		return ERR_PTR(-ENOMEM);

	blk_queue_logical_block_size(gendisk->queue, PAGE_SIZE);
	blk_queue_physical_block_size(gendisk->queue, PAGE_SIZE);
	blk_queue_io_min(gendisk->queue, PAGE_SIZE);
	blk_queue_io_opt(gendisk->queue, PAGE_SIZE);
	gendisk->queue->limits.discard_granularity = PAGE_SIZE;
	blk_queue_max_discard_sectors(gendisk->queue, UINT_MAX);
	blk_queue_max_write_zeroes_sectors(gendisk->queue, PAGEPRESS_MOST_ZEROED_SECTORS);
	blk_queue_flag_set(QUEUE_FLAG_NONROT, gendisk->queue);
	blk_queue_flag_clear(QUEUE_FLAG_ADD_RANDOM, gendisk->queue);
	blk_queue_flag_set(QUEUE_FLAG_STABLE_WRITES, gendisk->queue);
#endif
	gendisk->flags |= GENHD_FL_NO_PART;
	return gendisk;
}

static inline bool pagepress_is_rotational(struct block_device *device)
{
#ifdef PAGEPRESS_HAS_DEVICE_IS_ROTATIONAL
	return bdev_rot(device);
#else
	return !bdev_nonrot(device);
#endif
}

/*
 * Swap is read ahead by it: what lies side by side on a disk with an arm, else what is side by side
 * in memory. Only while nobody has the disk open.
 */
static inline void pagepress_set_rotational(struct gendisk *gendisk, bool rotational)
{
#ifdef PAGEPRESS_HAS_LIMITS_AT_ALLOCATION
	struct queue_limits limits = queue_limits_start_update(gendisk->queue);

	limits.features &= ~BLK_FEAT_ROTATIONAL;
	if (rotational)
		limits.features |= BLK_FEAT_ROTATIONAL;
	/* A hint: what cannot be updated stays. */
	queue_limits_commit_update(gendisk->queue, &limits);
#else
	if (rotational)
		blk_queue_flag_clear(QUEUE_FLAG_NONROT, gendisk->queue);
	else
		blk_queue_flag_set(QUEUE_FLAG_NONROT, gendisk->queue);
#endif
}

/* A block device that only its holder may have open for writing; the holder itself if `write`. */
struct pagepress_claim {
	struct block_device *bdev;
#ifdef PAGEPRESS_HAS_DEVICE_FILES
	struct file *file;
#else
	bool write;
#endif
};

#ifdef PAGEPRESS_HAS_DEVICE_FILES
static inline int pagepress_claim_device(struct pagepress_claim *claim, const char *path,
					 void *holder, bool write)
{
	blk_mode_t mode = BLK_OPEN_READ | (write ? BLK_OPEN_WRITE : 0);
	struct file *file = bdev_file_open_by_path(path, mode, holder, NULL);

	if (IS_ERR(file))
		return PTR_ERR(file);
	claim->file = file;
	claim->bdev = file_bdev(file);
	return 0;
}

static inline void pagepress_unclaim_device(struct pagepress_claim *claim)
{
	bdev_fput(claim->file);
}
#else
static inline int pagepress_claim_device(struct pagepress_claim *claim, const char *path,
					 void *holder, bool write)
{
	fmode_t mode = FMODE_READ | FMODE_EXCL | (write ? FMODE_WRITE : 0);
	struct block_device *bdev = blkdev_get_by_path(path, mode, holder);

	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	claim->bdev = bdev;
	claim->write = write;
	return 0;
}

static inline void pagepress_unclaim_device(struct pagepress_claim *claim)
{
	blkdev_put(claim->bdev, FMODE_READ | FMODE_EXCL | (claim->write ? FMODE_WRITE : 0));
}
#endif

#ifdef PAGEPRESS_HAS_OPEN_BY_GENDISK
#define PAGEPRESS_OPEN(name)	static int name(struct gendisk *gendisk, blk_mode_t mode)
#define PAGEPRESS_OPEN_GENDISK		gendisk
#else
#define PAGEPRESS_OPEN(name)	static int name(struct block_device *bdev, fmode_t mode)
#define PAGEPRESS_OPEN_GENDISK		(bdev->bd_disk)
#endif

#ifdef PAGEPRESS_HAS_CONST_CLASS
#define PAGEPRESS_CONST_CLASS	const
#else
#define PAGEPRESS_CONST_CLASS
#endif
#define PAGEPRESS_CLASS_SHOW(name) \
static ssize_t name##_show(PAGEPRESS_CONST_CLASS struct class *class, \
			   PAGEPRESS_CONST_CLASS struct class_attribute *attribute, char *buffer)
#define PAGEPRESS_CLASS_STORE(name) \
static ssize_t name##_store(PAGEPRESS_CONST_CLASS struct class *class, \
			    PAGEPRESS_CONST_CLASS struct class_attribute *attribute, \
			    const char *buffer, size_t length)

#endif
