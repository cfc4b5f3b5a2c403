// SPDX-License-Identifier: GPL-2.0-only
/* Where a pressed page goes: into memory, or past it to the backing device. */
#include "backing.h"
#include "pagepress.h"

/*
 * Keeps a stream, or with PAGE_SIZE the page itself, for the transfer's slot, and counts it. Pages
 * that do not compress, and those that memory cannot take, are forwarded to the backing device if
 * it has room: then the transfer ends later. For that a trip is needed, *trip or a new one that
 * nobody waits for: BLK_STS_AGAIN without. BLK_STS_NOSPC, BLK_STS_RESOURCE: nothing can take it.
 */
blk_status_t pagepress_keep(const struct pagepress_transfer *transfer, const void *data,
			    unsigned int length, u32 crc, const struct pagepress_transfer *writer,
			    enum pagepress_statistic counter, struct pagepress_trip **trip)
{
	struct pagepress_disk *disk = transfer->io->disk;
	struct pagepress_backing *backing = disk->backing;
	bool forward = backing && pagepress_backing_has_room(backing);
	blk_status_t status;

	if (!forward || length < PAGE_SIZE) {
		status = pagepress_store_put_data(&disk->store, transfer->slot, data, length, crc,
						  writer);
		if (status == BLK_STS_OK)
			pagepress_count(disk, counter);
		if (status == BLK_STS_OK || !forward)
			return status;
	}
	if (!*trip)
		*trip = pagepress_trip_get(backing, false);
	if (!*trip)
		return BLK_STS_AGAIN;
	pagepress_trip_forward(*trip, transfer, data, length, crc, writer, counter);
	*trip = NULL;
	return BLK_STS_OK;
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
		pagepress_store_forget(&disk->store, slot, writer);
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
