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
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "backing/log.h"
#include "backing/read_around.h"
#include "page/compat.h"
#include "page/transfer.h"
#include "store/store.h"

struct pagepress_page_io;

#define PAGEPRESS_WINDOWS	8
#define PAGEPRESS_WINDOW_BYTES	SZ_64K	/* on a disk with an arm, about what a seek costs */
#define PAGEPRESS_BATCH_STREAMS	1024	/* at most, of one write */

/* What goes to the device frees memory, and stays swap's whoever brings it there. */
#define PAGEPRESS_WRITE_OUT	(REQ_OP_WRITE | REQ_SWAP)

/* How pages leave memory for the backing device. Settings outlive the store, as in zram. */
struct pagepress_writeback {
	struct pagepress_disk *disk;
	struct mutex lock;		/* one pass at a time, and its batch; outside init_lock */
	struct delayed_work work;	/* writes back cold pages */
	bool keeps;			/* the work's: cold pages that it has found, for later */
	u64 age;			/* seconds without access that make a page cold; 0: never */
	u64 rate;			/* of the work, bytes a second; 0: no limit */
	s64 allowance;			/* of it, bytes not used yet; under lock */
	unsigned long allowed_at;	/* jiffies; under lock */
	u64 clean_percent;		/* of mem_limit that the cleaner frees at a time */
	u64 limit_enable;		/* 0: no */
	atomic64_t limit;		/* sectors that may still be written, if enabled */
};

/*
 * What page I/O asks of whoever has given it the page: it moves bytes, and knows no way to
 * decompress them. Called by its work, for which others wait: none of these may wait for a page
 * I/O.
 */
struct pagepress_backing_operations {
	/*
	 * The page does not rest on the device any more: to be read from memory. False when it
	 * rests there again.
	 */
	bool (*read_memory)(const struct pagepress_transfer *transfer);
	/*
	 * What has come from the device, a stream or with PAGE_SIZE the page itself: fills the
	 * transfer's page. False unless it is what was written, by its CRC32C.
	 */
	bool (*restore)(const struct pagepress_transfer *transfer, const void *data,
			const struct pagepress_content *place);
	/* Whether such bytes are the page that was written; nothing else happens. */
	bool (*intact)(const void *data, const struct pagepress_content *place);
	/* Neither the device nor memory takes the page that writer was to store. */
	void (*write_failed)(const struct pagepress_transfer *transfer,
			     const struct pagepress_transfer *writer, blk_status_t status);
};

/* A segment's worth of memory, and the bio that takes it to the device or brings it; buffer.c. */
struct pagepress_buffer {
	void *data;			/* PAGEPRESS_SEGMENT_BYTES */
	struct bio bio;
	struct bio_vec vectors[PAGEPRESS_SEGMENT_BYTES / PAGE_SIZE];
};

/* A slot whose bytes are in the batch's buffer. */
struct pagepress_copied {
	unsigned long slot;
	unsigned int length;		/* bytes */
};

/* One write of many pages after the other, by one task at a time. */
struct pagepress_batch {
	u8 copier;			/* the flag of slots that it copies, no other batch's */
	struct pagepress_buffer buffer;
	struct pagepress_copied *copied;	/* PAGEPRESS_BATCH_STREAMS */
	struct pagepress_candidate *candidates;	/* the oldest, oldest first */
	unsigned int capacity, count, next;
	unsigned int moved;		/* pages of the last write that rest on the device now */
};

/* Has the pages written longest ago leave when memory comes near mem_limit; see cleaner.c. */
struct pagepress_cleaner {
	struct workqueue_struct *workqueue;
	struct work_struct work;
	struct pagepress_batch batch;	/* the work's */
	wait_queue_head_t room;		/* writers, woken by each batch and each end */
	unsigned long turns;		/* such ends; wraps */
	unsigned long late;		/* turns when a writer whose patience ended began to wait */
	unsigned long resting;		/* jiffies when it could not get on */
	bool asked;			/* by a page that found no room, until the next turn */
	bool stopped;			/* the disk has no size, or is about to lose it */
};

