// SPDX-License-Identifier: GPL-2.0-only
/*
 * A few pages are compressed to the cold format by cards: each is decompressed, compressed, and its
 * cold stream decompressed again. What a page rests as is given up only when that gave the same
 * page in fewer bytes; whatever fails, it stays.
 */
#include <linux/mm.h>
#include <linux/seq_file.h>

#include "card/card.h"
#include "path/cold_batch.h"
#include "path/offload.h"
#include "path/path.h"
#include "store/codec.h"
#include "store/cold_decompress.h"

#define LANES_SHARE 2 /* of a card's compressors that such pages may have, as a divisor */
#define COMMANDS    3 /* of a page: one follows from the answer to the other */

enum outcome {
	ASKED,		/* not known yet */
	COLD,		/* its stream is proven, and out of the card's reach */
	DENSE,		/* the cold format makes it no smaller */
	UNCHANGED,	/* something has failed */
};
static_assert(sizeof(struct pagepress_cold_page *) <= PAGEPRESS_OWNED_BYTES);

/* The cards' lanes: one batch of pages at a time has a share of them, of whatever disk. */
static DEFINE_MUTEX(share);

/* ---- for the card ---- */

static struct pagepress_cold_page *page_of(const struct pagepress_request *request)
{
	return *(struct pagepress_cold_page **)request->owned;
}

/* All that these do: what follows takes a while, and others wait for the thread that calls them. */
static void done(struct pagepress_request *request)
{
	page_of(request)->answered = true;
	complete(&page_of(request)->ended);
}

static void redo(struct pagepress_request *request)
{
	complete(&page_of(request)->ended);
}

/* Under queue->lock, while somebody waits for the card. */
static void show(struct seq_file *file, const struct pagepress_request *request)
{
	seq_printf(file, "recompress %s slot %lu", page_of(request)->disk->gendisk->disk_name,
		   page_of(request)->slot);
}

static const struct pagepress_owner owner = {
	.done = done,
	.redo = redo,
	.show = show,
	.atomic = true,
};

/* ---- one page ---- */

/* Of the command that is submitted next. */
static void expect_answer(struct pagepress_cold_page *page)
{
	reinit_completion(&page->ended);
	page->answered = false;
}

/* False as pagepress_queue_submit(). */
static bool submit(struct pagepress_cold_page *page)
{
	u32 tag;

	expect_answer(page);
	return pagepress_queue_submit(page->request, &tag);
}

/* What the slot holds is decompressed. */
static bool submit_decompression(struct pagepress_cold_page *page)
{
	struct pagepress_request *request = page->request;

	memcpy(request->stream, page->stream, page->length);
	request->opcode = PAGEPRESS_OPCODE_DECOMPRESS;
	request->format = PAGEPRESS_FORMAT_LZO1X;
	request->stream_length = page->length;
	return submit(page);
}

/* The page is compressed. What is no shorter is of no use: the card need not write it. */
static bool submit_compression(struct pagepress_cold_page *page)
{
	struct pagepress_request *request = page->request;

	request->opcode = PAGEPRESS_OPCODE_COMPRESS;
	request->format = PAGEPRESS_FORMAT_COLD;
	request->stream_length = min_t(size_t, page->length - 1, page->disk->store->stream_limit);
	return submit(page);
}

/* False: the slot is what it was, and the request still the caller's. */
static bool begin(struct pagepress_cold_batch *batch, struct pagepress_cold_page *page,
		  unsigned long slot, struct pagepress_request *request)
{
	const struct pagepress_candidate candidate = { .slot = slot };
	struct pagepress_store *store = batch->disk->store;
	struct pagepress_content content;
	bool submitted;

	if (pagepress_store_begin_writeback(store, &candidate, batch->selection,
					    PAGEPRESS_SLOT_RECOMPRESSING, page->stream, PAGE_SIZE,
					    &content))
		return false;
	page->disk = batch->disk;
	page->slot = slot;
	page->request = request;
	page->length = content.length;
	page->outcome = ASKED;
	init_completion(&page->ended);
	*(struct pagepress_cold_page **)request->owned = page;
	request->crc = content.crc;
	if (content.length < PAGE_SIZE) {
		submitted = submit_decompression(page);
	} else {
		memcpy(request->plain, page->stream, PAGE_SIZE);
		/* Not the page: whoever reads it will be told. */
		submitted = pagepress_checksum(request->plain) == content.crc &&
			    submit_compression(page);
	}
	if (!submitted)
		pagepress_store_keep_warm(store, slot, false);
	return submitted;
}

