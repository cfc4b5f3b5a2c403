// SPDX-License-Identifier: GPL-2.0-only
/* One page by this CPU: when there is no card, when none has room, and when one has failed. */
#include <linux/ktime.h>

#include "codec.h"
#include "latency.h"
#include "pagepress.h"
#include "trace.h"

/*
 * The pool cannot take a page: the write ends in an error, the slot keeps what it held, swap keeps
 * the page.
 */
void pagepress_write_failed(const struct pagepress_transfer *transfer,
			    struct pagepress_request *writer, blk_status_t status)
{
	struct pagepress_disk *disk = transfer->io->disk;

	if (writer)
		pagepress_store_forget(&disk->store, transfer->slot, writer);
	pagepress_transfer_failed(transfer, status);
	pr_warn_ratelimited("%s: slot %lu not written: %s\n", disk->gendisk->disk_name,
			    transfer->slot,
			    status == BLK_STS_NOSPC ? "mem_limit reached; raise it or free pages"
						    : "no memory for the pool");
}

/*
 * Stores a page. writer is the card's request this is done in place of, or NULL; if something newer
 * has taken the slot since that request began, the page is dropped, which is as if it had been
 * written first.
 */
void pagepress_software_write(const struct pagepress_transfer *transfer,
			      struct pagepress_request *writer)
{
	struct pagepress_disk *disk = transfer->io->disk;
	struct pagepress_codec *codec = pagepress_codec_get();
	const void *data;
	u64 nanoseconds, begun = ktime_get_ns();
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
		pagepress_store_put_same(&disk->store, transfer->slot, fill, writer);
		pagepress_codec_put(codec);
		pagepress_count(disk, PAGEPRESS_DIRECT_PAGES_OUT);
		return;
	}

	crc = pagepress_checksum(codec->plain);
	length = pagepress_codec_compress(codec);
	data = codec->stream;
	if (length > disk->store.stream_limit) {
		length = PAGE_SIZE;
		data = codec->plain;
	}
	status = pagepress_store_put_data(&disk->store, transfer->slot, data, length, crc, writer);
	pagepress_codec_put(codec);

	if (status != BLK_STS_OK) {
		pagepress_write_failed(transfer, writer, status);
		return;
	}
	nanoseconds = ktime_get_ns() - begun;
	trace_pagepress_page_software(transfer, true, length, nanoseconds);
	pagepress_latency_add(PAGEPRESS_CPU_WRITE, nanoseconds);
	pagepress_count(disk, PAGEPRESS_SOFTWARE_PAGES_OUT);
}

/* True when the page in codec->plain is the one that was written. */
static bool open_content(struct pagepress_codec *codec, const struct pagepress_content *content)
{
	switch (content->kind) {
	case PAGEPRESS_EMPTY:
		pagepress_fill_page(codec->plain, 0);
		return true;
	case PAGEPRESS_SAME:
		pagepress_fill_page(codec->plain, content->fill);
		return true;
	case PAGEPRESS_STREAM:
		return !pagepress_codec_decompress(codec, content->length) &&
		       pagepress_checksum(codec->plain) == content->crc;
	case PAGEPRESS_RAW:
		memcpy(codec->plain, codec->stream, PAGE_SIZE);
		return pagepress_checksum(codec->plain) == content->crc;
	case PAGEPRESS_IN_FLIGHT:
		memcpy(codec->plain, codec->stream, PAGE_SIZE);
		return true;
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

void pagepress_software_read(const struct pagepress_transfer *transfer)
{
	u64 begun = ktime_get_ns();
	struct pagepress_disk *disk = transfer->io->disk;
	struct pagepress_codec *codec = pagepress_codec_get();
	struct pagepress_content content;
	bool good;

	pagepress_store_fetch(&disk->store, transfer->slot, codec->stream, &content);
	good = open_content(codec, &content);
	if (good)
		pagepress_transfer_fill(transfer, codec->plain);
	pagepress_codec_put(codec);

	if (good && content.kind == PAGEPRESS_STREAM) {
		record_read(transfer, content.length, begun);
		return;
	}
	if (good) {
		pagepress_count(disk, PAGEPRESS_DIRECT_PAGES_IN);
		return;
	}
	pagepress_transfer_failed(transfer, BLK_STS_IOERR);
	pr_err_ratelimited("%s: slot %lu: what the pool holds (%s, %u bytes) is not the page that was written; read by software, I/O error\n",
			   disk->gendisk->disk_name, transfer->slot,
			   content.kind == PAGEPRESS_RAW ? "raw page" : "stream", content.length);
}
