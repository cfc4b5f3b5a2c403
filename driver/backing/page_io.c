// SPDX-License-Identifier: GPL-2.0-only
/*
 * One page on its way to the backing device or back. Page I/Os come from a reserve, and only the
 * work below gives bios to the device. So whoever waits for one, even inside submit_bio, waits for
 * pages that go on without him. The work itself waits for no page I/O and for no reclaim.
 */
#include <linux/ktime.h>
#include <linux/ratelimit.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "backing/page_io.h"

#define RESERVED_PAGE_IOS PAGEPRESS_SPAN_PAGES /* more while there is memory */
#define BUFFER_ORDER get_order(PAGEPRESS_PAGE_IO_BYTES)

static bool is_write(const struct pagepress_page_io *page_io)
{
	return op_is_write(bio_op(page_io->transfer.io->bio));
}

static void *allocate(gfp_t flags, void *data)
{
	struct pagepress_page_io *page_io = kmalloc(sizeof(*page_io), flags);

	if (!page_io)
		return NULL;
	page_io->backing = data;
	page_io->buffer = (void *)__get_free_pages(flags | __GFP_COMP, BUFFER_ORDER);
	if (!page_io->buffer) {
		kfree(page_io);
		return NULL;
	}
	return page_io;
}

static void release(void *element, void *data)
{
	struct pagepress_page_io *page_io = element;

	free_pages((unsigned long)page_io->buffer, BUFFER_ORDER);
	kfree(page_io);
}

/*
 * wait: until there is one; not while a codec is held, as page I/Os need one to end. Else it may
 * be NULL.
 */
struct pagepress_page_io *pagepress_page_io_get(struct pagepress_backing *backing, bool wait)
{
	return mempool_alloc(backing->page_ios, (wait ? GFP_NOIO : GFP_NOWAIT) | __GFP_NOWARN);
}

void pagepress_page_io_put(struct pagepress_page_io *page_io)
{
	mempool_free(page_io, page_io->backing->page_ios);
}

void pagepress_page_io_end(struct pagepress_page_io *page_io)
{
	struct pagepress_io *io = page_io->transfer.io;

	pagepress_page_io_put(page_io);
	pagepress_io_put(io);
}

/* The work is queued under the lock: without it, a page I/O and its device may be gone. */
static void hand_over(struct pagepress_page_io *page_io, struct list_head *list)
{
	struct pagepress_backing *backing = page_io->backing;
	unsigned long flags;

	spin_lock_irqsave(&backing->page_io_lock, flags);
	list_add_tail(&page_io->link, list);
	queue_work(backing->workqueue, &backing->work);
	spin_unlock_irqrestore(&backing->page_io_lock, flags);
}

static void bio_completed(struct bio *bio)
{
	struct pagepress_page_io *page_io = container_of(bio, struct pagepress_page_io, bio);

	page_io->answered = ktime_get_ns();
	hand_over(page_io, &page_io->backing->completed);
}

/* The bio knows the operation and what memory; the page I/O, or span, is the work's again later. */
void pagepress_page_io_submit(struct pagepress_page_io *page_io)
{
	page_io->bio.bi_iter.bi_sector = page_io->extent.address >> SECTOR_SHIFT;
	page_io->bio.bi_end_io = bio_completed;
	submit_bio(&page_io->bio);
}

/* seldom: of reads or writes, so that pages that stay in memory do not silence one that is lost. */
void pagepress_page_io_complain(const struct pagepress_page_io *page_io,
				struct ratelimit_state *seldom, const char *what)
{
	struct pagepress_backing *backing = page_io->backing;

	pagepress_count(backing->disk, PAGEPRESS_BACKING_ERRORS);
	if (__ratelimit(seldom))
		pr_err("%s: slot %lu: %s backing device %s, sector %llu\n",
		       backing->disk->gendisk->disk_name, page_io->transfer.slot, what,
		       backing->path, page_io->place.address >> SECTOR_SHIFT);
}

/* ---- a write ---- */

static DEFINE_RATELIMIT_STATE(failed_writes, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);

