// SPDX-License-Identifier: GPL-2.0-only
/* One page by a card: what is asked, how the answer is judged, and how software takes over. */
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/sched/mm.h>

#include "card.h"
#include "codec.h"
#include "latency.h"
#include "request.h"
#include "trace.h"

/*
 * A task waits for this one page: look for its completion here for a moment, and spare it the
 * sleep.
 */
static void poll(struct pagepress_queue *queue, struct pagepress_request *request, u32 tag)
{
	ktime_t end = ktime_add_us(ktime_get(), READ_ONCE(pagepress_poll_us));

	while (READ_ONCE(request->state) == PAGEPRESS_REQUEST_ON_CARD &&
	       READ_ONCE(request->tag) == tag && ktime_before(ktime_get(), end)) {
		if (!pagepress_queue_reap(queue))
			cpu_relax();
	}
}

/*
 * Gives the request to the card, or does the page here if the card has failed since the request was
 * claimed.
 */
static void submit(struct pagepress_request *request)
{
	struct pagepress_queue *queue = request->queue;
	struct pagepress_io *io = request->transfer.io;
	bool waited_for = io->waited_for && request->opcode == PAGEPRESS_OPCODE_DECOMPRESS;
	u32 tag;

	pagepress_io_get(io);
	/*
	 * A hold of our own: once submitted, the request may be finished and its card gone at any
	 * moment. The io stays: submit_bio is not through with it.
	 */
	atomic_inc(&queue->card->outstanding);
	request->begun = ktime_get_ns();
	if (!pagepress_queue_submit(request, &tag)) {
		pagepress_offload_redo(request);
	} else if (waited_for) {
		if (pagepress_queue_ring(queue, true))
			pagepress_count(io->disk, PAGEPRESS_SINGLE_READS_PUSHED);
		poll(queue, request, tag);
	} else {
		pagepress_batch_add(queue, io);
	}
	pagepress_card_let_go(queue->card);
}

/*
 * A page on a card stays its owner's until it ends, so reclaim sees nothing come free and sends
 * more: what they all take in the end must not eat up the reserves that reclaim may use. Hence each
 * brings a page of memory along, of the kind that the pool asks for: of the upper half of the
 * reserves as long as pages give back a quarter of what they are, else of what is free above them.
 * Without one this CPU does the page: then it comes free at once.
 */
static bool take_spare(struct pagepress_request *request)
{
	gfp_t urgency = pagepress_store_saves(&request->transfer.io->disk->store) ? GFP_ATOMIC
										  : GFP_NOWAIT;

	request->spare = alloc_page(urgency | __GFP_NOMEMALLOC | __GFP_NOWARN | __GFP_HIGHMEM |
				    __GFP_MOVABLE);
	if (!request->spare)
		pagepress_count(request->transfer.io->disk, PAGEPRESS_MEMORY_SHORT_PAGES);
	return request->spare;
}

/* Right before the pool is asked for memory. */
static void give_spare(struct pagepress_request *request)
{
	if (request->spare)
		__free_page(request->spare);
	request->spare = NULL;
}

static void end_transfer(struct pagepress_request *request)
{
	struct pagepress_io *io = request->transfer.io;

	pagepress_queue_release(request);
	pagepress_io_put(io);
}

static void redo(struct pagepress_request *request)
{
	const struct pagepress_transfer *transfer = &request->transfer;

	trace_pagepress_request_redo(request);
	pagepress_count(transfer->io->disk, PAGEPRESS_REDONE_PAGES);
	if (request->opcode == PAGEPRESS_OPCODE_COMPRESS)
		pagepress_software_write(transfer, transfer);
	else
		pagepress_software_read(transfer);
}

void pagepress_offload_redo(struct pagepress_request *request)
{
	give_spare(request);
	redo(request);
	end_transfer(request);
}

static void redo_later(struct work_struct *work)
{
	unsigned int noreclaim = memalloc_noreclaim_save();

	pagepress_offload_redo(container_of(work, struct pagepress_request, later));
	memalloc_noreclaim_restore(noreclaim);
}

