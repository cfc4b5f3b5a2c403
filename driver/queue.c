// SPDX-License-Identifier: GPL-2.0-only
/* A pair of rings: requests claimed, submitted, rung for, reaped. No page is looked at here. */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "card.h"
#include "trace.h"

/* The quarter of the ring that writes leave free, so that a task waiting for a page finds room. */
#define READ_SHARE 4

static u32 queue_register(struct pagepress_queue *queue, u32 offset)
{
	return PAGEPRESS_QUEUE_BASE + queue->number * PAGEPRESS_QUEUE_STRIDE + offset;
}

static u32 doorbell(struct pagepress_queue *queue, u32 offset)
{
	return PAGEPRESS_DOORBELL_BASE + queue->number * PAGEPRESS_DOORBELL_STRIDE + offset;
}

static int map_page(struct device *device, void **page, dma_addr_t *bus)
{
	*page = (void *)__get_free_page(GFP_KERNEL | __GFP_ZERO);
	if (!*page)
		return -ENOMEM;
	*bus = dma_map_single(device, *page, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(device, *bus)) {
		free_page((unsigned long)*page);
		*page = NULL;
		return -ENOMEM;
	}
	return 0;
}

static void unmap_page(struct device *device, void *page, dma_addr_t bus)
{
	if (!page)
		return;
	dma_unmap_single(device, bus, PAGE_SIZE, DMA_BIDIRECTIONAL);
	free_page((unsigned long)page);
}

int pagepress_queue_create(struct pagepress_card *card, unsigned int number)
{
	struct pagepress_queue *queue = &card->queues[number];
	struct device *device = &card->device->dev;
	unsigned int index;

	queue->card = card;
	queue->number = number;
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->free);
	queue->depth = 1u << clamp_t(unsigned int, order_base_2(pagepress_depth),
				     PAGEPRESS_MIN_DEPTH_LOG2, card->max_depth_log2);
	queue->request_count = queue->depth - 1;

	queue->submissions = dma_alloc_coherent(device, queue->depth * sizeof(*queue->submissions),
						&queue->submissions_bus, GFP_KERNEL);
	queue->completions = dma_alloc_coherent(device, queue->depth * sizeof(*queue->completions),
						&queue->completions_bus, GFP_KERNEL);
	queue->requests = kvcalloc(queue->request_count, sizeof(*queue->requests), GFP_KERNEL);
	if (!queue->submissions || !queue->completions || !queue->requests)
		goto no_memory;

	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		request->queue = queue;
		request->tag = index;
		if (map_page(device, &request->plain, &request->plain_bus) ||
		    map_page(device, &request->stream, &request->stream_bus))
			goto no_memory;
		list_add_tail(&request->link, &queue->free);
		queue->free_count++;
	}
	return 0;

no_memory:
	pagepress_queue_destroy(queue);
	return -ENOMEM;
}

/* Only when the card is proven stopped: it may write to all of this. */
void pagepress_queue_destroy(struct pagepress_queue *queue)
{
	struct device *device = &queue->card->device->dev;
	unsigned int index;

	for (index = 0; queue->requests && index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		unmap_page(device, request->plain, request->plain_bus);
		unmap_page(device, request->stream, request->stream_bus);
	}
	kvfree(queue->requests);
	if (queue->completions)
		dma_free_coherent(device, queue->depth * sizeof(*queue->completions),
				  queue->completions, queue->completions_bus);
	if (queue->submissions)
		dma_free_coherent(device, queue->depth * sizeof(*queue->submissions),
				  queue->submissions, queue->submissions_bus);
	queue->requests = NULL;
	queue->completions = NULL;
	queue->submissions = NULL;
}

