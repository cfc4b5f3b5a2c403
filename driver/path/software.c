// SPDX-License-Identifier: GPL-2.0-only
/* One page by this CPU: when there is no card, when none has room, and when one has failed. */
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "observe/trace.h"
#include "page/same_filled.h"
#include "path/latency.h"
#include "path/path.h"
#include "store/codec.h"

static void record_write(const struct pagepress_transfer *transfer, unsigned int length, u64 begun)
{
	u64 nanoseconds = ktime_get_ns() - begun;

	trace_pagepress_page_software(transfer, true, length, nanoseconds);
	pagepress_latency_add(PAGEPRESS_CPU_WRITE, nanoseconds);
}

/* As pagepress_keep(). */
static blk_status_t write_page(const struct pagepress_transfer *transfer,
			       const struct pagepress_transfer *writer,
			       struct pagepress_supply *supply)
{
	struct pagepress_disk *disk = transfer->io->disk;
	struct pagepress_codec *codec = pagepress_codec_get();
	const void *data;
	u64 begun = ktime_get_ns();
	blk_status_t status;
	size_t length;
	u32 crc;
	u64 fill;

	/*
	 * A snapshot first: checksum and stream must be of the same bytes, even if the owner
	 * scribbles.
	 */
	pagepress_transfer_load(transfer, codec->plain);
	if (pagepress_same_filled(codec->plain, &fill)) {
		pagepress_store_put_same(disk->store, transfer->slot, fill, writer);
		pagepress_codec_put(codec);
		pagepress_count(disk, PAGEPRESS_DIRECT_PAGES_OUT);
		return BLK_STS_OK;
	}

	crc = pagepress_checksum(codec->plain);
	length = pagepress_codec_compress(codec);
	data = codec->stream;
	if (length > disk->store->stream_limit) {
		length = PAGE_SIZE;
		data = codec->plain;
	}
	status = pagepress_keep(transfer, data, length, crc, writer, PAGEPRESS_SOFTWARE_PAGES_OUT,
				supply);
	pagepress_codec_put(codec);
	if (status == BLK_STS_OK)
		record_write(transfer, length, begun);
	return status;
}

/*
 * Stores a page. writer is the card's request this is done in place of, or NULL; if something newer
 * has taken the slot since that request began, the page is dropped, which is as if it had been
 * written first. Waits, with no codec held, for memory, and for the backing device when that alone
 * can take the page and is busy.
 */
void pagepress_software_write(const struct pagepress_transfer *transfer,
			      const struct pagepress_transfer *writer)
{
	struct pagepress_disk *disk = transfer->io->disk;
	/* To reclaim itself the kernel gives of its reserves, and nothing by waiting. */
	struct pagepress_supply supply = { .no_more_memory = current->flags & PF_MEMALLOC };
	blk_status_t status;

	while ((status = write_page(transfer, writer, &supply)) == BLK_STS_AGAIN)
		pagepress_supply_wait(disk, &supply);
	pagepress_supply_end(disk, &supply);
	if (status != BLK_STS_OK)
		pagepress_write_failed(transfer, writer, status);
}

/* The same without waiting: false, and nothing done, when that would be needed. */
bool pagepress_software_try_write(const struct pagepress_transfer *transfer,
				  const struct pagepress_transfer *writer)
{
	struct pagepress_supply supply = { .no_more_memory = current->flags & PF_MEMALLOC };
	blk_status_t status = write_page(transfer, writer, &supply);

	if (status != BLK_STS_OK && status != BLK_STS_AGAIN)
		pagepress_write_failed(transfer, writer, status);
	return status != BLK_STS_AGAIN;
}

/* True when the page in codec->plain is the one that was written. */
static bool restore_content(struct pagepress_codec *codec, const struct pagepress_content *content)
{
	switch (content->kind) {
	case PAGEPRESS_SAME:
		pagepress_fill_page(codec->plain, content->fill);
		return true;
	case PAGEPRESS_STREAM:
		return !pagepress_codec_decompress(codec, content->length, content->cold) &&
		       pagepress_checksum(codec->plain) == content->crc;
	case PAGEPRESS_RAW:
		memcpy(codec->plain, codec->stream, PAGE_SIZE);
		return pagepress_checksum(codec->plain) == content->crc;
	case PAGEPRESS_IN_FLIGHT:
		memcpy(codec->plain, codec->stream, PAGE_SIZE);
		return true;
	case PAGEPRESS_EMPTY:
	case PAGEPRESS_BACKED:
		break;
	}
	return false;
}

