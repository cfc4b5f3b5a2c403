// SPDX-License-Identifier: GPL-2.0-only
/* One page by a card: how it is asked, what follows its answer, and how software takes over. */
#include <linux/dma-mapping.h>
#include <linux/ktime.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>

#include "card/card.h"
#include "observe/trace.h"
#include "path/latency.h"
#include "path/offload.h"
#include "path/path.h"
#include "store/codec.h"
#include "store/cold_decompress.h"

/*
 * A page on a card stays its owner's until it ends, so reclaim sees nothing come free and sends
 * more: what they all take in the end must not eat up the reserves that reclaim may use. Hence each
 * brings a page of memory along, of the kind that the pool asks for: of the upper half of the
 * reserves as long as pages give back a quarter of what they are, else of what is free above them.
 * Without one this CPU does the page: then it comes free at once.
 */
static bool take_spare(struct pagepress_request *request)
{
	struct pagepress_offload *offload = pagepress_offload_of(request);
	struct pagepress_disk *disk = offload->transfer.io->disk;
	gfp_t urgency = pagepress_store_saves(disk->store) ? GFP_ATOMIC : GFP_NOWAIT;

	offload->spare = alloc_page(urgency | __GFP_NOMEMALLOC | __GFP_NOWARN | __GFP_HIGHMEM |
				    __GFP_MOVABLE);
	if (!offload->spare)
		pagepress_count(disk, PAGEPRESS_MEMORY_SHORT_PAGES);
	return offload->spare;
}

/* Right before the pool is asked for memory. */
static void give_spare(struct pagepress_request *request)
{
	struct pagepress_offload *offload = pagepress_offload_of(request);

	if (offload->spare)
		__free_page(offload->spare);
	offload->spare = NULL;
}

static void end_transfer(struct pagepress_request *request)
{
	struct pagepress_io *io = pagepress_transfer_of(request)->io;

	pagepress_queue_release(request);
	pagepress_io_put(io);
}

/* The page has ended in the card's stead. A card that fails is a slow card. */
static void record_redone(const struct pagepress_io *io, u8 opcode, u64 begun)
{
	u64 nanoseconds = ktime_get_ns() - begun;

	pagepress_latency_add(PAGEPRESS_REDONE, nanoseconds);
	if (opcode == PAGEPRESS_OPCODE_DECOMPRESS && io->waited_for)
		pagepress_read_policy_measured(io->disk, true, nanoseconds);
}

static void end_redone(struct pagepress_request *request)
{
	record_redone(pagepress_transfer_of(request)->io, request->opcode, request->begun);
	end_transfer(request);
}

/* Waits for memory and for the backing device, for as long as that takes. */
static void redo_waiting(const struct pagepress_transfer *transfer, u8 opcode)
{
	unsigned int noreclaim = memalloc_noreclaim_save();

	if (opcode == PAGEPRESS_OPCODE_COMPRESS)
		pagepress_software_write(transfer, transfer);
	else if (!pagepress_software_read_memory(transfer))
		pagepress_page_io_read(transfer);
	memalloc_noreclaim_restore(noreclaim);
}

/*
 * A page that waits without its request: that serves others meanwhile, and the card may go, however
 * long the backing device takes.
 */
struct waiting_page {
	struct work_struct work;
	struct pagepress_transfer transfer;
	u64 begun;
	u8 opcode;
};

static void redo_apart(struct work_struct *work)
{
	struct waiting_page *page = container_of(work, struct waiting_page, work);
	struct pagepress_io *io = page->transfer.io;

	redo_waiting(&page->transfer, page->opcode);
	record_redone(io, page->opcode, page->begun);
	kfree(page);
	pagepress_io_put(io);
}

