/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where pages come from that nobody has written since it was attached: a slow device with a page
 * image that counts (origin_dev), and before it one that may be stale, wrong or missing
 * (lookaside_dev). Both are only read. uapi/page_image.h tells how an image is laid out.
 */
#ifndef PAGEPRESS_ORIGIN_H
#define PAGEPRESS_ORIGIN_H

#include <linux/bio.h>
#include <linux/build_bug.h>
#include <linux/list.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "page/compat.h"
#include "page/transfer.h"
#include "uapi/page_image.h"

struct completion;
struct crypto_shash;
struct pagepress_origin;
struct pagepress_origin_read;
struct pagepress_source;

#define PAGEPRESS_FETCHES		32	/* of one device at a time */
#define PAGEPRESS_MOST_LOOKASIDE_FAULTS	16	/* then it is given up */
#define PAGEPRESS_LONGEST_TIMEOUT_MS	3600000	/* of a device, an hour */

/* Of a size that a header names which nobody has proven: no process is killed for it. */
#define PAGEPRESS_IMAGE_MEMORY	(GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/*
 * One read of a device, into memory of its own. A device may never answer, and nobody can take a
 * bio back: so whoever waits for a fetch waits until its deadline, and lets it go. It stays the
 * device's until that answers, and its memory is nobody else's. All under origin->lock.
 */
struct pagepress_fetch {
	struct list_head link;		/* of its source: idle or starting; of origin: completed */
	struct pagepress_source *source;
	struct pagepress_origin_read *read;	/* who waits for it: a page, */
	struct completion *done;		/* or a task that attaches; both NULL: nobody */
	unsigned long deadline;		/* jiffies; while somebody waits */
	u64 offset;			/* on the device, bytes */
	unsigned int length;		/* bytes */
	struct bio bio;
	struct bio_vec vector;
	void *buffer;			/* what is wanted, and whole blocks around it */
};

/* A device that holds an image. */
struct pagepress_source {
	struct pagepress_origin *origin;
	const char *role;		/* as its file in sysfs is called */
	struct pagepress_claim claim;
	char *path;			/* as it was named */
	unsigned int block;		/* bytes in a logical block */
	u64 bytes;			/* of the device */
	enum pagepress_statistic sectors_in;

	/* Of the image, once pagepress_image_read_header() has checked it. */
	u64 index_offset;
	u32 pages, entries;

	/* Gives fetches to the device. Only this may have to wait for it, even for ever. */
	struct workqueue_struct *workqueue;
	struct work_struct work;
	struct list_head idle;		/* under origin->lock, as all below */
	struct list_head starting;
	unsigned int busy;		/* fetches that are not idle */
	struct pagepress_fetch *fetches;	/* PAGEPRESS_FETCHES */
};

/* Where the lookaside image has the stream of an entry of the origin's. */
struct pagepress_place {
	u32 sector;	/* of PAGEPRESS_IMAGE_SECTOR bytes */
	u32 length;	/* as in an entry; 0: the image does not have it */
};

/* There as long as its disk is; empty until a device is attached. */
struct pagepress_origin {
	struct pagepress_disk *disk;
	struct mutex attach_lock;	/* attaching and detaching */
	u64 timeout_ms, lookaside_timeout_ms;	/* settings: they outlive what is attached */
	u8 root[PAGEPRESS_IMAGE_HASH];
	bool root_known;

	/* Of origin_dev; these change only while nobody has the disk open. */
	unsigned long pages;		/* that come from it; 0: none is attached */
	struct pagepress_source *source;	/* without pages: refused, and not yet let go */
	struct pagepress_image_entry *entries;	/* as in the image */
	__le32 *map;				/* the same */
	unsigned long *freed;		/* a bit a page: discarded since, so it reads as zeros */
	struct crypto_shash *sha256;
	mempool_t *reads;

	spinlock_t lock;		/* all below; taken in interrupts too */
	struct pagepress_source *lookaside;	/* NULL: none */
	struct pagepress_place *places;	/* one an entry */
	bool lookaside_used;		/* false: none, given up, or about to go */
	unsigned int lookaside_faults;
	unsigned long lookaside_contents;	/* entries that it says it has */
	struct list_head fresh;		/* reads that nothing has been done for */
	struct list_head waiting;	/* reads for which the origin had no idle fetch */
	struct list_head completed;	/* fetches */

	/* Routes reads, judges fetches, ends what is late: waits for no device. */
	struct workqueue_struct *workqueue;
	struct delayed_work work;
	wait_queue_head_t idle;		/* a fetch has become idle */
};

/* device.c: a device, its fetches */
struct pagepress_source *pagepress_source_open(struct pagepress_origin *origin, const char *path,
					       const char *role,
					       enum pagepress_statistic sectors_in);
bool pagepress_source_is_idle(struct pagepress_source *source);
int pagepress_source_wait_idle(struct pagepress_source *source, u64 timeout_ms);
void pagepress_source_close(struct pagepress_source *source);
struct pagepress_fetch *pagepress_fetch_take(struct pagepress_source *source);
void pagepress_fetch_start(struct pagepress_fetch *fetch, u64 offset, unsigned int length,
			   u64 timeout_ms);
void pagepress_fetch_put(struct pagepress_fetch *fetch);
const void *pagepress_fetch_data(const struct pagepress_fetch *fetch);
int pagepress_source_get(struct pagepress_source *source, u64 offset, void *data, size_t bytes,
			 u64 timeout_ms);

/* image.c: header, index and map */
int pagepress_image_read_header(struct pagepress_source *source, u64 timeout_ms,
				struct pagepress_image_header *header);
int pagepress_image_load(struct pagepress_origin *origin,
			 const struct pagepress_image_header *header);
int pagepress_image_match(struct pagepress_origin *origin, struct pagepress_source *lookaside,
			  struct pagepress_place **matched, unsigned long *found);

/* read.c: one page */
int pagepress_origin_start(struct pagepress_origin *origin);
void pagepress_origin_stop(struct pagepress_origin *origin);
bool pagepress_origin_holds(struct pagepress_disk *disk, unsigned long slot);
void pagepress_origin_read(const struct pagepress_transfer *transfer);

/* attach.c: devices come and go */
void pagepress_origin_init(struct pagepress_origin *origin, struct pagepress_disk *disk);
int pagepress_origin_lock(struct pagepress_origin *origin);
int pagepress_origin_attach(struct pagepress_origin *origin, const char *path);
int pagepress_origin_wait_idle(struct pagepress_origin *origin);
int pagepress_origin_detach(struct pagepress_origin *origin);
int pagepress_origin_settle(struct pagepress_origin *origin);
int pagepress_lookaside_attach(struct pagepress_origin *origin, const char *path);
int pagepress_lookaside_detach(struct pagepress_origin *origin);
void pagepress_origin_forget(struct pagepress_disk *disk, unsigned long first, unsigned long end);
bool pagepress_origin_is_hidden(struct pagepress_origin *origin);
void pagepress_origin_renew(struct pagepress_origin *origin);

#endif