static void record_read(const struct pagepress_transfer *transfer, unsigned int length, u64 begun)
{
	u64 nanoseconds = ktime_get_ns() - begun;

	trace_pagepress_page_software(transfer, false, length, nanoseconds);
	pagepress_latency_add(PAGEPRESS_CPU_READ, nanoseconds);
	if (transfer->io->waited_for)
		pagepress_read_policy_measured(transfer->io->disk, false, nanoseconds);
	pagepress_count(transfer->io->disk, PAGEPRESS_SOFTWARE_PAGES_IN);
}

/* Returns what the slot holds. Nothing is done when it is EMPTY or BACKED. */
static enum pagepress_kind read_held(const struct pagepress_transfer *transfer)
{
	u64 begun = ktime_get_ns();
	struct pagepress_disk *disk = transfer->io->disk;
	struct pagepress_codec *codec = pagepress_codec_get();
	struct pagepress_content content;
	bool good;

	pagepress_store_fetch(disk->store, transfer->slot, codec->stream, &content);
	if (content.kind == PAGEPRESS_EMPTY || content.kind == PAGEPRESS_BACKED) {
		pagepress_codec_put(codec);
		return content.kind;
	}
	good = restore_content(codec, &content);
	if (good)
		pagepress_transfer_fill(transfer, codec->plain);
	pagepress_codec_put(codec);

	if (good && content.kind == PAGEPRESS_STREAM) {
		record_read(transfer, content.length, begun);
		return content.kind;
	}
	if (good) {
		pagepress_count(disk, PAGEPRESS_DIRECT_PAGES_IN);
		return content.kind;
	}
	pagepress_transfer_failed(transfer, BLK_STS_IOERR);
	pr_err_ratelimited("%s: slot %lu: what the pool holds (%s, %u bytes) is not the page that was written; read by software, I/O error\n",
			   disk->gendisk->disk_name, transfer->slot,
			   content.kind == PAGEPRESS_RAW ? "raw page" :
			   content.cold ? "cold stream" : "stream", content.length);
	return content.kind;
}

/* A page that nobody has written, or that was discarded: zeros. */
void pagepress_software_read_empty(const struct pagepress_transfer *transfer)
{
	pagepress_transfer_fill(transfer, page_address(ZERO_PAGE(0)));
	pagepress_count(transfer->io->disk, PAGEPRESS_DIRECT_PAGES_IN);
}

/*
 * Of a slot that has held something: what is empty now was discarded. False, and nothing done, when
 * it rests on the backing device.
 */
bool pagepress_software_read_memory(const struct pagepress_transfer *transfer)
{
	enum pagepress_kind kind = read_held(transfer);

	if (kind == PAGEPRESS_EMPTY)
		pagepress_software_read_empty(transfer);
	return kind != PAGEPRESS_BACKED;
}

/* False, and nothing done, when the slot is empty. */
bool pagepress_software_read(const struct pagepress_transfer *transfer)
{
	enum pagepress_kind kind = read_held(transfer);

	if (kind == PAGEPRESS_BACKED)
		pagepress_page_io_read(transfer);
	return kind != PAGEPRESS_EMPTY;
}

/* What rests at place, as it would be in memory. */
static struct pagepress_content in_memory(const struct pagepress_content *place)
{
	struct pagepress_content content = *place;

	content.kind = place->length == PAGE_SIZE ? PAGEPRESS_RAW : PAGEPRESS_STREAM;
	return content;
}

/* A page has come from the backing device. */
static bool restore(const struct pagepress_transfer *transfer, const void *data,
		    const struct pagepress_content *place)
{
	const struct pagepress_content content = in_memory(place);
	struct pagepress_codec *codec = pagepress_codec_get();
	u64 begun = ktime_get_ns();
	bool good;

	memcpy(codec->stream, data, content.length);
	good = restore_content(codec, &content);
	if (good)
		pagepress_transfer_fill(transfer, codec->plain);
	pagepress_codec_put(codec);

	if (good && content.kind == PAGEPRESS_STREAM)
		record_read(transfer, content.length, begun);
	else if (good)
		pagepress_count(transfer->io->disk, PAGEPRESS_DIRECT_PAGES_IN);
	return good;
}

/* The same without a taker. */
static bool intact(const void *data, const struct pagepress_content *place)
{
	const struct pagepress_content content = in_memory(place);
	struct pagepress_codec *codec = pagepress_codec_get();
	bool good;

	memcpy(codec->stream, data, content.length);
	good = restore_content(codec, &content);
	pagepress_codec_put(codec);
	return good;
}

const struct pagepress_backing_operations pagepress_software_operations = {
	.read_memory = pagepress_software_read_memory,
	.restore = restore,
	.intact = intact,
	.write_failed = pagepress_write_failed,
};