/* False: there is no memory for it. */
static bool part_with_request(struct pagepress_request *request)
{
	const struct pagepress_transfer *transfer = pagepress_transfer_of(request);
	struct waiting_page *page = kmalloc(sizeof(*page),
					    GFP_NOWAIT | __GFP_NOMEMALLOC | __GFP_NOWARN);

	if (!page)
		return false;
	page->transfer = *transfer;
	page->begun = request->begun;
	page->opcode = request->opcode;
	if (page->opcode == PAGEPRESS_OPCODE_COMPRESS &&
	    !pagepress_store_expect(transfer->io->disk->store, transfer->slot, &page->transfer,
				    transfer)) {
		/* Something newer has taken the slot: as if this page had been written first. */
		pagepress_count(transfer->io->disk, PAGEPRESS_SOFTWARE_PAGES_OUT);
		end_redone(request);
		kfree(page);
		return true;
	}
	INIT_WORK(&page->work, redo_apart);
	/* What the io holds stays with the page; the request's transfer may be another page's. */
	pagepress_queue_release(request);
	queue_work(page->transfer.io->disk->pages, &page->work);
	return true;
}

static void redo_with_request(struct work_struct *work)
{
	struct pagepress_offload *offload = container_of(work, struct pagepress_offload, later);
	struct pagepress_request *request = container_of((u8 (*)[PAGEPRESS_OWNED_BYTES])offload,
							 struct pagepress_request, owned);

	redo_waiting(&offload->transfer, request->opcode);
	end_redone(request);
}

/* Other pages must not wait for the backing device with this one. */
static void redo_later(struct pagepress_request *request)
{
	struct pagepress_offload *offload = pagepress_offload_of(request);

	if (part_with_request(request))
		return;
	INIT_WORK(&offload->later, redo_with_request);
	queue_work(offload->transfer.io->disk->pages, &offload->later);
}

/* From the owner's page or from the pool; ends the page, now or later. */
static void redo(struct pagepress_request *request)
{
	const struct pagepress_transfer *transfer = pagepress_transfer_of(request);
	bool done;

	give_spare(request);
	trace_pagepress_request_redo(request);
	pagepress_count(transfer->io->disk, PAGEPRESS_REDONE_PAGES);
	if (request->opcode == PAGEPRESS_OPCODE_COMPRESS)
		done = pagepress_software_try_write(transfer, transfer);
	else
		done = pagepress_software_read_memory(transfer);
	if (done)
		end_redone(request);
	else
		redo_later(request);
}

/* Whether the card's decompressor is to be asked before the answer is judged. */
static bool is_for_card(struct pagepress_request *request)
{
	struct pagepress_offload *offload = pagepress_offload_of(request);

	if (request->opcode != PAGEPRESS_OPCODE_COMPRESS || request->proving ||
	    !pagepress_answer_may_be_right(request))
		return false;
	offload->prover = pagepress_card_prover(request->queue->card);
	return offload->prover == PAGEPRESS_PROVER_CARD;
}

/* Every answer of a card ends here: what is not beyond doubt is done again by this CPU. */
static void finish(struct pagepress_request *request)
{
	struct pagepress_disk *disk = pagepress_transfer_of(request)->io->disk;
	bool write = request->opcode == PAGEPRESS_OPCODE_COMPRESS;
	bool single_read = !write && pagepress_transfer_of(request)->io->waited_for;
	enum pagepress_verdict verdict;
	struct pagepress_codec *codec;
	u64 nanoseconds;

	if (is_for_card(request)) {
		if (!pagepress_queue_prove(request))
			redo(request);
		return;
	}
	give_spare(request);
	codec = pagepress_codec_get();
	verdict = pagepress_answer_judge(request, codec);
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
		pagepress_count(disk, PAGEPRESS_REDONE_PAGES);
		redo_later(request);
		return;
	case PAGEPRESS_CHANGED:
		redo(request);
		return;
	case PAGEPRESS_DOUBTED:
		pagepress_count(disk, PAGEPRESS_CARD_MISMATCHES);
		pagepress_probation_failed(request->queue->card);
		pagepress_answer_complain(request, "answer cannot be right");
		redo(request);
		return;
	case PAGEPRESS_REPORTED:
		pagepress_count(disk, PAGEPRESS_CARD_ERRORS);
		pagepress_probation_failed(request->queue->card);
		pagepress_answer_complain(request, "not done");
		redo(request);
		return;
	}
	if (single_read)
		pagepress_read_policy_measured(disk, true, ktime_get_ns() - request->begun);
	end_transfer(request);
}

