// SPDX-License-Identifier: GPL-2.0-only
/* A pair of rings: requests claimed, submitted, rung for. Whose they are, owners know. */
#include <linux/dma-mapping.h>
#include <linux/poison.h>

#include "card/card.h"
#include "observe/trace.h"

/* The quarter of the ring that writes leave free, so that a task waiting for a page finds room. */
#define READ_SHARE 4

unsigned int pagepress_moderation_count = 16;
unsigned int pagepress_moderation_cycles = 32;

/* So much of a command's time may have gone by before the card is told of it. */
#define GATHERED_LONG_NS (NSEC_PER_MSEC / 10)

static u32 queue_register(struct pagepress_queue *queue, u32 offset)
{
	return PAGEPRESS_QUEUE_BASE + queue->number * PAGEPRESS_QUEUE_STRIDE + offset;
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
void pagepress_queue_set_free(struct pagepress_queue *queue, struct pagepress_request *request)
{
	/* An owner that still looks at its request finds nothing, rather than what may be right. */
	if (IS_ENABLED(CONFIG_KASAN))
		memset(request->owned, POISON_FREE, sizeof(request->owned));
	request->state = PAGEPRESS_REQUEST_FREE;
	list_add(&request->link, &queue->free);
	queue->free_count++;
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
		pagepress_queue_set_free(queue, request);
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
		pagepress_queue_doorbell(queue, PAGEPRESS_REGISTER_SUBMISSION_TAIL, queue->tail);
	}
	spin_unlock(&queue->lock);
	return pushed;
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
