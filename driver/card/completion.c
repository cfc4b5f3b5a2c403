// SPDX-License-Identifier: GPL-2.0-only
/* How a command ends: its completion is taken from the ring, or its queue is stopped. */
#include <linux/dma-mapping.h>
#include <linux/sched/mm.h>

#include "card/card.h"
#include "observe/trace.h"

unsigned int pagepress_poll_us = 20;

#define SPINS 8 /* looks for an answer between two at the clock */

static void let_go(struct pagepress_card *card, unsigned int holds)
{
	while (holds--)
		pagepress_card_let_go(card);
}

/*
 * Under queue->lock: the card no longer has the request. True when the owner still waits for it;
 * one that does the page already goes on, and one that is done needs it no more: *freed counts it.
 */
static bool return_request(struct pagepress_queue *queue, struct pagepress_request *request,
			   unsigned int *freed)
{
	enum pagepress_request_state before = request->state;

	request->state = PAGEPRESS_REQUEST_SOFTWARE;
	if (before == PAGEPRESS_REQUEST_ON_CARD)
		return true;
	atomic_dec(&queue->card->owed);
	if (before == PAGEPRESS_REQUEST_LATE) {
		pagepress_queue_set_free(queue, request);
		(*freed)++;
	}
	return false;
}

/* A task that polls, for its owner `poller`, may be where it must not sleep; NULL: any other. */
static bool may_finish(const struct pagepress_owner *poller,
		       const struct pagepress_request *request)
{
	return !poller || !poller->atomic || request->owner->atomic;
}

/* The first that nobody finishes yet and `poller` may, or NULL. */
static struct pagepress_request *next_answered(struct pagepress_queue *queue,
					       const struct pagepress_owner *poller)
{
	struct pagepress_request *request, *found = NULL;

	spin_lock(&queue->lock);
	list_for_each_entry(request, &queue->answered, link) {
		if (may_finish(poller, request)) {
			list_del(&request->link);
			found = request;
			break;
		}
	}
	spin_unlock(&queue->lock);
	return found;
}

/*
 * Finishes what has been answered, a page after the other, as whoever does it may lose its CPU:
 * what it has not begun others find here, take_back() of late.c when it would be late at the
 * latest. Returns how many, `most` at most.
 */
static unsigned int finish_answered(struct pagepress_queue *queue,
				    const struct pagepress_owner *poller, unsigned int most)
{
	struct pagepress_request *request;
	unsigned int noreclaim, count = 0;

	if (list_empty_careful(&queue->answered))
		return 0;
	/* Reclaim may be waiting for these very pages: the pool must get memory without reclaim. */
	noreclaim = memalloc_noreclaim_save();
	while (count < most && (request = next_answered(queue, poller))) {
		request->owner->done(request);
		count++;
	}
	pagepress_queue_ring_for_proofs(queue);
	memalloc_noreclaim_restore(noreclaim);
	return count;
}

/* The request a completion belongs to, or NULL if the card has none like it. */
static struct pagepress_request *find(struct pagepress_queue *queue, u32 tag)
{
	unsigned int index = tag & (BIT(PAGEPRESS_TAG_INDEX_BITS) - 1);
	struct pagepress_request *request;

	if (index >= queue->request_count)
		return NULL;
	request = &queue->requests[index];
	return pagepress_request_with_card(request) && request->tag == tag ? request : NULL;
}

/*
 * Whether a completion waits: a hint, without the lock. Who is just taking completions may hide one
 * from it, and then sees to what is there himself.
 */
bool pagepress_queue_answered(struct pagepress_queue *queue)
{
	const struct pagepress_completion_entry *entry =
		&queue->completions[READ_ONCE(queue->head)];

	return READ_ONCE(entry->phase) == READ_ONCE(queue->phase);
}

/*
 * Moves requests whose owners wait to queue->answered; false when the card answers what nobody
 * asked. Each completion ends a request's stay on the card, so there are never more than requests.
 * For a task that polls to the front, and up to the first that it may not finish.
 */
