/* SPDX-License-Identifier: GPL-2.0-only */
/* Who compresses or decompresses a page, a card or this CPU, and how the answer is judged. */
#ifndef PAGEPRESS_PATH_H
#define PAGEPRESS_PATH_H

#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "backing/backing.h"
#include "page/transfer.h"
#include "store/store.h"

struct pagepress_queue;

enum pagepress_read_path { PAGEPRESS_READ_CARD, PAGEPRESS_READ_CPU, PAGEPRESS_READ_AUTO };

/* Module parameters. */
extern unsigned int pagepress_read_path;	/* read_policy.c; enum pagepress_read_path */

/* placement.c */

/*
 * What storing a page may need besides a codec, and what must never be waited for with one held:
 * reclaim and the backing device need codecs to go on.
 */
struct pagepress_supply {
	struct pagepress_object object;	/* memory in the pool */
	struct pagepress_page_io *page_io;	/* a way to the backing device */
	bool no_more_memory;		/* waiting for it is no use, or has been none */
	bool no_more_cleaning;		/* the same of the cleaner */
	unsigned int memory_wanted;	/* with BLK_STS_AGAIN: bytes; 0: a page I/O is wanted */
	bool cleaning_wanted;		/* with BLK_STS_AGAIN: room below mem_limit is wanted */
};

void pagepress_placement_wait(struct pagepress_disk *disk);
blk_status_t pagepress_keep(const struct pagepress_transfer *transfer, const void *data,
			    unsigned int length, u32 crc, const struct pagepress_transfer *writer,
			    enum pagepress_statistic counter, struct pagepress_supply *supply);
void pagepress_supply_wait(struct pagepress_disk *disk, struct pagepress_supply *supply);
void pagepress_supply_end(struct pagepress_disk *disk, struct pagepress_supply *supply);
void pagepress_write_failed(const struct pagepress_transfer *transfer,
			    const struct pagepress_transfer *writer, blk_status_t status);

/* software.c */
void pagepress_software_write(const struct pagepress_transfer *transfer,
			      const struct pagepress_transfer *writer);
bool pagepress_software_try_write(const struct pagepress_transfer *transfer,
				  const struct pagepress_transfer *writer);
bool pagepress_software_read(const struct pagepress_transfer *transfer);
void pagepress_software_read_empty(const struct pagepress_transfer *transfer);
bool pagepress_software_read_memory(const struct pagepress_transfer *transfer);
extern const struct pagepress_backing_operations pagepress_software_operations;

/* offload.c */
bool pagepress_offload_write(const struct pagepress_transfer *transfer);
bool pagepress_offload_read(const struct pagepress_transfer *transfer);

/* recompress.c */

/* Of a disk: pages that come to be cold streams. */
struct pagepress_recompression {
	struct pagepress_disk *disk;
	struct mutex lock;		/* one at a time; outside init_lock */
	u64 age;			/* of pages that do so by themselves, seconds; 0: none */
	struct delayed_work work;	/* of these */
	unsigned long next;		/* slot at which it goes on; under lock */
};

void pagepress_recompression_init(struct pagepress_disk *disk);
void pagepress_recompression_kick(struct pagepress_disk *disk);
int pagepress_recompress(struct pagepress_disk *disk, const struct pagepress_selection *selection,
			 u64 most);

/* plug.c */
void pagepress_batch_add(struct pagepress_queue *queue, struct pagepress_io *io);
void pagepress_plugs_exit(void);

/* read_policy.c */
bool pagepress_read_policy_card(const struct pagepress_io *io);
void pagepress_read_policy_measured(struct pagepress_disk *disk, bool card, u64 nanoseconds);
u64 pagepress_read_policy_average(bool card);

#endif
