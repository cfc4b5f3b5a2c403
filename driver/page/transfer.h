/* SPDX-License-Identifier: GPL-2.0-only */
/* One page on its way, and the bio it belongs to: what each room hands to the next. */
#ifndef PAGEPRESS_TRANSFER_H
#define PAGEPRESS_TRANSFER_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/list.h>

#include "page/disk.h"

/* One bio in progress: ends when its last page has. */
struct pagepress_io {
	struct pagepress_disk *disk;
	struct bio *bio;
	unsigned long start;		/* jiffies, for the disk's accounting */
	atomic_t remaining;		/* pages under way, and one while submit_bio walks */
	blk_status_t status;		/* of the first page that failed */
	bool may_queue;			/* outlives submit_bio: cards may finish pages later */
	struct list_head held;		/* a write: in a task's batch, see path/plug.c */
	void (*end)(struct pagepress_io *io);	/* the last page has ended; frees the io */
	bool waited_for;		/* one page outside any batch: a task waits for it */
};

/* One page of a bio, and the slot of the disk it goes to or comes from. */
struct pagepress_transfer {
	struct pagepress_io *io;
	struct bvec_iter iter;		/* the page's bytes in io->bio; bi_size is PAGE_SIZE */
	unsigned long slot;
	struct hlist_node writes;	/* the slot, while it is the slot's writer: store/slot.h */
};

void pagepress_io_get(struct pagepress_io *io);
void pagepress_io_put(struct pagepress_io *io);
void pagepress_io_wait(struct pagepress_io *io);
void pagepress_transfer_load(const struct pagepress_transfer *transfer, void *page);
u32 pagepress_transfer_checksum(const struct pagepress_transfer *transfer);
bool pagepress_transfer_may_change(const struct pagepress_transfer *transfer);
void pagepress_transfer_fill(const struct pagepress_transfer *transfer, const void *page);
bool pagepress_transfer_same_filled(const struct pagepress_transfer *transfer, u64 *fill);
void pagepress_transfer_failed(const struct pagepress_transfer *transfer, blk_status_t status);

#endif
