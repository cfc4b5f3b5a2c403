/* SPDX-License-Identifier: GPL-2.0-only */
/* The block device that takes the pages memory should not hold. */
#ifndef PAGEPRESS_BACKING_H
#define PAGEPRESS_BACKING_H

#include <linux/blkdev.h>
#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "pagepress.h"

#define PAGEPRESS_BATCH_PAGES	64	/* of one write */
#define PAGEPRESS_BATCH_BYTES	(PAGEPRESS_BATCH_PAGES * PAGE_SIZE)

/* A page that may be written back, as it was when it was found. */
struct pagepress_candidate {
	unsigned long slot;
	u32 accessed;
};

/* A slot whose bytes are in the batch's buffer. */
struct pagepress_copied {
	unsigned long slot;
	unsigned int length;		/* bytes */
};

/* One write of many pages, by whoever holds disk->writeback.lock. */
struct pagepress_batch {
	void *buffer;			/* PAGEPRESS_BATCH_BYTES */
	struct bio bio;
	struct bio_vec vectors[PAGEPRESS_BATCH_PAGES];
	struct pagepress_copied copied[PAGEPRESS_BATCH_PAGES];
	struct pagepress_candidate *candidates;	/* the oldest, oldest first */
	unsigned int capacity, count, next;
};

/*
 * Its room is given out in sectors, so that streams lie end to end, and only in whole free logical
 * blocks, so that nothing that rests there is ever written again.
 */
struct pagepress_backing {
	struct pagepress_disk *disk;
	struct pagepress_claim claim;
	struct block_device *bdev;
	char *path;			/* as it was named */
	unsigned int block;		/* sectors in a logical block */

	struct mutex room_lock;		/* taking room, cursor. Giving back takes no lock */
	unsigned long *used;		/* a bit a sector; NULL until the disk has a size */
	unsigned long sectors;		/* of them */
	unsigned long cursor;		/* where the last room taken ends */
	atomic64_t used_sectors;

	struct workqueue_struct *workqueue;	/* everything that goes to the device, and back */
	struct work_struct work;
	spinlock_t trips_lock;		/* both lists; taken in interrupts too */
	struct list_head departing;
	struct list_head arrived;
	mempool_t *trips;
	unsigned int trip_order;	/* of a trip's buffer, pages */

	struct pagepress_batch batch;
};

/* Sectors that so many bytes take. */
static inline unsigned int pagepress_sectors(unsigned int bytes)
{
	return DIV_ROUND_UP(bytes, SECTOR_SIZE);
}

/* backing.c */
struct pagepress_backing *pagepress_backing_open(struct pagepress_disk *disk, const char *path);
void pagepress_backing_close(struct pagepress_backing *backing);
int pagepress_backing_prepare(struct pagepress_backing *backing, unsigned long slot_count);
unsigned int pagepress_backing_take(struct pagepress_backing *backing, unsigned int least,
				    unsigned int most, u64 *sector);
void pagepress_backing_release(struct pagepress_backing *backing, u64 sector, unsigned int count);
void pagepress_backing_trim(struct pagepress_backing *backing, u64 sector, unsigned int taken,
			    unsigned int kept);
bool pagepress_backing_has_room(struct pagepress_backing *backing);
u64 pagepress_backing_budget(struct pagepress_backing *backing);
void pagepress_backing_spend(struct pagepress_backing *backing, unsigned int sectors);

/* trip.c: one page to or from the device */
struct pagepress_trip;
int pagepress_trips_create(struct pagepress_backing *backing);
void pagepress_trips_destroy(struct pagepress_backing *backing);
struct pagepress_trip *pagepress_trip_get(struct pagepress_backing *backing, bool wait);
void pagepress_trip_put(struct pagepress_trip *trip);
void pagepress_trip_read(const struct pagepress_transfer *transfer);
void pagepress_trip_forward(struct pagepress_trip *trip, const struct pagepress_transfer *transfer,
			    const void *data, unsigned int length, u32 crc,
			    const struct pagepress_transfer *writer,
			    enum pagepress_statistic counter);

/* writeback.c */
void pagepress_writeback_init(struct pagepress_disk *disk);
void pagepress_writeback_kick(struct pagepress_disk *disk);
int pagepress_writeback(struct pagepress_disk *disk, const struct pagepress_selection *selection);

#endif