static bool collect(struct pagepress_queue *queue, unsigned int *count,
		    const struct pagepress_owner *poller)
{
	struct device *device = queue->card->device;
	bool sound = true, worked = false;
	unsigned int freed = 0;
	LIST_HEAD(answered);
	u64 now;

	spin_lock(&queue->lock);
	/* Not before: another CPU may submit until then, and be answered before it began. */
	now = ktime_get_ns();
	while (queue->running) {
		struct pagepress_completion_entry *entry = &queue->completions[queue->head];
		struct pagepress_request *request;

		if (READ_ONCE(entry->phase) != queue->phase)
			break;
		dma_rmb(); /* the rest of the entry is at least as new as its phase */
		request = find(queue, le32_to_cpu(entry->tag));
		if (!request) {
			sound = false;
			break;
		}
		if (!may_finish(poller, request))
			break;
		request->status = entry->status;
		request->produced_length = le32_to_cpu(entry->produced_length);
		request->card_crc = le32_to_cpu(entry->crc32c);
		request->detail = le64_to_cpu(entry->detail);
		trace_pagepress_request_complete(request, le32_to_cpu(entry->engine_cycles));
		worked |= request->status == PAGEPRESS_STATUS_SUCCESS;
		if (!request->proving)
			pagepress_late_measured(queue->card, request->opcode, now - request->begun);
		if (return_request(queue, request, &freed))
			list_add_tail(&request->link, &answered);
		dma_sync_single_for_cpu(device, request->plain_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);
		dma_sync_single_for_cpu(device, request->stream_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);

		(*count)++;
		queue->head = (queue->head + 1) & (queue->depth - 1);
		if (!queue->head)
			queue->phase ^= 1;
	}
	if (poller)
		list_splice(&answered, &queue->answered);
	else
		list_splice_tail(&answered, &queue->answered);
	WRITE_ONCE(queue->completed, queue->completed + *count);
	/*
	 * Also the acknowledgment of the interrupt; before the requests, and so their ring entries,
	 * are free.
	 */
	if (*count && queue->running)
		pagepress_queue_doorbell(queue, PAGEPRESS_REGISTER_COMPLETION_HEAD, queue->head);
	spin_unlock(&queue->lock);
	if (worked)
		atomic64_set(&queue->card->worked_at, get_jiffies_64());
	let_go(queue->card, freed);
	return sound;
}

/* Returns whether anything has got on. A task that polls finishes what it has collected itself. */
static bool reap(struct pagepress_queue *queue, const struct pagepress_owner *poller,
		 unsigned int most)
{
	unsigned int count = 0;

	if (!collect(queue, &count, poller))
		pagepress_card_fail(queue->card, "a completion names no command in flight");
	if (poller)
		most = count;
	return finish_answered(queue, poller, most) || count;
}

/*
 * Finishes what the card has completed, so many pages at most; false when there was nothing.
 * Process context: finishing allocates in the pool.
 */
bool pagepress_queue_reap(struct pagepress_queue *queue, unsigned int most)
{
	return reap(queue, NULL, most);
}

/*
 * A task waits for this one command, submitted as `tag`: look for its completion here for a moment,
 * and spare it the sleep, and this CPU the interrupt. Its proof has the tag after that. In whatever
 * context its owner's done() may be called. The caller has a hold on the card.
 */
void pagepress_queue_poll(struct pagepress_request *request, u32 tag,
			  const struct pagepress_owner *owner)
{
	struct pagepress_queue *queue = request->queue;
	u64 end = ktime_get_ns() + (u64)READ_ONCE(pagepress_poll_us) * NSEC_PER_USEC;
	unsigned int spin;

	while (!need_resched() && ktime_get_ns() < end) {
		for (spin = 0; spin < SPINS; spin++) {
			if (READ_ONCE(request->state) != PAGEPRESS_REQUEST_ON_CARD ||
			    READ_ONCE(request->tag) - tag > 1u << PAGEPRESS_TAG_INDEX_BITS)
				return;
			if (!pagepress_queue_answered(queue) || !reap(queue, owner, 0))
				cpu_relax();
		}
	}
}

/*
 * Nothing is submitted, rung or reaped after this. What the card had goes to the lists: the caller
 * has it done by this CPU, with pagepress_late_redo(), as nobody waits for a card that may never
 * answer; and what it has answered by pagepress_queue_finish().
 */
void pagepress_queue_stop(struct pagepress_queue *queue, struct list_head *reads,
			  struct list_head *writes)
{
	unsigned int index, freed = 0;

	spin_lock(&queue->lock);
	queue->running = false;
	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		if (pagepress_request_with_card(request) &&
		    return_request(queue, request, &freed))
			list_add_tail(&request->link,
				      request->opcode == PAGEPRESS_OPCODE_COMPRESS ? writes :
										     reads);
	}
	spin_unlock(&queue->lock);
	let_go(queue->card, freed);
}

/* Finishes all that was answered before the queue was stopped. */
void pagepress_queue_finish(struct pagepress_queue *queue)
{
	finish_answered(queue, NULL, UINT_MAX);
}
