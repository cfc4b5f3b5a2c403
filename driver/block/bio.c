// SPDX-License-Identifier: GPL-2.0-only
/* The block layer's side: bios in, pages to the card or to software, bios ended. */
#include <linux/bio.h>
#include <linux/mempool.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>

#include "block/block.h"
#include "observe/trace.h"
#include "origin/origin.h"
#include "path/path.h"

#define RESERVED_IOS 64

static struct kmem_cache *io_cache;
static mempool_t *io_pool;

int pagepress_io_init(void)
{
	io_cache = KMEM_CACHE(pagepress_io, 0);
	if (!io_cache)
		return -ENOMEM;
	io_pool = mempool_create_slab_pool(RESERVED_IOS, io_cache);
	if (!io_pool) {
		kmem_cache_destroy(io_cache);
		return -ENOMEM;
	}
	return 0;
}

void pagepress_io_exit(void)
{
	mempool_destroy(io_pool);
	kmem_cache_destroy(io_cache);
}

static void end_io(struct pagepress_io *io)
{
	struct bio *bio = io->bio;

	trace_pagepress_io_end(io);
	/* A bio that stands for others, too (bio_chain), may have the error of one already. */
	if (io->status)
		bio->bi_status = io->status;
	bio_end_io_acct(bio, io->start);
	if (io->may_queue)
		mempool_free(io, io_pool);
	bio_endio(bio);
}

static void write_page(const struct pagepress_transfer *transfer)
{
	struct pagepress_disk *disk = transfer->io->disk;
	u64 fill;

	trace_pagepress_page_begin(transfer, true);
	pagepress_count(disk, PAGEPRESS_NUM_WRITES);
	if (pagepress_store_prepare(disk->store, transfer->slot)) {
		pagepress_transfer_failed(transfer, BLK_STS_RESOURCE);
		pr_warn_ratelimited("%s: slot %lu not written: no memory for the slot table\n",
				    disk->gendisk->disk_name, transfer->slot);
		return;
	}
	if (pagepress_transfer_same_filled(transfer, &fill)) {
		pagepress_store_put_same(disk->store, transfer->slot, fill, NULL);
		pagepress_count(disk, PAGEPRESS_DIRECT_PAGES_OUT);
	} else {
		pagepress_placement_wait(disk);
		if (!pagepress_offload_write(transfer))
			pagepress_software_write(transfer, NULL);
	}
	pagepress_store_prepared(disk->store, transfer->slot);
}

static void read_page(const struct pagepress_transfer *transfer)
{
	trace_pagepress_page_begin(transfer, false);
	pagepress_count(transfer->io->disk, PAGEPRESS_NUM_READS);
	if (pagepress_offload_read(transfer) || pagepress_software_read(transfer))
		return;
	/* The slot was empty when it was looked at: a write in flight until then has failed. */
	if (pagepress_origin_holds(transfer->io->disk, transfer->slot))
		pagepress_origin_read(transfer);
	else
		pagepress_software_read_empty(transfer);
}

static void transfer_pages(struct pagepress_io *io)
{
	struct bio *bio = io->bio;
	bool write = op_is_write(bio_op(bio));
	struct pagepress_transfer transfer = {
		.io = io,
		.iter = bio->bi_iter,
		.slot = bio->bi_iter.bi_sector / PAGEPRESS_SECTORS_PER_PAGE,
	};
	unsigned int size = bio->bi_iter.bi_size;

	for (; size; size -= PAGE_SIZE) {
		struct bvec_iter next = transfer.iter;

		transfer.iter.bi_size = PAGE_SIZE;
		if (write)
			write_page(&transfer);
		else
			read_page(&transfer);

		next.bi_size = size;
		if (size > PAGE_SIZE)
			bio_advance_iter(bio, &next, PAGE_SIZE);
		transfer.iter = next;
		transfer.slot++;
		cond_resched();
	}
}

/*
 * Whether the task gathers more bios. From 6.9 on submit_bio() itself starts a plug around each, if
 * there is none: deeper in the stack than its list of bios, where no caller's plug can be.
 */
static bool gathers(void)
{
	void *plug = current->plug;

	return plug && !(object_is_on_stack(plug) && plug < (void *)current->bio_list);
}