/* The device cannot take the page: memory may, though the page was not meant for it. */
static void keep_in_memory(struct pagepress_page_io *page_io, blk_status_t why)
{
	struct pagepress_disk *disk = page_io->backing->disk;
	const struct pagepress_content *place = &page_io->place;
	blk_status_t status;

	status = pagepress_store_put_data(disk->store, page_io->transfer.slot, page_io->buffer,
					  place->length, place->crc, &page_io->transfer, NULL);
	if (status == BLK_STS_OK)
		pagepress_count(disk, page_io->counter);
	else
		page_io->backing->operations->write_failed(&page_io->transfer, &page_io->transfer,
							   why ? why : status);
	pagepress_page_io_end(page_io);
}

/* Until there may be space. False: there is none, and none is on its way. */
static bool wait_for_space(struct pagepress_page_io *page_io)
{
	struct pagepress_backing *backing = page_io->backing;
	bool waits;

	/* Each turn gives back what waits, so nobody is asked for one before that. */
	spin_lock_irq(&backing->page_io_lock);
	list_add_tail(&page_io->link, &backing->waiting);
	spin_unlock_irq(&backing->page_io_lock);
	waits = pagepress_collector_kick(backing);
	if (!waits) {
		spin_lock_irq(&backing->page_io_lock);
		list_del(&page_io->link);
		spin_unlock_irq(&backing->page_io_lock);
	}
	return waits;
}

/* There may be space: whoever waited for it tries again, before those that came later. */
void pagepress_page_io_resume(struct pagepress_backing *backing)
{
	spin_lock_irq(&backing->page_io_lock);
	if (!list_empty(&backing->waiting)) {
		list_splice_init(&backing->waiting, &backing->starting);
		queue_work(backing->workqueue, &backing->work);
	}
	spin_unlock_irq(&backing->page_io_lock);
}

static void start_write(struct pagepress_page_io *page_io)
{
	struct pagepress_backing *backing = page_io->backing;
	struct pagepress_extent *extent = &page_io->extent;
	unsigned int length = page_io->place.length;
	u32 bytes = round_up(length, backing->block << SECTOR_SHIFT);

	if (pagepress_backing_budget(backing) < bytes >> SECTOR_SHIFT) {
		keep_in_memory(page_io, BLK_STS_OK);
		return;
	}
	if (!pagepress_log_take(&backing->log, bytes, bytes, false, extent)) {
		if (!wait_for_space(page_io))
			keep_in_memory(page_io, BLK_STS_OK);
		return;
	}
	if (!pagepress_backing_spend(backing, bytes >> SECTOR_SHIFT)) {
		pagepress_log_trim(&backing->log, extent, 0);
		pagepress_collector_extent_ended(backing, extent);
		keep_in_memory(page_io, BLK_STS_OK);
		return;
	}
	page_io->place.address = extent->address;
	memset(page_io->buffer + length, 0, extent->bytes - length);
	bio_init(&page_io->bio, backing->bdev, page_io->vectors, 1, PAGEPRESS_WRITE_OUT);
	__bio_add_page(&page_io->bio, virt_to_page(page_io->buffer), extent->bytes, 0);
	pagepress_page_io_submit(page_io);
}

static void finish_write(struct pagepress_page_io *page_io)
{
	struct pagepress_backing *backing = page_io->backing;
	struct pagepress_disk *disk = backing->disk;
	const struct pagepress_content *place = &page_io->place;

	if (page_io->bio.bi_status) {
		WRITE_ONCE(backing->failed, get_jiffies_64());
		pagepress_collector_extent_ended(backing, &page_io->extent);
		pagepress_page_io_complain(page_io, &failed_writes,
					   "not forwarded: cannot be written to");
		keep_in_memory(page_io, BLK_STS_IOERR);
		return;
	}
	pagepress_log_add(&backing->log, place->address, place->length);
	if (pagepress_store_put_backed(disk->store, page_io->transfer.slot, place->address,
				       place->length, place->crc, &page_io->transfer)) {
		pagepress_count(disk, PAGEPRESS_FORWARDED_PAGES);
		/* It compresses, and memory is for such pages: older ones should have gone. */
		if (place->length < PAGE_SIZE)
			pagepress_count(disk, PAGEPRESS_INVERTED_PAGES);
	} else {
		pagepress_log_release(&backing->log, place->address, place->length);
	}
	pagepress_collector_extent_ended(backing, &page_io->extent);
	pagepress_count(disk, page_io->counter);
	pagepress_page_io_end(page_io);
}

