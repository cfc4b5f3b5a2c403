// SPDX-License-Identifier: GPL-2.0-only
/*
 * One page on its way to the backing device or back. Trips come from a reserve, and only the work
 * below gives bios to the device. So whoever waits for a trip, even inside submit_bio, waits for
 * pages that go on without him. The work itself waits for no trip and for no reclaim.
 */
#include <linux/bio.h>
#include <linux/ratelimit.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "backing.h"

#define RESERVED_TRIPS 64

struct pagepress_trip {
	struct list_head link;		/* departing or arrived */
	struct pagepress_backing *backing;
	struct pagepress_transfer transfer;	/* of a write, the slot's writer */
	struct pagepress_content place;	/* where it rests: sector, length, CRC32C */
	u64 sector;			/* whole blocks around it: what is read or written */
	unsigned int sectors;
	enum pagepress_statistic counter;	/* of a write, once it has succeeded */
	struct bio bio;
	struct bio_vec vector;
	void *buffer;			/* 1 << backing->trip_order pages */
};

static bool is_write(const struct pagepress_trip *trip)
{
	return op_is_write(bio_op(trip->transfer.io->bio));
}

static void *allocate(gfp_t flags, void *data)
{
	struct pagepress_backing *backing = data;
	struct pagepress_trip *trip = kmalloc(sizeof(*trip), flags);

	if (!trip)
		return NULL;
	trip->backing = backing;
	trip->buffer = (void *)__get_free_pages(flags | __GFP_COMP, backing->trip_order);
	if (!trip->buffer) {
		kfree(trip);
		return NULL;
	}
	return trip;
}

static void release(void *element, void *data)
{
	struct pagepress_backing *backing = data;
	struct pagepress_trip *trip = element;

	free_pages((unsigned long)trip->buffer, backing->trip_order);
	kfree(trip);
}

/*
 * wait: until there is one; not while a codec is held, as trips need one to end. Else it may be
 * NULL.
 */
struct pagepress_trip *pagepress_trip_get(struct pagepress_backing *backing, bool wait)
{
	return mempool_alloc(backing->trips, (wait ? GFP_NOIO : GFP_NOWAIT) | __GFP_NOWARN);
}

void pagepress_trip_put(struct pagepress_trip *trip)
{
	mempool_free(trip, trip->backing->trips);
}

static void end(struct pagepress_trip *trip)
{
	struct pagepress_io *io = trip->transfer.io;

	pagepress_trip_put(trip);
	pagepress_io_put(io);
}

/* The work is queued under the lock: without it, a trip and its device may be gone. */
static void hand_over(struct pagepress_trip *trip, struct list_head *list)
{
	struct pagepress_backing *backing = trip->backing;
	unsigned long flags;

	spin_lock_irqsave(&backing->trips_lock, flags);
	list_add_tail(&trip->link, list);
	queue_work(backing->workqueue, &backing->work);
	spin_unlock_irqrestore(&backing->trips_lock, flags);
}

static void arrive(struct bio *bio)
{
	struct pagepress_trip *trip = container_of(bio, struct pagepress_trip, bio);

	hand_over(trip, &trip->backing->arrived);
}

static void submit(struct pagepress_trip *trip, blk_opf_t operation)
{
	bio_init(&trip->bio, trip->backing->bdev, &trip->vector, 1, operation);
	trip->bio.bi_iter.bi_sector = trip->sector;
	trip->bio.bi_end_io = arrive;
	__bio_add_page(&trip->bio, virt_to_page(trip->buffer), trip->sectors << SECTOR_SHIFT, 0);
	submit_bio(&trip->bio);
}

/* Apart, so that many pages that stay in memory do not silence one that cannot be read. */
static DEFINE_RATELIMIT_STATE(failed_reads, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);
static DEFINE_RATELIMIT_STATE(failed_writes, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);

static void complain(const struct pagepress_trip *trip, struct ratelimit_state *seldom,
		     const char *what)
{
	struct pagepress_backing *backing = trip->backing;

	pagepress_count(backing->disk, PAGEPRESS_BACKING_ERRORS);
	if (__ratelimit(seldom))
		pr_err("%s: slot %lu: %s backing device %s, sector %llu\n",
		       backing->disk->gendisk->disk_name, trip->transfer.slot, what,
		       backing->path, trip->place.sector);
}