/* One of the queue's registers, by its offset in the block QUEUE. */
u32 pagepress_queue_read(struct pagepress_queue *queue, u32 offset)
{
	return pagepress_read(queue->card, queue_register(queue, offset));
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
			min(pagepress_moderation_count, 0xffffu)
					<< PAGEPRESS_MODERATION_COUNT_SHIFT |
				min(pagepress_moderation_cycles, 0xffffu)
					<< PAGEPRESS_MODERATION_CYCLES_SHIFT);
	pagepress_write(card, queue_register(queue, PAGEPRESS_REGISTER_QUEUE_CONTROL),
			PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK);
	queue->running = true;
	spin_unlock(&queue->lock);
}

/*
 * Nothing is submitted, rung or reaped after this. What the card had is done by this CPU before it
 * returns: nobody waits for a card that may never answer.
 */
void pagepress_queue_stop(struct pagepress_queue *queue)
{
	struct pagepress_request *request, *next;
	unsigned int index, noreclaim;
	LIST_HEAD(taken);

	spin_lock(&queue->lock);
	queue->running = false;
	for (index = 0; index < queue->request_count; index++) {
		request = &queue->requests[index];
		if (request->state == PAGEPRESS_REQUEST_ON_CARD) {
			request->state = PAGEPRESS_REQUEST_SOFTWARE;
			list_add_tail(&request->link, &taken);
		}
	}
	spin_unlock(&queue->lock);

	noreclaim = memalloc_noreclaim_save();
	list_for_each_entry_safe(request, next, &taken, link)
		pagepress_offload_redo(request);
	memalloc_noreclaim_restore(noreclaim);
}

/* NULL without room. The request is the caller's until it submits or releases it. */
struct pagepress_request *pagepress_queue_claim(struct pagepress_queue *queue, u8 opcode)
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
		atomic_inc(&queue->card->outstanding);
	}
	spin_unlock(&queue->lock);
	return request;
}

void pagepress_queue_release(struct pagepress_request *request)
{
	struct pagepress_queue *queue = request->queue;
	struct pagepress_card *card = queue->card;

	spin_lock(&queue->lock);
	request->state = PAGEPRESS_REQUEST_FREE;
	list_add(&request->link, &queue->free);
	queue->free_count++;
	spin_unlock(&queue->lock);
	pagepress_card_let_go(card);
}

static void write_entry(struct pagepress_submission_entry *entry,
			const struct pagepress_request *request)
{
	bool compress = request->opcode == PAGEPRESS_OPCODE_COMPRESS;

	memset(entry, 0, sizeof(*entry));
	entry->opcode = request->opcode;
	entry->format = PAGEPRESS_FORMAT_LZO1X;
	entry->flags = cpu_to_le16(compress ? 0 : PAGEPRESS_FLAG_CHECK_CRC);
	entry->tag = cpu_to_le32(request->tag);
	entry->source_address = cpu_to_le64(compress ? request->plain_bus : request->stream_bus);
	entry->destination_address = cpu_to_le64(compress ? request->stream_bus
							  : request->plain_bus);
	entry->source_length = cpu_to_le32(compress ? PAGE_SIZE : request->stream_length);
	entry->destination_capacity = cpu_to_le32(compress ? request->stream_length : PAGE_SIZE);
	entry->expected_crc32c = cpu_to_le32(compress ? 0 : request->crc);
}

/*
 * False when the queue has stopped since the claim: the request is still the caller's. Else it may
 * be finished before this returns; *tag tells it apart from its later lives. The card learns of it
 * by pagepress_queue_ring().
 */
