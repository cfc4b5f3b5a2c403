// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a card's answer is judged. What the card can write is read once: copied out of its reach,
 * then judged. A page that is beyond doubt is put where it belongs.
 */
#include <linux/device.h>

#include "card/card.h"
#include "page/same_filled.h"
#include "path/offload.h"
#include "path/path.h"
#include "store/codec.h"

static enum pagepress_verdict
store(struct pagepress_request *request, const void *data, unsigned int length)
{
	const struct pagepress_transfer *transfer = pagepress_transfer_of(request);
	/* Under memalloc_noreclaim: memory that is not there now does not come by waiting. */
	struct pagepress_supply supply = { .no_more_memory = true };
	blk_status_t status;

	status = pagepress_keep(transfer, data, length, request->crc, transfer,
				PAGEPRESS_CARD_PAGES_OUT, &supply);
	if (status == BLK_STS_OK)
		return PAGEPRESS_KEPT;
	if (status == BLK_STS_AGAIN)
		return PAGEPRESS_LATER;
	pagepress_write_failed(transfer, transfer, status);
	return PAGEPRESS_FAILED;
}

/* A page written: whether there is a stream that is worth a proof. */
bool pagepress_answer_may_be_right(const struct pagepress_request *request)
{
	return request->status == PAGEPRESS_STATUS_SUCCESS && request->produced_length &&
	       request->produced_length <= request->stream_length &&
	       request->card_crc == request->crc;
}

/* What the card could still write is read once: from here on this CPU's copy counts. */
static bool load_stream(const struct pagepress_request *request, struct pagepress_codec *codec,
			unsigned int length, u64 crc)
{
	memcpy(codec->stream, request->stream, length);
	return pagepress_checksum_bytes(codec->stream, length) == crc;
}

static enum pagepress_verdict
judge_stream(struct pagepress_request *request, struct pagepress_codec *codec)
{
	unsigned int length = request->produced_length;

	if (!pagepress_answer_may_be_right(request) ||
	    !load_stream(request, codec, length, request->detail))
		return PAGEPRESS_DOUBTED;
	if (pagepress_offload_of(request)->prover == PAGEPRESS_PROVER_CPU) {
		pagepress_count(pagepress_transfer_of(request)->io->disk,
				PAGEPRESS_VERIFIED_STREAMS);
		if (pagepress_codec_decompress(codec, length, false) ||
		    pagepress_checksum(codec->plain) != request->crc)
			return PAGEPRESS_DOUBTED;
	}
	return store(request, codec->stream, length);
}

/* The card's decompressor was to show what the stream holds: this CPU looks at what it wrote. */
static enum pagepress_verdict
judge_proof(struct pagepress_request *request, struct pagepress_codec *codec)
{
	unsigned int length = request->stream_length;

	pagepress_count(pagepress_transfer_of(request)->io->disk, PAGEPRESS_PROVEN_BY_CARD);
	if (request->status != PAGEPRESS_STATUS_SUCCESS || request->produced_length != PAGE_SIZE ||
	    pagepress_checksum(request->plain) != request->crc ||
	    !load_stream(request, codec, length, request->stream_crc))
		return PAGEPRESS_DOUBTED;
	return store(request, codec->stream, length);
}

/* Copies what the card was given out of its reach. False when that is not the page. */
static bool load_given(const struct pagepress_request *request, struct pagepress_codec *codec)
{
	memcpy(codec->plain, request->plain, PAGE_SIZE);
	return pagepress_checksum(codec->plain) == request->crc;
}

static enum pagepress_verdict
judge_write(struct pagepress_request *request, struct pagepress_codec *codec)
{
	const struct pagepress_transfer *transfer = pagepress_transfer_of(request);
	struct pagepress_disk *disk = transfer->io->disk;
	u64 fill;

	if (request->proving)
		return judge_proof(request, codec);
	switch (request->status) {
	case PAGEPRESS_STATUS_SUCCESS:
		return judge_stream(request, codec);
	case PAGEPRESS_STATUS_SAME_FILLED:
		/* What the card says is the page's first bytes, read as a little-endian word. */
		if (!load_given(request, codec) || !pagepress_same_filled(codec->plain, &fill) ||
		    le64_to_cpu((__force __le64)fill) != request->detail)
			return PAGEPRESS_DOUBTED;
		pagepress_store_put_same(disk->store, transfer->slot, fill, transfer);
		return PAGEPRESS_DONE;
	case PAGEPRESS_STATUS_INCOMPRESSIBLE:
		if (!load_given(request, codec))
			return PAGEPRESS_DOUBTED;
		return store(request, codec->plain, PAGE_SIZE);
	default:
		return PAGEPRESS_REPORTED;
	}
}

static enum pagepress_verdict
judge_read(struct pagepress_request *request, struct pagepress_codec *codec)
{
	if (request->status != PAGEPRESS_STATUS_SUCCESS)
		return PAGEPRESS_REPORTED;
	memcpy(codec->plain, request->plain, PAGE_SIZE);
	if (request->produced_length != PAGE_SIZE || request->card_crc != request->crc ||
	    pagepress_checksum(codec->plain) != request->crc)
		return PAGEPRESS_DOUBTED;
	pagepress_transfer_fill(pagepress_transfer_of(request), codec->plain);
	return PAGEPRESS_DONE;
}

static const char *status_name(u8 status)
{
	static const char *const names[] = {
#define X(name, number, kind) #name,
		PAGEPRESS_STATUSES(X)	/* numbered from 0 without gaps */
#undef X
	};

	return status < ARRAY_SIZE(names) ? names[status] : "unknown";
}

void pagepress_answer_complain(const struct pagepress_request *request, const char *what)
{
	const struct pagepress_transfer *transfer = pagepress_transfer_of(request);
	bool write = request->opcode == PAGEPRESS_OPCODE_COMPRESS;

	dev_warn_ratelimited(request->queue->card->device,
			     "%s: slot %lu: %s by card: %s: status %u (%s), %u bytes, CRC32C %08x, the page's is %08x; done again in software\n",
			     transfer->io->disk->gendisk->disk_name, transfer->slot,
			     write ? "write" : "read", what, request->status,
			     status_name(request->status), request->produced_length,
			     request->card_crc, request->crc);
}

/*
 * Whether the card was given another page than its checksum was taken of, and nobody knows by whose
 * hand: the owner may have changed it in between, for which no card is to blame. A proof comes only
 * of a card that has read the right page.
 */
static bool was_changed(const struct pagepress_request *request)
{
	return !request->proving && pagepress_transfer_may_change(pagepress_transfer_of(request)) &&
	       pagepress_checksum(request->plain) != request->crc;
}

enum pagepress_verdict pagepress_answer_judge(struct pagepress_request *request,
					      struct pagepress_codec *codec)
{
	enum pagepress_verdict verdict;

	if (request->opcode != PAGEPRESS_OPCODE_COMPRESS)
		return judge_read(request, codec);
	verdict = judge_write(request, codec);
	return verdict == PAGEPRESS_DOUBTED && was_changed(request) ? PAGEPRESS_CHANGED : verdict;
}