/* ---- a read ---- */

/* The slot may have come back to memory, or moved: what it says now counts. */
static void depart_read(struct pagepress_trip *trip)
{
	struct pagepress_backing *backing = trip->backing;
	struct pagepress_disk *disk = backing->disk;
	u64 last;

	while (!pagepress_store_locate(&disk->store, trip->transfer.slot, &trip->place)) {
		if (pagepress_software_read_memory(&trip->transfer)) {
			end(trip);
			return;
		}
	}
	trip->sector = round_down(trip->place.sector, backing->block);
	last = round_up(trip->place.sector + pagepress_sectors(trip->place.length),
			backing->block);
	trip->sectors = last - trip->sector;
	atomic64_add(trip->sectors, &disk->statistics[PAGEPRESS_BACKING_SECTORS_IN]);
	submit(trip, REQ_OP_READ);
}

/* Whether the slot still rests where the trip has looked: then nobody has written there since. */
static bool still_there(const struct pagepress_trip *trip)
{
	struct pagepress_content now;

	return pagepress_store_locate(&trip->backing->disk->store, trip->transfer.slot, &now) &&
	       now.sector == trip->place.sector && now.length == trip->place.length &&
	       now.crc == trip->place.crc;
}

static void finish_read(struct pagepress_trip *trip)
{
	struct pagepress_disk *disk = trip->backing->disk;
	const struct pagepress_content *place = &trip->place;
	void *data = trip->buffer + ((place->sector - trip->sector) << SECTOR_SHIFT);

	if (!still_there(trip)) {
		depart_read(trip);
		return;
	}
	if (trip->bio.bi_status) {
		complain(trip, &failed_reads, "I/O error: cannot be read from");
		pagepress_transfer_failed(&trip->transfer, BLK_STS_IOERR);
	} else if (!pagepress_software_open(&trip->transfer, data, place->length, place->crc)) {
		complain(trip, &failed_reads,
			 "I/O error: it is not the page that was written that came from");
		pagepress_transfer_failed(&trip->transfer, BLK_STS_IOERR);
	} else {
		pagepress_count(disk, PAGEPRESS_BACKING_PAGES_IN);
	}
	end(trip);
}

/* Reads a page that rests on the backing device; its io ends later. May wait for a trip. */
void pagepress_trip_read(const struct pagepress_transfer *transfer)
{
	struct pagepress_backing *backing = transfer->io->disk->backing;
	struct pagepress_trip *trip = pagepress_trip_get(backing, true);

	pagepress_io_get(transfer->io);
	trip->transfer = *transfer;
	hand_over(trip, &backing->departing);
}

/* ---- a write ---- */

/* The device cannot take the page: memory may, though the page was not meant for it. */
static void keep_in_memory(struct pagepress_trip *trip, blk_status_t why)
{
	struct pagepress_disk *disk = trip->backing->disk;
	const struct pagepress_content *place = &trip->place;
	blk_status_t status;

	status = pagepress_store_put_data(&disk->store, trip->transfer.slot, trip->buffer,
					  place->length, place->crc, &trip->transfer);
	if (status == BLK_STS_OK)
		pagepress_count(disk, trip->counter);
	else
		pagepress_write_failed(&trip->transfer, &trip->transfer, why ? why : status);
	end(trip);
}

static void depart_write(struct pagepress_trip *trip)
{
	struct pagepress_backing *backing = trip->backing;
	unsigned int length = trip->place.length;
	unsigned int sectors = pagepress_sectors(length);

	trip->sectors = 0;
	if (pagepress_backing_budget(backing) >= round_up(sectors, backing->block))
		trip->sectors = pagepress_backing_take(backing, sectors, sectors, &trip->sector);
	if (!trip->sectors) {
		keep_in_memory(trip, BLK_STS_OK);
		return;
	}
	trip->place.sector = trip->sector;
	memset(trip->buffer + length, 0, (trip->sectors << SECTOR_SHIFT) - length);
	pagepress_backing_spend(backing, trip->sectors);
	submit(trip, REQ_OP_WRITE);
}