/* Under queue->lock, while the card has it. */
static void show(struct seq_file *file, const struct pagepress_request *request)
{
	const struct pagepress_transfer *transfer = pagepress_transfer_of(request);

	seq_printf(file, "%s %s slot %lu",
		   request->opcode == PAGEPRESS_OPCODE_COMPRESS ? "write" : "read",
		   transfer->io->disk->gendisk->disk_name, transfer->slot);
}

static const struct pagepress_owner owner = { .done = finish, .redo = redo, .show = show };

static struct pagepress_request *claim(u8 opcode, const struct pagepress_transfer *transfer)
{
	struct pagepress_request *request = pagepress_engines_claim(opcode, &owner);

	if (request)
		*pagepress_offload_of(request) = (struct pagepress_offload) {
			.transfer = *transfer,
		};
	return request;
}

/*
 * Gives the request to the card, or does the page here if the card has failed since the request was
 * claimed.
 */
static void submit(struct pagepress_request *request)
{
	struct pagepress_queue *queue = request->queue;
	const struct pagepress_transfer transfer = *pagepress_transfer_of(request);
	struct pagepress_io *io = transfer.io;
	bool write = request->opcode == PAGEPRESS_OPCODE_COMPRESS;
	bool waited_for = io->waited_for && !write;
	u32 tag;

	pagepress_io_get(io);
	/*
	 * A hold of our own: once submitted, the request may be finished and its card gone at any
	 * moment. The io stays: submit_bio is not through with it.
	 */
	atomic_inc(&queue->card->outstanding);
	if (!pagepress_queue_submit(request, &tag)) {
		redo(request);
		pagepress_card_let_go(queue->card);
		return;
	}
	trace_pagepress_request_submit(queue, tag, &transfer, write);
	if (waited_for) {
		if (pagepress_queue_ring(queue, true))
			pagepress_count(io->disk, PAGEPRESS_SINGLE_READS_PUSHED);
		pagepress_queue_poll(request, tag, &owner);
	} else {
		pagepress_batch_add(queue, io);
	}
	pagepress_card_let_go(queue->card);
}

/* False: nothing done, this CPU has to. */
bool pagepress_offload_write(const struct pagepress_transfer *transfer)
{
	struct pagepress_store *store = transfer->io->disk->store;
	struct pagepress_request *request;

	if (!transfer->io->may_queue)
		return false;
	request = claim(PAGEPRESS_OPCODE_COMPRESS, transfer);
	if (!request)
		return false;
	if (!take_spare(request)) {
		pagepress_queue_release(request);
		return false;
	}
	request->stream_length = store->stream_limit;
	/* Of the owner's page: what it is copied to, a card can write, one that is late as well. */
	request->crc = pagepress_transfer_checksum(transfer);
	pagepress_transfer_load(transfer, request->plain);
	pagepress_store_expect(store, transfer->slot, &pagepress_offload_of(request)->transfer,
			       NULL);
	submit(request);
	return true;
}

/* Every card decompresses LZO1X; cold streams those that have our tables. */
static bool reads(const struct pagepress_card *card, const struct pagepress_content *content)
{
	return !content->cold || READ_ONCE(card->cold_tables) == cold_tables_version;
}

/* False: nothing done, this CPU has to. */
bool pagepress_offload_read(const struct pagepress_transfer *transfer)
{
	struct pagepress_store *store = transfer->io->disk->store;
	struct pagepress_request *request;
	struct pagepress_content content;

	if (!transfer->io->may_queue ||
	    pagepress_store_peek(store, transfer->slot) != PAGEPRESS_STREAM ||
	    !pagepress_read_policy_card(transfer->io))
		return false;
	request = claim(PAGEPRESS_OPCODE_DECOMPRESS, transfer);
	if (!request)
		return false;

	pagepress_store_fetch(store, transfer->slot, request->stream, &content);
	if (content.kind != PAGEPRESS_STREAM || !reads(request->queue->card, &content)) {
		pagepress_queue_release(request);
		return false;
	}
	if (content.cold)
		request->format = PAGEPRESS_FORMAT_COLD;
	request->stream_length = content.length;
	request->crc = content.crc;
	submit(request);
	return true;
}
