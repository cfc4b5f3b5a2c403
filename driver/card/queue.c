// SPDX-License-Identifier: GPL-2.0-only
/* A pair of rings: requests claimed, submitted, rung for, reaped. Whose they are, owners know. */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/poison.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "card/card.h"
#include "observe/trace.h"

/* The quarter of the ring that writes leave free, so that a task waiting for a page finds room. */
#define READ_SHARE 4

unsigned int pagepress_moderation_count = 16;
unsigned int pagepress_moderation_cycles = 32;
unsigned int pagepress_poll_us = 20;

#define SPINS 8 /* looks for an answer between two at the clock */

/* What becomes late meanwhile is done together. */
#define BETWEEN_LOOKS_NS (NSEC_PER_MSEC / 4)

/* So much of a command's time may have gone by before the card is told of it. */
#define GATHERED_LONG_NS (NSEC_PER_MSEC / 10)

/* Late writes that a read which becomes late meanwhile waits for: a millisecond or less. */
#define WRITES_AT_A_TIME 8

static u32 queue_register(struct pagepress_queue *queue, u32 offset)
{
	return PAGEPRESS_QUEUE_BASE + queue->number * PAGEPRESS_QUEUE_STRIDE + offset;
}

static u32 doorbell(struct pagepress_queue *queue, u32 offset)
{
	return PAGEPRESS_DOORBELL_BASE + queue->number * PAGEPRESS_DOORBELL_STRIDE + offset;
}

/* One of the queue's registers, by its offset in the block QUEUE. */
u32 pagepress_queue_read(struct pagepress_queue *queue, u32 offset)
{
	return pagepress_read(queue->card, queue_register(queue, offset));
}

/* Under queue->lock, of a card that is ready. */
static void tell_weight(struct pagepress_queue *queue)
{
	if (queue->card->weighs)
		pagepress_write(queue->card, queue_register(queue, PAGEPRESS_REGISTER_WEIGHT),
				queue->weight);
}

/* From now on, whatever is in flight; a card that is away gets it when it is back. */
void pagepress_queue_weigh(struct pagepress_queue *queue, unsigned int weight)
{
	spin_lock(&queue->lock);
	WRITE_ONCE(queue->weight, weight);
	if (queue->running)
		tell_weight(queue);
	spin_unlock(&queue->lock);
}

/* Tells a ready card about the rings, both empty. */
void pagepress_queue_start(struct pagepress_queue *queue)
{
	struct pagepress_card *card = queue->card;

	spin_lock(&queue->lock);
	memset(queue->submissions, 0, queue->depth * sizeof(*queue->submissions));
	memset(queue->completions, 0, queue->depth * sizeof(*queue->completions));
	queue->tail = 0;
	queue->rung = 0;
	queue->submitted = 0;
	queue->head = 0;
	queue->phase = 1;

	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW),
			lower_32_bits(queue->submissions_bus));
	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH),
			upper_32_bits(queue->submissions_bus));
	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_COMPLETION_BASE_LOW),
			lower_32_bits(queue->completions_bus));
	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH),
			upper_32_bits(queue->completions_bus));
	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_DEPTH_LOG2),
			ilog2(queue->depth));
	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_MODERATION),
			pagepress_moderation_count << PAGEPRESS_MODERATION_COUNT_SHIFT |
				pagepress_moderation_cycles << PAGEPRESS_MODERATION_CYCLES_SHIFT);
	tell_weight(queue);
	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_QUEUE_CONTROL),
			PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK);
	queue->running = true;
	spin_unlock(&queue->lock);
}

/* Under queue->lock. The caller ends the request's hold on the card afterwards. */
static void set_free(struct pagepress_queue *queue, struct pagepress_request *request)
{
	/* An owner that still looks at its request finds nothing, rather than what may be right. */
	if (IS_ENABLED(CONFIG_KASAN))
		memset(request->owned, POISON_FREE, sizeof(request->owned));
	request->state = PAGEPRESS_REQUEST_FREE;
	list_add(&request->link, &queue->free);
	queue->free_count++;
}

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
		set_free(queue, request);
		(*freed)++;
	}
	return false;
}

/* Reclaim may be waiting for these very pages: the pool must get memory without reclaim. */
static void redo_all(struct list_head *list)
{
	unsigned int noreclaim = memalloc_noreclaim_save();
	struct pagepress_request *request, *next;

	list_for_each_entry_safe(request, next, list, link)
		request->owner->redo(request);
	memalloc_noreclaim_restore(noreclaim);
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
 * what it has not begun others find here, pagepress_queue_take_back() when it would be late at the
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

/*
 * Nothing is submitted, rung or reaped after this. What the card had is done by this CPU before it
 * returns: nobody waits for a card that may never answer.
 */
void pagepress_queue_stop(struct pagepress_queue *queue)
{
	unsigned int index, freed = 0;
	LIST_HEAD(taken);

	spin_lock(&queue->lock);
	queue->running = false;
	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		if (pagepress_request_with_card(request) &&
		    return_request(queue, request, &freed))
			list_add_tail(&request->link, &taken);
	}
	spin_unlock(&queue->lock);
	finish_answered(queue, NULL, UINT_MAX);
	redo_all(&taken);
	let_go(queue->card, freed);
}