static void finish_write(struct pagepress_trip *trip)
{
	struct pagepress_backing *backing = trip->backing;
	struct pagepress_disk *disk = backing->disk;
	const struct pagepress_content *place = &trip->place;
	unsigned int needed = pagepress_sectors(place->length);

	if (trip->bio.bi_status) {
		pagepress_backing_release(backing, trip->sector, trip->sectors);
		complain(trip, &failed_writes, "not forwarded: cannot be written to");
		keep_in_memory(trip, BLK_STS_IOERR);
		return;
	}
	pagepress_backing_release(backing, trip->sector + needed, trip->sectors - needed);
	if (!pagepress_store_put_backed(&disk->store, trip->transfer.slot, place->sector,
					place->length, place->crc, &trip->transfer))
		pagepress_backing_release(backing, trip->sector, needed);
	pagepress_count(disk, PAGEPRESS_FORWARDED_PAGES);
	pagepress_count(disk, trip->counter);
	end(trip);
}

/*
 * Sends a stream or page to the device; the transfer's io ends later. Until then reads of the slot
 * are served from the transfer's source. If something newer than writer has taken the slot, the
 * page is dropped, as if it had been written first.
 */
void pagepress_trip_forward(struct pagepress_trip *trip, const struct pagepress_transfer *transfer,
			    const void *data, unsigned int length, u32 crc,
			    const struct pagepress_transfer *writer,
			    enum pagepress_statistic counter)
{
	struct pagepress_disk *disk = transfer->io->disk;

	memcpy(trip->buffer, data, length);
	trip->transfer = *transfer;
	trip->place.length = length;
	trip->place.crc = crc;
	trip->place.sector = 0;
	trip->counter = counter;
	if (!pagepress_store_expect(&disk->store, transfer->slot, &trip->transfer, writer)) {
		pagepress_count(disk, counter);
		pagepress_trip_put(trip);
		return;
	}
	pagepress_io_get(transfer->io);
	hand_over(trip, &trip->backing->departing);
}

/* ---- all of them ---- */

static void travel(struct work_struct *work)
{
	struct pagepress_backing *backing = container_of(work, struct pagepress_backing, work);
	unsigned int noreclaim = memalloc_noreclaim_save();
	struct pagepress_trip *trip, *next;
	LIST_HEAD(departing);
	LIST_HEAD(arrived);
	struct blk_plug plug;

	spin_lock_irq(&backing->trips_lock);
	list_splice_init(&backing->departing, &departing);
	list_splice_init(&backing->arrived, &arrived);
	spin_unlock_irq(&backing->trips_lock);

	/* Plugged, so that pages that lie side by side become one request. */
	blk_start_plug(&plug);
	list_for_each_entry_safe(trip, next, &departing, link) {
		if (is_write(trip))
			depart_write(trip);
		else
			depart_read(trip);
	}
	blk_finish_plug(&plug);
	list_for_each_entry_safe(trip, next, &arrived, link) {
		if (is_write(trip))
			finish_write(trip);
		else
			finish_read(trip);
		cond_resched();
	}
	memalloc_noreclaim_restore(noreclaim);
}

/* -ENOMEM without memory for the reserve. */
int pagepress_trips_create(struct pagepress_backing *backing)
{
	/* A page, and what rounding it to blocks may add at both ends. */
	backing->trip_order = get_order(PAGE_SIZE + (backing->block > 1 ? PAGE_SIZE : 0));
	spin_lock_init(&backing->trips_lock);
	INIT_LIST_HEAD(&backing->departing);
	INIT_LIST_HEAD(&backing->arrived);
	INIT_WORK(&backing->work, travel);
	/* Of its own: recovery, on the common one, may wait for a card for seconds. */
	backing->workqueue = alloc_workqueue("%s-backing", WQ_MEM_RECLAIM | WQ_UNBOUND, 1,
					     backing->disk->gendisk->disk_name);
	if (!backing->workqueue)
		return -ENOMEM;
	backing->trips = mempool_create(RESERVED_TRIPS, allocate, release, backing);
	if (!backing->trips) {
		destroy_workqueue(backing->workqueue);
		return -ENOMEM;
	}
	return 0;
}

void pagepress_trips_destroy(struct pagepress_backing *backing)
{
	destroy_workqueue(backing->workqueue);
	mempool_destroy(backing->trips);
}