static void complain(const struct pagepress_cold_page *page, enum pagepress_statistic counter,
		     const char *what)
{
	const struct pagepress_request *request = page->request;

	pagepress_count(page->disk, counter);
	pagepress_probation_failed(request->queue->card);
	dev_warn_ratelimited(request->queue->card->device,
			     "%s: slot %lu: recompression by card: %s: status %u, %u bytes, CRC32C %08x, the page's is %08x; it stays as it was\n",
			     page->disk->gendisk->disk_name, page->slot, what, request->status,
			     request->produced_length, request->card_crc, request->crc);
}

/* What the card could still write is read once: from here on our copy counts. */
static bool load_stream(struct pagepress_cold_page *page, unsigned int length, u64 crc)
{
	memcpy(page->stream, page->request->stream, length);
	page->length = length;
	return pagepress_checksum_bytes(page->stream, length) == crc;
}

/* This CPU decompresses the stream. */
static bool prove(struct pagepress_cold_batch *batch, struct pagepress_cold_page *page)
{
	struct pagepress_request *request = page->request;

	pagepress_count(page->disk, PAGEPRESS_VERIFIED_STREAMS);
	return load_stream(page, request->produced_length, request->detail) &&
	       !pagepress_decompress(page->stream, page->length, true, batch->plain) &&
	       pagepress_checksum(batch->plain) == request->crc;
}

/* The card has decompressed it: this CPU looks at the page that came out. */
static bool is_proven(struct pagepress_cold_page *page)
{
	struct pagepress_request *request = page->request;

	pagepress_count(page->disk, PAGEPRESS_PROVEN_BY_CARD);
	return request->status == PAGEPRESS_STATUS_SUCCESS &&
	       request->produced_length == PAGE_SIZE &&
	       pagepress_checksum(request->plain) == request->crc &&
	       load_stream(page, request->stream_length, request->stream_crc);
}

/*
 * The answer to a decompression. Whether what came out is the page is not looked at here: the proof
 * of the cold stream will tell. A card is not blamed for what the pool makes of a page.
 */
static enum outcome judge_page(struct pagepress_cold_batch *batch, struct pagepress_cold_page *page)
{
	struct pagepress_request *request = page->request;
	bool done = request->status == PAGEPRESS_STATUS_SUCCESS;

	if (done && request->produced_length == PAGE_SIZE && request->card_crc == request->crc)
		return submit_compression(page) ? ASKED : UNCHANGED;
	if (pagepress_decompress(page->stream, page->length, false, batch->plain) ||
	    pagepress_checksum(batch->plain) != request->crc)
		return UNCHANGED;
	if (done)
		complain(page, PAGEPRESS_CARD_MISMATCHES, "answer cannot be right");
	else
		complain(page, PAGEPRESS_CARD_ERRORS, "not decompressed");
	return UNCHANGED;
}

/*
 * The answer to a compression. Here a stream that is sound is given up for another: so that one is
 * proven by decompression also where verify_streams asks for no proof of a write.
 */
static enum outcome judge_stream(struct pagepress_cold_batch *batch,
				 struct pagepress_cold_page *page)
{
	struct pagepress_request *request = page->request;
	bool dense = request->status == PAGEPRESS_STATUS_INCOMPRESSIBLE;

	if (dense && request->card_crc == request->crc)
		return DENSE;
	if (!dense && request->status != PAGEPRESS_STATUS_SUCCESS) {
		complain(page, PAGEPRESS_CARD_ERRORS, "not compressed");
		return UNCHANGED;
	}
	if (pagepress_answer_may_be_right(request)) {
		if (pagepress_card_prover(request->queue->card) != PAGEPRESS_PROVER_CPU) {
			expect_answer(page);
			return pagepress_queue_prove(request) ? ASKED : UNCHANGED;
		}
		if (prove(batch, page))
			return COLD;
	}
	complain(page, PAGEPRESS_CARD_MISMATCHES, "answer cannot be right");
	return UNCHANGED;
}

/* The card has answered, or will not. */
static enum outcome judge(struct pagepress_cold_batch *batch, struct pagepress_cold_page *page)
{
	if (!page->answered)
		return UNCHANGED;
	if (page->request->opcode == PAGEPRESS_OPCODE_DECOMPRESS)
		return judge_page(batch, page);
	if (!page->request->proving)
		return judge_stream(batch, page);
	if (is_proven(page))
		return COLD;
	complain(page, PAGEPRESS_CARD_MISMATCHES, "stream does not hold the page");
	return UNCHANGED;
}