/* In jiffies: when a card that is told of a command now has failed if it has not answered. */
static unsigned long deadline_from_now(void)
{
	return jiffies + msecs_to_jiffies(READ_ONCE(pagepress_timeout_ms));
}

/* Under queue->lock, of a request with the card: who gathers it has not told the card of it yet. */
static bool is_untold(struct pagepress_queue *queue, const struct pagepress_request *request)
{
	return queue->submitted - request->number <= pagepress_queue_waiting(queue);
}

/* NULL without room. The request is the caller's until it submits or releases it. */
struct pagepress_request *
pagepress_queue_claim(struct pagepress_queue *queue, u8 opcode,
		      const struct pagepress_owner *owner)
{
	unsigned int keep = opcode == PAGEPRESS_OPCODE_COMPRESS ? queue->depth / READ_SHARE : 0;
	struct pagepress_request *request = NULL;

	spin_lock(&queue->lock);
	if (queue->running && queue->free_count > keep) {
		request = list_first_entry(&queue->free, struct pagepress_request, link);
		list_del(&request->link);
		queue->free_count--;
		request->state = PAGEPRESS_REQUEST_SOFTWARE;
		request->opcode = opcode;
		request->format = PAGEPRESS_FORMAT_LZO1X;
		request->proving = false;
		request->owner = owner;
		atomic_inc(&queue->card->outstanding);
	}
	spin_unlock(&queue->lock);
	return request;
}

/* Its owner is done with it; it is free as soon as the card is, too. */
void pagepress_queue_release(struct pagepress_request *request)
{
	struct pagepress_queue *queue = request->queue;
	struct pagepress_card *card = queue->card;
	bool with_card;

	spin_lock(&queue->lock);
	with_card = pagepress_request_with_card(request);
	if (with_card)
		request->state = PAGEPRESS_REQUEST_LATE;
	else
		set_free(queue, request);
	spin_unlock(&queue->lock);
	if (!with_card)
		pagepress_card_let_go(card);
}

static void write_entry(struct pagepress_submission_entry *entry,
			const struct pagepress_request *request)
{
	bool compress = request->opcode == PAGEPRESS_OPCODE_COMPRESS && !request->proving;
	/* Who has something to prove is not told what is right. */
	bool checked = !compress && !request->proving;

	memset(entry, 0, sizeof(*entry));
	entry->opcode = compress ? PAGEPRESS_OPCODE_COMPRESS : PAGEPRESS_OPCODE_DECOMPRESS;
	entry->format = request->format;
	entry->flags = cpu_to_le16(checked ? PAGEPRESS_FLAG_CHECK_CRC : 0);
	entry->tag = cpu_to_le32(request->tag);
	entry->source_address = cpu_to_le64(compress ? request->plain_bus : request->stream_bus);
	entry->destination_address = cpu_to_le64(compress ? request->stream_bus
							  : request->plain_bus);
	entry->source_length = cpu_to_le32(compress ? PAGE_SIZE : request->stream_length);
	entry->destination_capacity = cpu_to_le32(compress ? request->stream_length : PAGE_SIZE);
	entry->expected_crc32c = cpu_to_le32(checked ? request->crc : 0);
}

/*
 * False when the queue has stopped since the claim: the request is still the caller's. Else it may
 * be finished before this returns; *tag tells it apart from its later lives. The card learns of it
 * by pagepress_queue_ring().
 */
bool pagepress_queue_submit(struct pagepress_request *request, u32 *tag)
{
	struct pagepress_queue *queue = request->queue;
	struct device *device = queue->card->device;
	u64 patience = pagepress_late_after(queue->card, request->opcode), now;
	bool running;

	dma_sync_single_for_device(device, request->plain_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);
	dma_sync_single_for_device(device, request->stream_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);

	now = ktime_get_ns();
	if (!request->proving)
		request->begun = now;
	request->late_at = now + patience;
	spin_lock(&queue->lock);
	running = queue->running;
	if (running) {
		request->tag += 1u << PAGEPRESS_TAG_INDEX_BITS;
		request->deadline = deadline_from_now();
		request->state = PAGEPRESS_REQUEST_ON_CARD;
		*tag = request->tag;
		/*
		 * As many requests as entries less one: the entry at tail has been fetched, or was
		 * never used.
		 */
		if (!pagepress_queue_waiting(queue))
			queue->gathers_since = now;
		write_entry(&queue->submissions[queue->tail], request);
		queue->tail = (queue->tail + 1) & (queue->depth - 1);
		request->number = queue->submitted++;
		pagepress_late_arm(queue, request->late_at);
	}
	spin_unlock(&queue->lock);
	if (running)
		pagepress_watchdog_arm(queue->card);
	return running;
}

