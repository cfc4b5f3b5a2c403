/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The disk, and one page on its way: what the files of this driver share.  Locks, outermost first:
 * writeback->lock, disk->init_lock, codec->lock, a slot's lock, queue->lock. All are taken in
 * process context only, so none disables interrupts. The backing device's own (backing.h) are
 * innermost.
 */
#ifndef PAGEPRESS_H
#define PAGEPRESS_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "pagepress_interface.h"
#include "statistics.h"
#include "store.h"

#define PAGEPRESS_NAME			"pagepress"
#define PAGEPRESS_SECTORS_PER_PAGE	(PAGE_SIZE >> SECTOR_SHIFT)
#define PAGEPRESS_MAX_DISKS		32

/* How pages leave memory for the backing device. Settings outlive the store, as in zram. */
struct pagepress_writeback {
	struct mutex lock;		/* one pass at a time, and its batch; outside init_lock */
	struct delayed_work work;	/* writes back cold pages */
	unsigned int age;		/* seconds without access that make a page cold; 0: never */
	u64 rate;			/* of the work, bytes a second; 0: no limit */
	s64 allowance;			/* of it, bytes not used yet; under lock */
	unsigned long allowed_at;	/* jiffies; under lock */
	bool limit_enable;
	atomic64_t limit;		/* sectors that may still be written, if enabled */
};

/* One block device. It is no child of any card: cards come and go underneath it. */
struct pagepress_disk {
	struct gendisk *gendisk;
	struct rw_semaphore init_lock;	/* size and store, for sysfs; for bios openers keep them */
	bool claimed;			/* being reset or resized: nobody may open it */
	u64 size;			/* bytes; 0: no store */
	u64 mem_limit;			/* bytes; 0: none. Outlives the store, as in zram */
	struct pagepress_store store;
	struct pagepress_backing *backing;	/* NULL: none; changes while size is 0 only */
	struct pagepress_writeback writeback;
	atomic64_t statistics[PAGEPRESS_STATISTIC_COUNT];
};

static inline void pagepress_count(struct pagepress_disk *disk, enum pagepress_statistic statistic)
{
	atomic64_inc(&disk->statistics[statistic]);
}

/* One bio in progress: ends when its last page has. */
struct pagepress_io {
	struct pagepress_disk *disk;
	struct bio *bio;
	unsigned long start;		/* jiffies, for the disk's accounting */
	atomic_t remaining;		/* pages under way, and one while submit_bio walks */
	blk_status_t status;		/* of the first page that failed */
	bool may_queue;			/* outlives submit_bio: cards may finish pages later */
	struct list_head held;		/* a write: in a task's batch, see batch.c */
	bool waited_for;		/* one page outside any batch: a task waits for it */
};

/* One page of a bio, and the slot of the disk it goes to or comes from. */
struct pagepress_transfer {
	struct pagepress_io *io;
	struct bvec_iter iter;		/* the page's bytes in io->bio; bi_size is PAGE_SIZE */
	unsigned long slot;
};

/* main.c: module parameters */
extern unsigned int pagepress_timeout_ms;
extern unsigned int pagepress_depth;
extern unsigned int pagepress_poll_us;
extern unsigned int pagepress_full_wait_us;
extern unsigned int pagepress_rejoin_ms;
extern unsigned int pagepress_rejoin_limit;
extern unsigned int pagepress_moderation_count;
extern unsigned int pagepress_moderation_cycles;
extern bool pagepress_card_allowed;

enum pagepress_read_path { PAGEPRESS_READ_CARD, PAGEPRESS_READ_CPU, PAGEPRESS_READ_AUTO };
extern unsigned int pagepress_read_path;

enum pagepress_verification {
	PAGEPRESS_VERIFY_ALL,
	PAGEPRESS_VERIFY_SAMPLED,
	PAGEPRESS_VERIFY_NONE,
};
extern unsigned int pagepress_verify_streams;

/* disk.c */
static inline struct pagepress_disk *pagepress_disk_of(struct device *device)
{
	return dev_to_disk(device)->private_data;
}

struct pagepress_disk *pagepress_disk_create(int major, int index, u64 size);
void pagepress_disk_destroy(struct pagepress_disk *disk);
int pagepress_disk_remove(struct pagepress_disk *disk);
int pagepress_disk_resize(struct pagepress_disk *disk, u64 size);
int pagepress_disk_set_backing(struct pagepress_disk *disk, const char *path);
int pagepress_disk_reset(struct pagepress_disk *disk);

/* disks.c */
int pagepress_disks_init(unsigned int count, u64 size);
void pagepress_disks_exit(void);

/* bio.c */
int pagepress_io_init(void);
void pagepress_io_exit(void);
void pagepress_submit_bio(struct bio *bio);
void pagepress_swap_slot_free_notify(struct block_device *bdev, unsigned long slot);

/* transfer.c */
void pagepress_io_get(struct pagepress_io *io);
void pagepress_io_put(struct pagepress_io *io);
void pagepress_transfer_load(const struct pagepress_transfer *transfer, void *page);
void pagepress_transfer_fill(const struct pagepress_transfer *transfer, const void *page);
bool pagepress_transfer_same_filled(const struct pagepress_transfer *transfer, u64 *fill);
void pagepress_transfer_failed(const struct pagepress_transfer *transfer, blk_status_t status);

/* same_filled.c */
bool pagepress_same_filled(const void *page, u64 *fill);
void pagepress_fill_page(void *page, u64 fill);

/* keep.c */
struct pagepress_trip;
blk_status_t pagepress_keep(const struct pagepress_transfer *transfer, const void *data,
			    unsigned int length, u32 crc, const struct pagepress_transfer *writer,
			    enum pagepress_statistic counter, struct pagepress_trip **trip);
void pagepress_write_failed(const struct pagepress_transfer *transfer,
			    const struct pagepress_transfer *writer, blk_status_t status);

/* software.c */
void pagepress_software_write(const struct pagepress_transfer *transfer,
			      const struct pagepress_transfer *writer);
void pagepress_software_read(const struct pagepress_transfer *transfer);
bool pagepress_software_read_memory(const struct pagepress_transfer *transfer);
bool pagepress_software_open(const struct pagepress_transfer *transfer, const void *data,
			     unsigned int length, u32 crc);

/* offload.c */
bool pagepress_offload_write(const struct pagepress_transfer *transfer);
bool pagepress_offload_read(const struct pagepress_transfer *transfer);

/* read_policy.c */
bool pagepress_read_policy_card(const struct pagepress_io *io);
void pagepress_read_policy_measured(struct pagepress_disk *disk, bool card, u64 nanoseconds);
u64 pagepress_read_policy_average(bool card);

/* debugfs.c */
void pagepress_debugfs_init(void);
void pagepress_debugfs_exit(void);

/* sysfs.c */
extern const struct attribute_group *pagepress_disk_groups[];

#endif