/*
 * Sends a stream or page to the device; the transfer's io ends later. Until then reads of the slot
 * are served from the transfer's source. If something newer than writer has taken the slot, the
 * page is dropped, as if it had been written first.
 */
void pagepress_page_io_forward(struct pagepress_page_io *page_io,
			       const struct pagepress_transfer *transfer, const void *data,
			       unsigned int length, u32 crc,
			       const struct pagepress_transfer *writer,
			       enum pagepress_statistic counter)
{
	struct pagepress_disk *disk = transfer->io->disk;

	memcpy(page_io->buffer, data, length);
	page_io->transfer = *transfer;
	page_io->place.length = length;
	page_io->place.crc = crc;
	page_io->place.address = 0;
	page_io->counter = counter;
	if (!pagepress_store_expect(disk->store, transfer->slot, &page_io->transfer, writer)) {
		pagepress_count(disk, counter);
		pagepress_page_io_put(page_io);
		return;
	}
	pagepress_io_get(transfer->io);
	hand_over(page_io, &page_io->backing->starting);
}

/* ---- all of them ---- */

static struct pagepress_page_io *take_first(struct list_head *list)
{
	struct pagepress_page_io *first;

	first = list_first_entry_or_null(list, struct pagepress_page_io, link);
	if (first)
		list_del(&first->link);
	return first;
}

static void run(struct work_struct *work)
{
	struct pagepress_backing *backing = container_of(work, struct pagepress_backing, work);
	unsigned int noreclaim = memalloc_noreclaim_save();
	struct pagepress_page_io *page_io;
	LIST_HEAD(starting);
	LIST_HEAD(completed);
	LIST_HEAD(reads);
	struct blk_plug plug;

	spin_lock_irq(&backing->page_io_lock);
	list_splice_init(&backing->starting, &starting);
	list_splice_init(&backing->completed, &completed);
	spin_unlock_irq(&backing->page_io_lock);

	/* Plugged, so that pages that are written side by side become one request. */
	blk_start_plug(&plug);
	while ((page_io = take_first(&starting))) {
		if (is_write(page_io))
			start_write(page_io);
		else if (pagepress_read_place(page_io))
			list_add_tail(&page_io->link, &reads);
	}
	pagepress_read_start(backing, &reads);
	blk_finish_plug(&plug);
	while ((page_io = take_first(&completed))) {
		if (is_write(page_io))
			finish_write(page_io);
		else
			pagepress_read_finish(page_io);
		cond_resched();
	}
	memalloc_noreclaim_restore(noreclaim);
}

/* -ENOMEM without memory for the reserve. */
int pagepress_page_io_create(struct pagepress_backing *backing)
{
	spin_lock_init(&backing->page_io_lock);
	INIT_LIST_HEAD(&backing->starting);
	INIT_LIST_HEAD(&backing->completed);
	INIT_LIST_HEAD(&backing->waiting);
	INIT_WORK(&backing->work, run);
	/* Of its own: recovery, on the common one, may wait for a card for seconds. */
	backing->workqueue = alloc_workqueue("%s-backing", WQ_MEM_RECLAIM | WQ_UNBOUND, 1,
					     backing->disk->gendisk->disk_name);
	if (!backing->workqueue)
		return -ENOMEM;
	backing->page_ios = mempool_create(RESERVED_PAGE_IOS, allocate, release, backing);
	if (!backing->page_ios) {
		destroy_workqueue(backing->workqueue);
		return -ENOMEM;
	}
	return 0;
}

void pagepress_page_io_destroy(struct pagepress_backing *backing)
{
	destroy_workqueue(backing->workqueue);
	mempool_destroy(backing->page_ios);
}
