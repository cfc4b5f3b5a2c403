// SPDX-License-Identifier: GPL-2.0-only
/* What a queue needs while its card is bound: rings, requests, the pages a card works in. */
#include <linux/dma-mapping.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "card/card.h"

unsigned int pagepress_depth = 64;

/* An administrator asks for so much of it: an error is the answer, not somebody's end. */
#define RING_MEMORY (GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

static int map_page(struct device *device, void **page, dma_addr_t *bus)
{
	*page = (void *)__get_free_page(RING_MEMORY | __GFP_ZERO);
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
	struct device *device = card->device;
	unsigned int index;

	queue->card = card;
	queue->number = number;
	queue->weight = PAGEPRESS_DEFAULT_WEIGHT;
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->free);
	INIT_LIST_HEAD(&queue->answered);
	pagepress_late_init(queue);
	queue->depth = min_t(unsigned int, roundup_pow_of_two(pagepress_depth),
			     1u << card->max_depth_log2);
	queue->request_count = queue->depth - 1;

	queue->submissions = dma_alloc_coherent(device, queue->depth * sizeof(*queue->submissions),
						&queue->submissions_bus, RING_MEMORY);
	queue->completions = dma_alloc_coherent(device, queue->depth * sizeof(*queue->completions),
						&queue->completions_bus, RING_MEMORY);
	queue->requests = kvcalloc(queue->request_count, sizeof(*queue->requests), RING_MEMORY);
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
	dev_err(device,
		"no memory for %u pairs of rings of %u entries: a smaller depth needs less\n",
		card->queue_count, queue->depth);
	pagepress_queue_destroy(queue);
	return -ENOMEM;
}

static void free_what_card_reaches(struct pagepress_queue *queue)
{
	struct device *device = queue->card->device;
	unsigned int index;

	for (index = 0; queue->requests && index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		unmap_page(device, request->plain, request->plain_bus);
		unmap_page(device, request->stream, request->stream_bus);
	}
	if (queue->completions)
		dma_free_coherent(device, queue->depth * sizeof(*queue->completions),
				  queue->completions, queue->completions_bus);
	if (queue->submissions)
		dma_free_coherent(device, queue->depth * sizeof(*queue->submissions),
				  queue->submissions, queue->submissions_bus);
}

/* A card that would not stop keeps what it can reach, until the next boot. */
void pagepress_queue_destroy(struct pagepress_queue *queue)
{
	if (queue->card->stopped)
		free_what_card_reaches(queue);
	kvfree(queue->requests);
	queue->requests = NULL;
	queue->completions = NULL;
	queue->submissions = NULL;
}
