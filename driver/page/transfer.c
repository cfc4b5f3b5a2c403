// SPDX-License-Identifier: GPL-2.0-only
/* A bio in progress, and the bytes of one of its pages, however many segments they lie in. */
#include <linux/bio.h>
#include <linux/crc32c.h>
#include <linux/highmem.h>
#include <linux/wait_bit.h>

#include "page/same_filled.h"
#include "page/transfer.h"

void pagepress_io_get(struct pagepress_io *io)
{
	atomic_inc(&io->remaining);
}

void pagepress_io_put(struct pagepress_io *io)
{
	bool may_queue = io->may_queue;
	int remaining = atomic_dec_return(&io->remaining);

	/* From here on an io that may not queue may be gone, unless it was its last page. */
	if (remaining == 1 && !may_queue)
		wake_up_var(&io->remaining);
	if (!remaining)
		io->end(io);
}

/* Until all pages of an io that may not queue are where they belong, but for the caller's hold. */
void pagepress_io_wait(struct pagepress_io *io)
{
	wait_var_event(&io->remaining, atomic_read(&io->remaining) == 1);
}

/*
 * The whole page that it mostly is, or NULL: of a length that the compiler knows, it is copied in a
 * third of the instructions. To be unmapped.
 */
static void *map_whole(const struct pagepress_transfer *transfer)
{
	struct bio_vec segment = bio_iter_iovec(transfer->io->bio, transfer->iter);

	if (segment.bv_offset || segment.bv_len != PAGE_SIZE)
		return NULL;
	return kmap_local_page(segment.bv_page);
}

/* Copies a page of the bio to page. */
void pagepress_transfer_load(const struct pagepress_transfer *transfer, void *page)
{
	struct bio *bio = transfer->io->bio;
	void *whole = map_whole(transfer);
	struct bvec_iter iter;
	struct bio_vec segment;

	if (whole) {
		memcpy(page, whole, PAGE_SIZE);
		kunmap_local(whole);
		return;
	}
	__bio_for_each_segment(segment, bio, iter, transfer->iter) {
		memcpy_from_bvec(page, &segment);
		page += segment.bv_len;
	}
}

/*
 * The CRC32C of a page of the bio, as its owner has it now: as pagepress_checksum() of a page in
 * memory.
 */
u32 pagepress_transfer_checksum(const struct pagepress_transfer *transfer)
{
	struct bio *bio = transfer->io->bio;
	struct bvec_iter iter;
	struct bio_vec segment;
	u32 crc = ~0u;

	__bio_for_each_segment(segment, bio, iter, transfer->iter) {
		void *data = bvec_kmap_local(&segment);

		crc = crc32c(crc, data, segment.bv_len);
		kunmap_local(data);
	}
	return ~crc;
}

/*
 * Whether the page may change while it is written: direct requests; of swap none does, unless
 * somebody has put the disk's queue/stable_writes out.
 */
bool pagepress_transfer_may_change(const struct pagepress_transfer *transfer)
{
	struct bio *bio = transfer->io->bio;

	return !(bio->bi_opf & REQ_SWAP) || !bdev_stable_writes(bio->bi_bdev);
}

/* Copies page to a page of the bio. */
void pagepress_transfer_fill(const struct pagepress_transfer *transfer, const void *page)
{
	struct bio *bio = transfer->io->bio;
	void *whole = map_whole(transfer);
	struct bvec_iter iter;
	struct bio_vec segment;

	if (whole) {
		memcpy(whole, page, PAGE_SIZE);
		flush_dcache_page(bio_iter_iovec(bio, transfer->iter).bv_page);
		kunmap_local(whole);
		return;
	}
	__bio_for_each_segment(segment, bio, iter, transfer->iter) {
		memcpy_to_bvec(&segment, page);
		page += segment.bv_len;
	}
}

/*
 * False also for the rare page that lies in several segments: software.c and the card look at those
 * again.
 */
bool pagepress_transfer_same_filled(const struct pagepress_transfer *transfer, u64 *fill)
{
	void *page = map_whole(transfer);
	bool same;

	if (!page)
		return false;
	same = pagepress_same_filled(page, fill);
	kunmap_local(page);
	return same;
}

void pagepress_transfer_failed(const struct pagepress_transfer *transfer, blk_status_t status)
{
	struct pagepress_io *io = transfer->io;

	pagepress_count(io->disk, op_is_write(bio_op(io->bio)) ? PAGEPRESS_FAILED_WRITES
							       : PAGEPRESS_FAILED_READS);
	/* Of two that fail at once either may be said; not every machine exchanges a byte. */
	if (!READ_ONCE(io->status))
		WRITE_ONCE(io->status, status);
}