static enum pagepress_verdict
store(struct pagepress_request *request, const void *data, unsigned int length)
{
	const struct pagepress_transfer *transfer = &request->transfer;
	struct pagepress_trip *trip = NULL;
	blk_status_t status;

	status = pagepress_keep(transfer, data, length, request->crc, transfer,
				PAGEPRESS_CARD_PAGES_OUT, &trip);
	if (status == BLK_STS_OK)
		return PAGEPRESS_KEPT;
	if (status == BLK_STS_AGAIN)
		return PAGEPRESS_LATER;
	pagepress_write_failed(transfer, transfer, status);
	return PAGEPRESS_FAILED;
}

static enum pagepress_verdict
finish_stream(struct pagepress_request *request, struct pagepress_codec *codec)
{
	unsigned int length = request->produced_length;

	if (!length || length > request->stream_length || request->card_crc != request->crc)
		return PAGEPRESS_DOUBTED;
	/* What the card could still write is read once: from here on this CPU's copy counts. */
	memcpy(codec->stream, request->stream, length);
	if (pagepress_checksum_bytes(codec->stream, length) != request->detail)
		return PAGEPRESS_DOUBTED;
	if (pagepress_trust_wants_proof(request->queue->card)) {
		pagepress_count(request->transfer.io->disk, PAGEPRESS_OPENED_STREAMS);
		if (pagepress_codec_decompress(codec, length) ||
		    pagepress_checksum(codec->plain) != request->crc)
			return PAGEPRESS_DOUBTED;
	}
	return store(request, codec->stream, length);
}

static enum pagepress_verdict
finish_write(struct pagepress_request *request, struct pagepress_codec *codec)
{
	const struct pagepress_transfer *transfer = &request->transfer;
	struct pagepress_disk *disk = transfer->io->disk;
	u64 fill;

	switch (request->status) {
	case PAGEPRESS_STATUS_SUCCESS:
		return finish_stream(request, codec);
	case PAGEPRESS_STATUS_SAME_FILLED:
		pagepress_transfer_load(transfer, codec->plain);
		if (!pagepress_same_filled(codec->plain, &fill) || fill != request->detail)
			return PAGEPRESS_DOUBTED;
		pagepress_store_put_same(&disk->store, transfer->slot, fill, transfer);
		return PAGEPRESS_DONE;
	case PAGEPRESS_STATUS_INCOMPRESSIBLE:
		/*
		 * From the owner, not from the page the card had in reach; and only if it is still
		 * the same.
		 */
		pagepress_transfer_load(transfer, codec->plain);
		if (pagepress_checksum(codec->plain) != request->crc)
			return PAGEPRESS_DOUBTED;
		return store(request, codec->plain, PAGE_SIZE);
	default:
		return PAGEPRESS_REPORTED;
	}
}

