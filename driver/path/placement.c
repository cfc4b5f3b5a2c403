// SPDX-License-Identifier: GPL-2.0-only
/* Where a compressed page goes: into memory, or past it to the backing device. */
#include "path/path.h"

/*
 * Before a page is compressed: waits, for a while, until the cleaner has made room below mem_limit.
 * Under no lock that reclaim needs.
 */
void pagepress_placement_wait(struct pagepress_disk *disk)
{
	if (disk->backing)
		pagepress_cleaner_wait(disk->backing);
}

/*
 * Whether memory is a cache for what goes to the device (mem_limit, or a budget): then pages that
 * do not compress take their turn there as well. On the device they lie among those that were
 * written with them, and come back with them by one access; alone at once they would halve what an
 * access brings.
 */
static bool keeps_order(struct pagepress_disk *disk)
{
	return pagepress_store_is_limited(disk->store) && pagepress_cleaner_is_able(disk->backing);
}

/*
 * Keeps a stream, or with PAGE_SIZE the page itself, for the transfer's slot, and counts it. Pages
 * that do not compress, and those that memory cannot take, are forwarded to the backing device if
 * it has space: then the transfer ends later. While it refuses pages, all try memory first, where
 * the writer waits: what the device refuses after all draws on reserves that are not the writer's.
 * Never sleeps, so the caller may hold a codec.
 * BLK_STS_AGAIN: once without it, pagepress_supply_wait() gets what is missing. BLK_STS_NOSPC,
 * BLK_STS_RESOURCE: nothing can take the page.
 */
blk_status_t pagepress_keep(const struct pagepress_transfer *transfer, const void *data,
			    unsigned int length, u32 crc, const struct pagepress_transfer *writer,
			    enum pagepress_statistic counter, struct pagepress_supply *supply)
{
	struct pagepress_disk *disk = transfer->io->disk;
	struct pagepress_backing *backing = disk->backing;
	bool forward = backing && pagepress_backing_has_space(backing);
	blk_status_t status;

	if (!forward || length < PAGE_SIZE || keeps_order(disk) ||
	    pagepress_backing_refuses(backing)) {
		status = pagepress_store_put_data(disk->store, transfer->slot, data, length, crc,
						  writer, &supply->object);
		if (status == BLK_STS_OK)
			pagepress_count(disk, counter);
		if (status == BLK_STS_RESOURCE && !supply->no_more_memory &&
		    !(forward && supply->page_io)) {
			supply->memory_wanted = length;
			return BLK_STS_AGAIN;
		}
		if (status == BLK_STS_OK || !forward)
			return status;
		if (status == BLK_STS_NOSPC && !supply->no_more_cleaning &&
		    pagepress_cleaner_is_able(backing)) {
			supply->cleaning_wanted = true;
			return BLK_STS_AGAIN;
		}
	}
	if (!supply->page_io)
		supply->page_io = pagepress_page_io_get(backing, false);
	if (!supply->page_io) {
		supply->memory_wanted = 0;
		return BLK_STS_AGAIN;
	}
	pagepress_page_io_forward(supply->page_io, transfer, data, length, crc, writer, counter);
	supply->page_io = NULL;
	return BLK_STS_OK;
}

static void give_page_io_back(struct pagepress_supply *supply)
{
	if (supply->page_io)
		pagepress_page_io_put(supply->page_io);
	supply->page_io = NULL;
}

/*
 * After BLK_STS_AGAIN, without a codec. An owner that scribbles may make the page longer each time:
 * what the second wait brings is enough for any. A page I/O is of the reserve that reclaim needs:
 * nothing else is waited for with one.
 */
void pagepress_supply_wait(struct pagepress_disk *disk, struct pagepress_supply *supply)
{
	unsigned int length = supply->object.length ? PAGE_SIZE : supply->memory_wanted;

	cond_resched(); /* where there is nothing to wait for after all, others get on */
	give_page_io_back(supply);
	if (supply->cleaning_wanted) {
		pagepress_cleaner_make_room(disk->backing);
		supply->cleaning_wanted = false;
		supply->no_more_cleaning = true;
		return;
	}
	if (!supply->memory_wanted) {
		supply->page_io = pagepress_page_io_get(disk->backing, true);
		return;
	}
	pagepress_count(disk, PAGEPRESS_MEMORY_WAITS);
	if (!pagepress_store_reserve(disk->store, length, &supply->object))
		supply->no_more_memory = true;
}

/* Gives back what was not needed. */
void pagepress_supply_end(struct pagepress_disk *disk, struct pagepress_supply *supply)
{
	pagepress_store_unreserve(disk->store, &supply->object);
	give_page_io_back(supply);
}

/*
 * Nothing can take a page: the write ends in an error, the slot keeps what it held, swap keeps the
 * page.
 */
void pagepress_write_failed(const struct pagepress_transfer *transfer,
			    const struct pagepress_transfer *writer, blk_status_t status)
{
	struct pagepress_disk *disk = transfer->io->disk;
	const char *name = disk->gendisk->disk_name;
	unsigned long slot = transfer->slot;

	if (writer)
		pagepress_store_forget(disk->store, slot, writer);
	pagepress_transfer_failed(transfer, status);
	/* Each reason has a limit of its own: many pages that fail for one do not hide another. */
	switch (status) {
	case BLK_STS_NOSPC:
		pr_warn_ratelimited("%s: slot %lu not written: mem_limit reached; raise it or free pages\n",
				    name, slot);
		break;
	case BLK_STS_RESOURCE:
		pr_warn_ratelimited("%s: slot %lu not written: no memory for the pool\n", name,
				    slot);
		break;
	default:
		pr_warn_ratelimited("%s: slot %lu not written: the backing device failed, and memory has no room\n",
				    name, slot);
	}
}