/* With no request in hand. As pagepress_cold_batch_try(). */
static int exchange(struct pagepress_cold_batch *batch, struct pagepress_cold_page *page)
{
	struct pagepress_disk *disk = page->disk;
	unsigned int saved;
	int error;

	if (page->outcome != COLD) {
		pagepress_count(disk, PAGEPRESS_RECOMPRESSIONS_IN_VAIN);
		pagepress_store_keep_warm(disk->store, page->slot, page->outcome == DENSE);
		batch->failed += page->outcome == UNCHANGED;
		return 0;
	}
	error = pagepress_store_make_cold(disk->store, page->slot, page->stream, page->length,
					  &saved);
	if (error) {
		pagepress_count(disk, PAGEPRESS_RECOMPRESSIONS_IN_VAIN);
		return error == -EAGAIN ? 0 : error;
	}
	pagepress_count(disk, PAGEPRESS_RECOMPRESSED_PAGES);
	atomic64_add(saved, &disk->statistics[PAGEPRESS_RECOMPRESSION_SAVED]);
	batch->became_cold++;
	return 0;
}

/* ---- a batch ---- */

/* As nothing is waited for. */
static void ring(struct pagepress_cold_batch *batch)
{
	unsigned int index;

	for (index = 0; index < batch->count; index++)
		if (batch->pages[index].outcome == ASKED)
			pagepress_queue_ring(batch->pages[index].request->queue, false);
}

/* Gives cards the pages found, until one finds no room. */
static void submit_all(struct pagepress_cold_batch *batch)
{
	struct pagepress_request *request;

	for (batch->count = 0; batch->tried < batch->found; batch->tried++) {
		request = pagepress_engines_claim_cold(cold_tables_version, &owner);
		if (!request)
			break;
		if (begin(batch, &batch->pages[batch->count], batch->slots[batch->tried],
			  request))
			batch->count++;
		else
			pagepress_queue_release(request);
	}
	ring(batch);
}

/* Waits for the answers there are to be, and rings for what follows from them. */
static void judge_all(struct pagepress_cold_batch *batch)
{
	unsigned int index;

	for (index = 0; index < batch->count; index++) {
		struct pagepress_cold_page *page = &batch->pages[index];

		if (page->outcome != ASKED)
			continue;
		pagepress_queue_poll(page->request, page->request->tag, &owner);
		wait_for_completion(&page->ended);
		page->outcome = judge(batch, page);
	}
	ring(batch);
}

/* Others wait for their room in the ring, and a card that leaves for them all. */
static void release_all(struct pagepress_cold_batch *batch)
{
	unsigned int index;

	for (index = 0; index < batch->count; index++)
		pagepress_queue_release(batch->pages[index].request);
}

/* With pages in flight, nothing is waited for but the cards: no memory, and no other lock. */
static void ask_cards(struct pagepress_cold_batch *batch)
{
	unsigned int command;

	mutex_lock(&share);
	submit_all(batch);
	for (command = 0; command < COMMANDS; command++)
		judge_all(batch);
	release_all(batch);
	mutex_unlock(&share);
}

/* ---- for whoever has pages ---- */

/* -ENOMEM without memory. Before any lock is taken, as reclaim may swap to this disk. */
int pagepress_cold_batch_create(struct pagepress_cold_batch *batch)
{
	unsigned int index;

	batch->memory = kvmalloc_array(ARRAY_SIZE(batch->pages) + 1, PAGE_SIZE, GFP_KERNEL);
	if (!batch->memory)
		return -ENOMEM;
	batch->plain = batch->memory;
	for (index = 0; index < ARRAY_SIZE(batch->pages); index++)
		batch->pages[index].stream = batch->plain + (index + 1) * PAGE_SIZE;
	return 0;
}

void pagepress_cold_batch_destroy(struct pagepress_cold_batch *batch)
{
	kvfree(batch->memory);
}

/* How many pages a batch may have now; 0: no card that is ready has our tables. */
unsigned int pagepress_cold_batch_most(void)
{
	unsigned int lanes = pagepress_engines_cold_lanes(cold_tables_version);

	return lanes ? clamp_t(unsigned int, lanes / LANES_SHARE, 1, PAGEPRESS_MOST_COLD_IN_FLIGHT)
		     : 0;
}

/*
 * Has the pages found that were not tried yet become cold, as far as there is room in a ring. Under
 * init_lock, which keeps the store, under memalloc_noio, and under no lock that reclaim needs.
 * -ENOMEM without memory, -ENOSPC past mem_limit: there had better be no more for a while.
 */
int pagepress_cold_batch_try(struct pagepress_cold_batch *batch)
{
	unsigned int index;
	int error = 0;

	ask_cards(batch);
	batch->became_cold = 0;
	batch->failed = 0;
	for (index = 0; index < batch->count; index++) {
		int status = exchange(batch, &batch->pages[index]);

		error = error ? error : status;
	}
	return error;
}
