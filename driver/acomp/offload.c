// SPDX-License-Identifier: GPL-2.0-only
/*
 * One page of the crypto API by a card: asked, judged, done again by this CPU where anything is
 * missing. What it comes from and goes to belongs to whoever asked until the request is complete,
 * so it can be started again; the card sees copies only, and what it answers when the request is
 * complete (card/late.c) is dropped.
 */
#include <linux/bottom_half.h>
#include <linux/dma-mapping.h>
#include <linux/preempt.h>
#include <linux/seq_file.h>

#include "acomp/compat.h"
#include "acomp/request.h"
#include "card/card.h"
#include "store/codec.h"

/* What is ours in a command. */
struct job {
	struct acomp_req *request;
};
static_assert(sizeof(struct job) <= PAGEPRESS_OWNED_BYTES);

enum verdict {
	DONE,		/* beyond doubt, and delivered if there was room */
	LEFT,		/* nothing wrong, but there is no stream: this CPU makes one */
	UNPROVEN,	/* the card's decompressor is to be asked */
	DOUBTED,	/* the card says success, but it cannot be */
	REPORTED,	/* the card says it could not */
};

static struct acomp_req *request_of(struct pagepress_request *command)
{
	return ((struct job *)command->owned)->request;
}

static bool compresses(const struct pagepress_request *command)
{
	return command->opcode == PAGEPRESS_OPCODE_COMPRESS;
}

/* The command is free, or the card's alone, before anybody learns that the request is complete. */
static void complete_request(struct pagepress_request *command, int error)
{
	struct acomp_req *request = request_of(command);

	pagepress_queue_release(command);
	/* As the crypto API's users expect it. */
	local_bh_disable();
	acomp_request_complete(request, error);
	local_bh_enable();
}

static void by_software(struct pagepress_request *command)
{
	complete_request(command,
			 pagepress_acomp_software(request_of(command), compresses(command)));
}

static void redo(struct pagepress_request *command)
{
	pagepress_acomp_count(PAGEPRESS_ACOMP_REDONE);
	by_software(command);
}

static bool is_sound(struct pagepress_acomp_buffers *buffers, const void *stream,
		     unsigned int length, u32 crc)
{
	size_t produced = PAGE_SIZE;

	return lzo1x_decompress_safe(stream, length, buffers->destination, &produced) ==
		       LZO_E_OK &&
	       produced == PAGE_SIZE && pagepress_checksum(buffers->destination) == crc;
}

/* What the card could still write is read once: this CPU's copy counts. NULL if it is not whole. */
static void *load_answer(struct pagepress_request *command,
			 struct pagepress_acomp_buffers *buffers, unsigned int length, u64 crc)
{
	void *stream = pagepress_acomp_destination(request_of(command), length) ?: buffers->source;

	memcpy(stream, command->stream, length);
	return pagepress_checksum_bytes(stream, length) == crc ? stream : NULL;
}

/* As path/answer.c. */
static enum verdict judge_stream(struct pagepress_request *command,
				 struct pagepress_acomp_buffers *buffers, int *error)
{
	struct acomp_req *request = request_of(command);
	unsigned int length = command->produced_length;
	enum pagepress_prover prover;
	void *stream;

	if (command->status == PAGEPRESS_STATUS_SAME_FILLED ||
	    command->status == PAGEPRESS_STATUS_INCOMPRESSIBLE)
		return LEFT;
	if (command->status != PAGEPRESS_STATUS_SUCCESS)
		return REPORTED;
	if (!length || length > command->stream_length || command->card_crc != command->crc)
		return DOUBTED;
	prover = pagepress_card_prover(command->queue->card);
	if (prover == PAGEPRESS_PROVER_CARD)
		return UNPROVEN;
	stream = load_answer(command, buffers, length, command->detail);
	if (!stream)
		return DOUBTED;
	if (prover == PAGEPRESS_PROVER_CPU) {
		pagepress_acomp_count(PAGEPRESS_ACOMP_VERIFIED);
		if (!is_sound(buffers, stream, length, command->crc))
			return DOUBTED;
	}
	pagepress_witness_remember(command->detail, length, command->crc);
	*error = pagepress_acomp_deliver(request, stream, length);
	return DONE;
}

/* The card's decompressor was to show what the stream holds: this CPU looks at what it wrote. */
static enum verdict judge_proof(struct pagepress_request *command,
				struct pagepress_acomp_buffers *buffers, int *error)
{
	unsigned int length = command->stream_length;
	void *stream;

	pagepress_acomp_count(PAGEPRESS_ACOMP_PROVEN_BY_CARD);
	if (command->status != PAGEPRESS_STATUS_SUCCESS || command->produced_length != PAGE_SIZE ||
	    pagepress_checksum(command->plain) != command->crc)
		return DOUBTED;
	stream = load_answer(command, buffers, length, command->stream_crc);
	if (!stream)
		return DOUBTED;
	pagepress_witness_remember(command->stream_crc, length, command->crc);
	*error = pagepress_acomp_deliver(request_of(command), stream, length);
	return DONE;
}

