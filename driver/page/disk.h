/* SPDX-License-Identifier: GPL-2.0-only */
/* A disk, as far as whoever moves its pages must know it: block/ makes it and takes it away. */
#ifndef PAGEPRESS_DISK_H
#define PAGEPRESS_DISK_H

#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "page/statistics.h"

#define PAGEPRESS_NAME			"pagepress"
#define PAGEPRESS_SECTORS_PER_PAGE	(PAGE_SIZE >> SECTOR_SHIFT)
/* Of a disk, and of what it may take: more has no offset in a file. A whole number of pages. */
#define PAGEPRESS_MOST_BYTES		round_down((u64)S64_MAX, PAGE_SIZE)

struct pagepress_backing;
struct pagepress_origin;
struct pagepress_policy;
struct pagepress_store;
struct pagepress_writeback;

/* One block device. It is no child of any card: cards come and go underneath it. */
struct pagepress_disk {
	struct gendisk *gendisk;
	struct pagepress_store *store;		/* there as long as the disk is */
	struct pagepress_backing *backing;	/* NULL: none; changes while size is 0 only */
	struct pagepress_writeback *writeback;
	struct pagepress_origin *origin;	/* there as long as the disk is */
	struct pagepress_policy *policy;	/* likewise */
	struct pagepress_recompression *recompression;	/* likewise */
	/*
	 * Of pages that must wait for memory or the backing device. Each disk's own: a device that
	 * answers nobody holds up no other disk. Recovery waits for them, on another.
	 */
	struct workqueue_struct *pages;
	struct rw_semaphore init_lock;	/* size and store, for sysfs; for bios openers keep them */
	bool claimed;			/* being reset or resized: nobody may open it */
	u64 size;			/* bytes; 0: the store has no slots */
	u64 mem_limit;			/* bytes; 0: none. Outlives what is stored, as in zram */
	atomic64_t statistics[PAGEPRESS_STATISTIC_COUNT];
};

static inline void pagepress_count(struct pagepress_disk *disk, enum pagepress_statistic statistic)
{
	atomic64_inc(&disk->statistics[statistic]);
}

#endif