/* A stream that the collector takes somewhere else. */
struct pagepress_move {
	unsigned long slot;
	struct pagepress_content from;	/* first only its address */
};

/* Empties segments that hold little, when others find no space; see collector.c. */
struct pagepress_collector {
	struct workqueue_struct *workqueue;
	struct work_struct work;
	struct pagepress_buffer read, write;
	struct pagepress_victims victims;	/* the segments that it empties, by number */
	struct pagepress_move *moves;	/* their streams, as they lie there */
	unsigned int capacity, count;	/* of moves */
	unsigned int packed, written;	/* moves whose streams are, or were, in write */
	unsigned int begun, done;	/* victims */
	unsigned int emptied;		/* of this turn */
	unsigned int ends[PAGEPRESS_VICTIMS];	/* of the moves of one */
	struct pagepress_extent extent;	/* where write goes; 0 bytes: none yet */
	u32 used;			/* bytes of it */
	wait_queue_head_t room;		/* whoever found no space, woken by each turn */
	atomic_long_t turns;		/* times that there may be space; wraps */
	u64 in_vain;			/* bytes released when it gained nothing, or U64_MAX */
	u64 in_vain_ended;		/* extents ended then */
	unsigned long resting;		/* jiffies when the device failed it */
	unsigned long stuck;		/* jiffies when a segment could not be read */
	bool stopped;			/* as of the cleaner */
};

/* A stretch of the device as it was read, for pages that are wanted later; see window.c. */
struct pagepress_window {
	void *data;			/* PAGEPRESS_WINDOW_BYTES */
	u64 address;
	u32 bytes;			/* 0: none */
	u32 generation;			/* of its segment */
	unsigned long turn;		/* in which somebody wanted of it last */
	struct pagepress_page_io *leader;	/* that reads it now, or NULL */
};

/* All the work's alone. */
struct pagepress_windows {
	struct pagepress_window windows[PAGEPRESS_WINDOWS];
	unsigned int count;		/* of those: none unless the device has an arm */
	unsigned long turn;		/* of starting reads; wraps */
	u64 answered;			/* ktime_get_ns() of the last access */
	struct pagepress_read_around policy;
};

struct pagepress_backing {
	struct pagepress_disk *disk;
	const struct pagepress_backing_operations *operations;
	struct pagepress_claim claim;
	struct block_device *bdev;
	char *path;			/* as it was named */
	unsigned int block;		/* sectors in a logical block */
	struct pagepress_log log;	/* its space */

	struct workqueue_struct *workqueue;	/* everything that goes to the device, and back */
	struct work_struct work;
	spinlock_t page_io_lock;	/* these lists; taken in interrupts too */
	struct list_head starting;
	struct list_head completed;
	struct list_head waiting;	/* for the collector */
	mempool_t *page_ios;
	u64 failed;			/* jiffies: the last write that did; 0: none has */
	u64 read_ns;			/* of a page, lately; 0: none yet */
	struct pagepress_windows windows;

	/* Of cold pages, found and not written yet; under disk->writeback->lock. NULL: none. */
	struct pagepress_batch *cold;
	struct pagepress_cleaner cleaner;
	struct pagepress_collector collector;
};

/* device.c */
struct pagepress_backing *
pagepress_backing_open(struct pagepress_disk *disk, const char *path,
		       const struct pagepress_backing_operations *operations);
void pagepress_backing_close(struct pagepress_backing *backing);
int pagepress_backing_prepare(struct pagepress_backing *backing, unsigned long slot_count);
void pagepress_backing_start(struct pagepress_backing *backing);
void pagepress_backing_stop(struct pagepress_backing *backing);
extern const struct pagepress_store_operations pagepress_backed_operations; /* of a backing */
bool pagepress_backing_has_space(struct pagepress_backing *backing);
bool pagepress_backing_refuses(struct pagepress_backing *backing);
u64 pagepress_backing_budget(struct pagepress_backing *backing);
bool pagepress_backing_spend(struct pagepress_backing *backing, unsigned int sectors);