bool pagepress_queue_submit(struct pagepress_request *request, u32 *tag)
{
	struct pagepress_queue *queue = request->queue;
	struct device *device = &queue->card->device->dev;
	bool running;

	dma_sync_single_for_device(device, request->plain_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);
	dma_sync_single_for_device(device, request->stream_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);

	spin_lock(&queue->lock);
	running = queue->running;
	if (running) {
		request->tag += 1u << PAGEPRESS_TAG_INDEX_BITS;
		request->deadline = jiffies + msecs_to_jiffies(READ_ONCE(pagepress_timeout_ms));
		request->state = PAGEPRESS_REQUEST_ON_CARD;
		*tag = request->tag;
		/*
		 * As many requests as entries less one: the entry at tail has been fetched, or was
		 * never used.
		 */
		write_entry(&queue->submissions[queue->tail], request);
		queue->tail = (queue->tail + 1) & (queue->depth - 1);
		queue->submitted++;
		trace_pagepress_request_submit(request);
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
		trace_pagepress_queue_ring(queue, waiting);
		queue->rung = queue->tail;
		pagepress_write(queue->card, doorbell(queue, PAGEPRESS_REGISTER_SUBMISSION_TAIL),
				queue->tail);
	}
	spin_unlock(&queue->lock);
	return pushed;
}

/* The request a completion belongs to, or NULL if it belongs to none in flight. */
static struct pagepress_request *find(struct pagepress_queue *queue, u32 tag)
{
	unsigned int index = tag & (BIT(PAGEPRESS_TAG_INDEX_BITS) - 1);
	struct pagepress_request *request;

	if (index >= queue->request_count)
		return NULL;
	request = &queue->requests[index];
	return request->state == PAGEPRESS_REQUEST_ON_CARD && request->tag == tag ? request : NULL;
}

/* Moves finished requests to list; false when the card answers what nobody asked. */
static bool collect(struct pagepress_queue *queue, struct list_head *list, unsigned int *count)
{
	struct device *device = &queue->card->device->dev;
	bool sound = true;

	spin_lock(&queue->lock);
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
		request->status = entry->status;
		request->produced_length = le32_to_cpu(entry->produced_length);
		request->card_crc = le32_to_cpu(entry->crc32c);
		request->detail = le64_to_cpu(entry->detail);
		request->state = PAGEPRESS_REQUEST_SOFTWARE;
		trace_pagepress_request_complete(request, le32_to_cpu(entry->engine_cycles));
		list_add_tail(&request->link, list);
		dma_sync_single_for_cpu(device, request->plain_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);
		dma_sync_single_for_cpu(device, request->stream_bus, PAGE_SIZE, DMA_BIDIRECTIONAL);

		(*count)++;
		queue->head = (queue->head + 1) & (queue->depth - 1);
		if (!queue->head)
			queue->phase ^= 1;
	}
	/*
	 * Also the acknowledgment of the interrupt; before the requests, and so their ring entries,
	 * are free.
	 */
	if (*count && queue->running)
		pagepress_write(queue->card, doorbell(queue, PAGEPRESS_REGISTER_COMPLETION_HEAD),
				queue->head);
	spin_unlock(&queue->lock);
	return sound;
}

/*
 * Finishes what the card has completed; returns how many. Process context: finishing allocates in
 * the pool.
 */
unsigned int pagepress_queue_reap(struct pagepress_queue *queue)
{
	struct pagepress_card *card = queue->card;
	struct pagepress_request *request, *next;
	unsigned int noreclaim, count = 0;
	LIST_HEAD(done);

	if (!collect(queue, &done, &count))
		pagepress_card_fail(card, "a completion names no command in flight");
	if (!count)
		return 0;
	/* Reclaim may be waiting for these very pages: the pool must get memory without reclaim. */
	noreclaim = memalloc_noreclaim_save();
	list_for_each_entry_safe(request, next, &done, link)
		pagepress_offload_finish(request);
	memalloc_noreclaim_restore(noreclaim);
	return count;
}

/* True when a command is past its deadline; *busy is set when any is in flight. */
bool pagepress_queue_overdue(struct pagepress_queue *queue, bool *busy)
{
	bool overdue = false;
	unsigned int index;

	spin_lock(&queue->lock);
	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		if (request->state != PAGEPRESS_REQUEST_ON_CARD)
			continue;
		*busy = true;
		overdue |= time_after(jiffies, request->deadline);
	}
	spin_unlock(&queue->lock);
	return overdue;
}