static void start_io(struct pagepress_disk *disk, struct bio *bio)
{
	struct pagepress_io on_stack;
	struct pagepress_io *io;
	struct blk_plug plug;

	/*
	 * Never sleep for memory here: without it, every page is done by this CPU, or has come
	 * from the backing device, before submit_bio returns.
	 */
	io = mempool_alloc(io_pool, GFP_NOWAIT | __GFP_NOWARN);
	if (io)
		io->may_queue = true;
	else
		io = memset(&on_stack, 0, sizeof(on_stack));

	io->end = end_io;
	io->disk = disk;
	io->bio = bio;
	io->status = BLK_STS_OK;
	INIT_LIST_HEAD(&io->held);
	io->waited_for = bio->bi_iter.bi_size == PAGE_SIZE && !gathers();
	atomic_set(&io->remaining, 1);
	io->start = bio_start_io_acct(bio);
	/* Nothing, if the task gathers bios; else the pages of this one are a batch. */
	if (!io->waited_for)
		blk_start_plug(&plug);
	transfer_pages(io);
	if (!io->waited_for)
		blk_finish_plug(&plug);
	if (!io->may_queue)
		pagepress_io_wait(io);
	pagepress_io_put(io);
}

static void discard(struct pagepress_disk *disk, struct bio *bio)
{
	unsigned long slot = bio->bi_iter.bi_sector / PAGEPRESS_SECTORS_PER_PAGE;
	unsigned long end = slot + bio->bi_iter.bi_size / PAGE_SIZE;

	/* First: an empty slot must not be read from the origin again. */
	pagepress_origin_forget(disk, slot, end);
	pagepress_store_discard(disk->store, slot, end);
	bio_endio(bio);
}

static void refuse(struct pagepress_disk *disk, struct bio *bio, blk_status_t status)
{
	pagepress_count(disk, PAGEPRESS_INVALID_IO);
	bio->bi_status = status;
	bio_endio(bio);
}

/*
 * Swap's writes are reclaim's, also when a thread brings them that the kernel does not take for
 * reclaim, as dm-crypt's: the memory that they would wait for comes of their writes alone.
 */
static void start_reclaims_io(struct pagepress_disk *disk, struct bio *bio)
{
	unsigned int noreclaim = memalloc_noreclaim_save();

	start_io(disk, bio);
	memalloc_noreclaim_restore(noreclaim);
}

void pagepress_submit_bio(struct bio *bio)
{
	struct pagepress_disk *disk = bio->bi_bdev->bd_disk->private_data;
	u64 size = READ_ONCE(disk->size);

	smp_rmb(); /* pairs with set_size() */
	if (bio->bi_iter.bi_sector % PAGEPRESS_SECTORS_PER_PAGE ||
	    bio->bi_iter.bi_size % PAGE_SIZE || bio_end_sector(bio) > size >> SECTOR_SHIFT) {
		refuse(disk, bio, BLK_STS_IOERR);
		return;
	}
	switch (bio_op(bio)) {
	case REQ_OP_READ:
		start_io(disk, bio);
		break;
	case REQ_OP_WRITE:
		if (bio->bi_opf & REQ_SWAP)
			start_reclaims_io(disk, bio);
		else
			start_io(disk, bio);
		break;
	case REQ_OP_DISCARD:
	case REQ_OP_WRITE_ZEROES:
		/* A freed slot reads as zeros: one deed for both. */
		discard(disk, bio);
		break;
	default:
		refuse(disk, bio, BLK_STS_NOTSUPP);
	}
}

/* Runs under swap's spinlocks: it may neither sleep nor wait for a slot's lock. */
void pagepress_swap_slot_free_notify(struct block_device *bdev, unsigned long slot)
{
	struct pagepress_disk *disk = bdev->bd_disk->private_data;

	pagepress_count(disk, PAGEPRESS_NOTIFY_FREE);
	pagepress_origin_forget(disk, slot, slot + 1);
	pagepress_store_try_free(disk->store, slot,
				 &disk->statistics[PAGEPRESS_NOTIFY_FREE_MISSES]);
}