/* Submissions the card has not been told of; a hint. */
unsigned int pagepress_queue_waiting(struct pagepress_queue *queue)
{
	return (READ_ONCE(queue->tail) - READ_ONCE(queue->rung)) & (queue->depth - 1);
}

/* Under queue->lock: the card is told now of what was gathered, so its time begins now. */
static void begin_untold(struct pagepress_queue *queue)
{
	u64 now = ktime_get_ns();
	unsigned int index;

	if (now - queue->gathers_since < GATHERED_LONG_NS)
		return;
	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		if (!pagepress_request_with_card(request) || !is_untold(queue, request))
			continue;
		request->late_at = now + pagepress_late_after(queue->card, request->opcode);
		request->deadline = deadline_from_now();
	}
}

/*
 * Tells the card of all submissions; writel orders the entries before the doorbell. A task waits
 * for an `urgent` one: if it is the only one, the card gets a copy, which spares it the fetch. True
 * then.
 */
bool pagepress_queue_ring(struct pagepress_queue *queue, bool urgent)
{
	unsigned int waiting;
	bool pushed = false;

	spin_lock(&queue->lock);
	waiting = pagepress_queue_waiting(queue);
	if (queue->running && waiting) {
		pushed = urgent && queue->card->pushes && waiting == 1;
		if (pushed)
			pagepress_queue_push(queue);
		begin_untold(queue);
		trace_pagepress_queue_ring(queue, waiting);
		queue->rung = queue->tail;
		pagepress_write(queue->card, doorbell(queue, PAGEPRESS_REGISTER_SUBMISSION_TAIL),
				queue->tail);
	}
	spin_unlock(&queue->lock);
	return pushed;
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
		pagepress_write(queue->card, doorbell(queue, PAGEPRESS_REGISTER_COMPLETION_HEAD),
				queue->head);
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
 * Finishes what the card has completed; false when there was nothing. Process context: finishing
 * allocates in the pool.
 */
bool pagepress_queue_reap(struct pagepress_queue *queue)
{
	return reap(queue, NULL, queue->request_count);
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

/* Under queue->lock: moves so many at most to list. Returns when the next will be late; 0: now. */
static u64 take_late(struct pagepress_queue *queue, u8 opcode, u64 now, unsigned int most,
		     struct list_head *list)
{
	unsigned int index, taken = 0;
	u64 next = U64_MAX;

	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		if (request->state != PAGEPRESS_REQUEST_ON_CARD || request->opcode != opcode)
			continue;
		if (request->late_at > now) {
			next = min(next, request->late_at);
			continue;
		}
		if (taken == most)
			return 0;
		taken++;
		request->state = PAGEPRESS_REQUEST_TAKEN_BACK;
		atomic_inc(&queue->card->owed);
		atomic64_inc(&pagepress_card_late);
		list_add_tail(&request->link, list);
	}
	return next;
}

/*
 * Has the pages done whose commands are late, those that somebody waits for first, and a few of the
 * others at a time, as a read may become late meanwhile. The rest is looked for when it will be. No
 * card is to blame for what it was not told of, so it is told first: a task that gathers pages may
 * do much else before its plug ends, or lose its CPU; nor for what it has answered, while an
 * interrupt got lost, or whoever was to end the page has lost his CPU.
 */
void pagepress_queue_take_back(struct pagepress_queue *queue)
{
	LIST_HEAD(taken);
	u64 now, next;

	reap(queue, NULL, WRITES_AT_A_TIME);
	pagepress_queue_ring(queue, false);
	now = ktime_get_ns();
	spin_lock(&queue->lock);
	queue->late_at = 0;
	next = take_late(queue, PAGEPRESS_OPCODE_DECOMPRESS, now, UINT_MAX, &taken);
	next = min(next, take_late(queue, PAGEPRESS_OPCODE_COMPRESS, now, WRITES_AT_A_TIME,
				   &taken));
	if (!list_empty(&queue->answered))
		next = 0;
	if (next && next != U64_MAX)
		pagepress_late_arm(queue, max(next, now + BETWEEN_LOOKS_NS));
	spin_unlock(&queue->lock);
	if (!list_empty(&taken))
		pagepress_engines_changed(); /* it owes answers: nobody waits for its room */
	redo_all(&taken);
	if (!next)
		pagepress_late_look(queue);
}

/*
 * True when a command is past its deadline; *busy is set when the card has any. Of those that the
 * card has not been told of none is.
 */
bool pagepress_queue_overdue(struct pagepress_queue *queue, bool *busy)
{
	bool overdue = false;
	unsigned int index;

	spin_lock(&queue->lock);
	*busy |= !list_empty(&queue->answered);
	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		if (!pagepress_request_with_card(request))
			continue;
		*busy = true;
		overdue |= !is_untold(queue, request) && time_after(jiffies, request->deadline);
	}
	spin_unlock(&queue->lock);
	return overdue;
}