/* page_io.c: one page to or from the device */
int pagepress_page_io_create(struct pagepress_backing *backing);
void pagepress_page_io_destroy(struct pagepress_backing *backing);
struct pagepress_page_io *pagepress_page_io_get(struct pagepress_backing *backing, bool wait);
void pagepress_page_io_put(struct pagepress_page_io *page_io);
void pagepress_page_io_forward(struct pagepress_page_io *page_io,
			       const struct pagepress_transfer *transfer, const void *data,
			       unsigned int length, u32 crc,
			       const struct pagepress_transfer *writer,
			       enum pagepress_statistic counter);

void pagepress_page_io_resume(struct pagepress_backing *backing);

/* read.c: pages from the device */
void pagepress_page_io_read(const struct pagepress_transfer *transfer);

/* window.c: what lies around them */
void pagepress_windows_create(struct pagepress_backing *backing);
void pagepress_windows_destroy(struct pagepress_backing *backing);
void pagepress_windows_forget(struct pagepress_backing *backing);
struct pagepress_window *pagepress_window_find(struct pagepress_backing *backing,
					       const struct pagepress_content *place);
struct pagepress_window *pagepress_window_open(struct pagepress_backing *backing,
					       const struct pagepress_content *place,
					       struct pagepress_page_io *leader);
void pagepress_window_filled(struct pagepress_window *window, bool answered);
void pagepress_window_forget(struct pagepress_window *window);

/* buffer.c: many pages at once */
int pagepress_buffer_create(struct pagepress_buffer *buffer);
void pagepress_buffer_destroy(struct pagepress_buffer *buffer);
int pagepress_buffer_write(struct pagepress_backing *backing, struct pagepress_buffer *buffer,
			   const struct pagepress_extent *extent, u32 used);
int pagepress_buffer_read(struct pagepress_backing *backing, struct pagepress_buffer *buffer,
			  u64 address);

/* batch.c: many pages in one write */
int pagepress_batch_create(struct pagepress_batch *batch, u8 copier, unsigned int capacity);
void pagepress_batch_destroy(struct pagepress_batch *batch);
struct pagepress_batch *pagepress_batch_allocate(u8 copier, unsigned int capacity);
void pagepress_batch_free(struct pagepress_batch *batch);
void pagepress_batch_search(struct pagepress_backing *backing, struct pagepress_batch *batch,
			    const struct pagepress_selection *selection, u32 now);
int pagepress_batch_write(struct pagepress_backing *backing, struct pagepress_batch *batch,
			  const struct pagepress_selection *selection, unsigned int most);

/* cleaner.c */
int pagepress_cleaner_create(struct pagepress_backing *backing);
void pagepress_cleaner_destroy(struct pagepress_backing *backing);
void pagepress_cleaner_start(struct pagepress_backing *backing);
void pagepress_cleaner_stop(struct pagepress_backing *backing);
void pagepress_cleaner_kick(struct pagepress_backing *backing);
void pagepress_cleaner_wait(struct pagepress_backing *backing);
void pagepress_cleaner_make_room(struct pagepress_backing *backing);
bool pagepress_cleaner_is_able(struct pagepress_backing *backing);

/* collector.c */
int pagepress_collector_create(struct pagepress_backing *backing);
void pagepress_collector_destroy(struct pagepress_backing *backing);
void pagepress_collector_start(struct pagepress_backing *backing);
void pagepress_collector_stop(struct pagepress_backing *backing);
bool pagepress_collector_has_nothing(struct pagepress_backing *backing);
bool pagepress_collector_kick(struct pagepress_backing *backing);
int pagepress_collector_wait(struct pagepress_backing *backing);
void pagepress_collector_extent_ended(struct pagepress_backing *backing,
				      const struct pagepress_extent *extent);

/* writeback.c */
void pagepress_writeback_init(struct pagepress_disk *disk);
void pagepress_writeback_kick(struct pagepress_disk *disk);
int pagepress_writeback(struct pagepress_disk *disk, const struct pagepress_selection *selection);

#endif