static enum pagepress_verdict
finish_read(struct pagepress_request *request, struct pagepress_codec *codec)
{
	if (request->status != PAGEPRESS_STATUS_SUCCESS)
		return PAGEPRESS_REPORTED;
	memcpy(codec->plain, request->plain, PAGE_SIZE);
	if (request->produced_length != PAGE_SIZE || request->card_crc != request->crc ||
	    pagepress_checksum(codec->plain) != request->crc)
		return PAGEPRESS_DOUBTED;
	pagepress_transfer_fill(&request->transfer, codec->plain);
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

static void complain(const struct pagepress_request *request, const char *what)
{
	bool write = request->opcode == PAGEPRESS_OPCODE_COMPRESS;

	dev_warn_ratelimited(&request->queue->card->device->dev,
			     "%s: slot %lu: %s by card: %s: status %u (%s), %u bytes, CRC32C %08x, the page's is %08x; done again in software\n",
			     request->transfer.io->disk->gendisk->disk_name, request->transfer.slot,
			     write ? "write" : "read", what, request->status,
			     status_name(request->status), request->produced_length,
			     request->card_crc, request->crc);
}

/* Every answer of a card ends here: what is not beyond doubt is done again by this CPU. */
void pagepress_offload_finish(struct pagepress_request *request)
{
	struct pagepress_disk *disk = request->transfer.io->disk;
	bool write = request->opcode == PAGEPRESS_OPCODE_COMPRESS;
	struct pagepress_codec *codec = pagepress_codec_get();
	bool single_read = !write && request->transfer.io->waited_for;
	enum pagepress_verdict verdict;
	u64 nanoseconds;

	give_spare(request);
	verdict = write ? finish_write(request, codec) : finish_read(request, codec);
	pagepress_codec_put(codec);
	nanoseconds = ktime_get_ns() - request->begun;
	trace_pagepress_request_judge(request, verdict, nanoseconds);
	switch (verdict) {
	case PAGEPRESS_DONE:
		pagepress_count(disk, write ? PAGEPRESS_CARD_PAGES_OUT : PAGEPRESS_CARD_PAGES_IN);
		pagepress_latency_add(write ? PAGEPRESS_CARD_WRITE : PAGEPRESS_CARD_READ,
				      nanoseconds);
		break;
	case PAGEPRESS_KEPT:
		pagepress_latency_add(PAGEPRESS_CARD_WRITE, nanoseconds);
		break;
	case PAGEPRESS_FAILED:
		break;
	case PAGEPRESS_LATER:
		/* Other completions must not wait for the backing device. */
		INIT_WORK(&request->later, redo_later);
		queue_work(pagepress_page_workqueue, &request->later);
		return;
	case PAGEPRESS_DOUBTED:
		pagepress_count(disk, PAGEPRESS_CARD_MISMATCHES);
		pagepress_trust_lost(request->queue->card);
		complain(request, "answer cannot be right");
		redo(request);
		break;
	case PAGEPRESS_REPORTED:
		pagepress_count(disk, PAGEPRESS_CARD_ERRORS);
		pagepress_trust_lost(request->queue->card);
		complain(request, "not done");
		redo(request);
		break;
	}
	/* With what redoing it took: a card that fails is a slow card. */
	if (single_read)
		pagepress_read_policy_measured(disk, true, ktime_get_ns() - request->begun);
	end_transfer(request);
}

/* False: nothing done, this CPU has to. */
bool pagepress_offload_write(const struct pagepress_transfer *transfer)
{
	struct pagepress_store *store = &transfer->io->disk->store;
	struct pagepress_request *request;

	if (!transfer->io->may_queue)
		return false;
	request = pagepress_engines_claim(PAGEPRESS_OPCODE_COMPRESS);
	if (!request)
		return false;
	request->transfer = *transfer;
	if (!take_spare(request)) {
		pagepress_queue_release(request);
		return false;
	}
	request->stream_length = store->stream_limit;
	pagepress_transfer_load(transfer, request->plain);
	request->crc = pagepress_checksum(request->plain);
	pagepress_store_expect(store, transfer->slot, &request->transfer, NULL);
	submit(request);
	return true;
}

/* False: nothing done, this CPU has to. */
bool pagepress_offload_read(const struct pagepress_transfer *transfer)
{
	struct pagepress_store *store = &transfer->io->disk->store;
	struct pagepress_request *request;
	struct pagepress_content content;

	if (!transfer->io->may_queue ||
	    pagepress_store_peek(store, transfer->slot) != PAGEPRESS_STREAM ||
	    !pagepress_read_policy_card(transfer->io))
		return false;
	request = pagepress_engines_claim(PAGEPRESS_OPCODE_DECOMPRESS);
	if (!request)
		return false;

	pagepress_store_fetch(store, transfer->slot, request->stream, &content);
	if (content.kind != PAGEPRESS_STREAM) {
		pagepress_queue_release(request);
		return false;
	}
	request->transfer = *transfer;
	request->stream_length = content.length;
	request->crc = content.crc;
	submit(request);
	return true;
}