static enum verdict judge_page(struct pagepress_request *command,
			       struct pagepress_acomp_buffers *buffers, int *error)
{
	struct acomp_req *request = request_of(command);
	void *page;

	if (command->status != PAGEPRESS_STATUS_SUCCESS)
		return REPORTED;
	page = pagepress_acomp_destination(request, PAGE_SIZE) ?: buffers->destination;
	memcpy(page, command->plain, PAGE_SIZE);
	if (command->produced_length != PAGE_SIZE || command->card_crc != command->crc ||
	    pagepress_checksum(page) != command->crc)
		return DOUBTED;
	*error = pagepress_acomp_deliver(request, page, PAGE_SIZE);
	return DONE;
}

static void complain(const struct pagepress_request *command, const char *what)
{
	dev_warn_ratelimited(command->queue->card->device,
			     "acomp: %s by card: %s: status %u, %u bytes, CRC32C %08x, the page's is %08x; by software instead\n",
			     compresses(command) ? "compress" : "decompress", what,
			     command->status, command->produced_length, command->card_crc,
			     command->crc);
}

static void done(struct pagepress_request *command)
{
	struct pagepress_acomp_buffers *buffers = pagepress_acomp_buffers();
	enum verdict verdict;
	int error = 0;

	spin_lock_bh(&buffers->lock);
	if (command->proving)
		verdict = judge_proof(command, buffers, &error);
	else if (compresses(command))
		verdict = judge_stream(command, buffers, &error);
	else
		verdict = judge_page(command, buffers, &error);
	spin_unlock_bh(&buffers->lock);
	switch (verdict) {
	case DONE:
		pagepress_acomp_count(compresses(command) ? PAGEPRESS_ACOMP_CARD_PAGES_OUT
							  : PAGEPRESS_ACOMP_CARD_PAGES_IN);
		complete_request(command, error);
		break;
	case LEFT:
		by_software(command);
		break;
	case UNPROVEN:
		if (!pagepress_queue_prove(command))
			redo(command);
		break;
	case DOUBTED:
		pagepress_acomp_count(PAGEPRESS_ACOMP_MISMATCHES);
		pagepress_probation_failed(command->queue->card);
		complain(command, "answer cannot be right");
		redo(command);
		break;
	case REPORTED:
		pagepress_acomp_count(PAGEPRESS_ACOMP_ERRORS);
		pagepress_probation_failed(command->queue->card);
		complain(command, "it reports an error");
		redo(command);
		break;
	}
}

/* Under queue->lock, while the card has it. */
static void show(struct seq_file *file, const struct pagepress_request *command)
{
	seq_printf(file, "acomp %s", compresses(command) ? "compress" : "decompress");
}

static const struct pagepress_owner owner = {
	.done = done,
	.redo = redo,
	.atomic = true,
	.show = show,
};

static bool load_page(struct pagepress_request *command, struct acomp_req *request)
{
	if (!pagepress_acomp_give(request, command->plain, &command->crc))
		return false;
	command->stream_length = min_t(unsigned int, request->dlen, PAGE_SIZE);
	return true;
}

/* False also for a stream whose page is not known: its answer could not be checked. */
static bool load_stream(struct pagepress_request *command, struct acomp_req *request)
{
	u32 stream_crc;

	if (!pagepress_acomp_give(request, command->stream, &stream_crc))
		return false;
	command->stream_length = request->slen;
	return pagepress_witness_recall(stream_crc, request->slen, &command->crc);
}

/*
 * False: nothing done, this CPU has to. Else the request is completed later, or is already: who
 * asks for a page mostly waits for it, so its answer is looked for here for a moment. Does not
 * sleep; but cards' locks are not for interrupts, soft ones neither: others hold them with soft
 * interrupts on, so whoever has these off, perhaps for a lock that they take, must not wait for
 * them. A callback is such a caller: none of its requests completes upon its stack.
 */
bool pagepress_acomp_offload(struct acomp_req *request, bool compress)
{
	struct pagepress_request *command;
	struct pagepress_queue *queue;
	bool page = compress ? request->slen == PAGE_SIZE
			     : request->slen <= PAGE_SIZE && request->dlen == PAGE_SIZE;
	u32 tag;

	if (!page || !request->dst || in_interrupt() || irqs_disabled())
		return false;
	command = pagepress_engines_claim_now(compress ? PAGEPRESS_OPCODE_COMPRESS
						       : PAGEPRESS_OPCODE_DECOMPRESS, &owner);
	if (!command)
		return false;
	((struct job *)command->owned)->request = request;
	if (!(compress ? load_page(command, request) : load_stream(command, request))) {
		pagepress_queue_release(command);
		return false;
	}
	/* A hold of our own: once submitted, it may be finished and its card gone at any moment. */
	queue = command->queue;
	atomic_inc(&queue->card->outstanding);
	if (pagepress_queue_submit(command, &tag)) {
		pagepress_queue_ring(queue, true);
		pagepress_queue_poll(command, tag, &owner);
		pagepress_card_let_go(queue->card);
		return true;
	}
	pagepress_queue_release(command);
	pagepress_card_let_go(queue->card);
	return false;
}
