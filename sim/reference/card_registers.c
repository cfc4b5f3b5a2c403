/* SPDX-License-Identifier: Apache-2.0 */
/* The card model's registers: what each access does. Offsets outside the map read 0 and ignore writes. */
#include <stdlib.h>
#include <string.h>

#include "card_state.h"
#include "pagepress_cold.h"

/*
 * Of each kind the model shows one engine, and four where it knows the cold format: of so many software may use half for it, more than
 * one. It calls its clock 250 MHz.
 */
enum { ENGINES = 1, ENGINES_COLD = 4, STREAM_BYTES = 16, CLOCK_KILOHERTZ = 250000 };

static unsigned int engines(const struct card_model *card)
{
	return card->options.cold_format ? ENGINES_COLD : ENGINES;
}

static void weigh_alike(struct card_model *card)
{
	for (unsigned int index = 0; index < PAGEPRESS_MAX_QUEUE_PAIRS; index++)
		card->queues[index].weight = PAGEPRESS_DEFAULT_WEIGHT;
}

struct card_model *card_model_create(const struct card_model_options *options, const struct card_model_host *host)
{
	struct card_model *card;

	if (options->page_shift < 12 || 1u << options->page_shift > PAGE_CODEC_LARGEST_PAGE ||
	    options->queue_pairs < 1 || options->queue_pairs > PAGEPRESS_MAX_QUEUE_PAIRS ||
	    options->max_depth_log2 < PAGEPRESS_MIN_DEPTH_LOG2 || options->max_depth_log2 > PAGEPRESS_MAX_DEPTH_LOG2)
		return NULL;
	card = calloc(1, sizeof(*card));
	if (card) {
		card->options = *options;
		card->host = *host;
		weigh_alike(card);
	}
	return card;
}

void card_model_destroy(struct card_model *card)
{
	free(card);
}

void card_model_reset(struct card_model *card)
{
	card->enabled = card->event = false;
	memset(card->counters, 0, sizeof(card->counters));
	memset(card->queues, 0, sizeof(card->queues));
	memset(card->loads, 0, sizeof(card->loads));
	memset(&card->turns, 0, sizeof(card->turns));
	memset(&card->push, 0, sizeof(card->push));
	weigh_alike(card);
}

uint64_t card_model_counter(const struct card_model *card, unsigned int index)
{
	return index < PAGEPRESS_COUNTER_COUNT ? card->counters[index] : 0;
}

void card_queue_fail(struct card_model *card, struct card_queue *queue, uint8_t cause)
{
	queue->error = true;
	queue->cause = cause;
	if (!card->event) {
		card->event = true;
		card_count(card, PAGEPRESS_COUNTER_INTERRUPTS, 1);
		card->host.interrupt(card->host.context, PAGEPRESS_EVENT_VECTOR);
	}
}

static bool is_bad_ring(uint64_t base, uint64_t bytes)
{
	return card_bad_address(base, bytes) || base % PAGEPRESS_RING_ALIGNMENT;
}

static void enable_queue(struct card_model *card, struct card_queue *queue, bool enable)
{
	if (!enable) {
		queue->enabled = queue->error = queue->interrupt = false;
		queue->cause = PAGEPRESS_FATAL_NONE;
		queue->unannounced = 0;
		card_push_drop(card, (unsigned int)(queue - card->queues));
		return;
	}
	if (queue->enabled || !card->enabled)
		return;
	queue->submission_head = queue->submission_tail = 0;
	queue->completion_head = queue->completion_tail = 0;
	queue->sequence = 0;
	queue->phase = 1;
	queue->unannounced = 0;
	queue->interrupt = queue->error = false;
	queue->cause = PAGEPRESS_FATAL_NONE;
	queue->enabled = true;
	if (queue->depth_log2 < PAGEPRESS_MIN_DEPTH_LOG2 || queue->depth_log2 > card->options.max_depth_log2 ||
	    is_bad_ring(queue->submission_base, PAGEPRESS_SUBMISSION_ENTRY_BYTES << queue->depth_log2) ||
	    is_bad_ring(queue->completion_base, PAGEPRESS_COMPLETION_ENTRY_BYTES << queue->depth_log2))
		card_queue_fail(card, queue, PAGEPRESS_FATAL_RING_SETUP);
}

/* The event vector's level is the sum of the queues' errors. */
static void update_event(struct card_model *card)
{
	for (unsigned int index = 0; index < card->options.queue_pairs; index++)
		if (card->queues[index].error)
			return;
	card->event = false;
}

static void write_card(struct card_model *card, uint32_t offset, uint32_t value)
{
	bool enable = value & PAGEPRESS_CONTROL_ENABLE_MASK;

	if (offset != PAGEPRESS_REGISTER_CONTROL || enable == card->enabled)
		return;
	card->enabled = enable;
	if (!enable) {
		for (unsigned int index = 0; index < card->options.queue_pairs; index++)
			enable_queue(card, &card->queues[index], false);
		update_event(card);
	}
}

static void set_low(uint64_t *wide, uint32_t value)
{
	*wide = (*wide & ~(uint64_t)UINT32_MAX) | value;
}

static void set_high(uint64_t *wide, uint32_t value)
{
	*wide = (*wide & UINT32_MAX) | (uint64_t)value << 32;
}

static void write_queue(struct card_model *card, struct card_queue *queue, uint32_t offset, uint32_t value)
{
	if (offset == PAGEPRESS_REGISTER_QUEUE_CONTROL) {
		enable_queue(card, queue, value & PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK);
		update_event(card);
		return;
	}
	if (offset == PAGEPRESS_REGISTER_WEIGHT) {
		queue->weight = !value ? 1 : value < PAGEPRESS_MAX_WEIGHT ? value : PAGEPRESS_MAX_WEIGHT;
		return;
	}
	if (queue->enabled)
		return;
	switch (offset) {
	case PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW:
		set_low(&queue->submission_base, value);
		break;
	case PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH:
		set_high(&queue->submission_base, value);
		break;
	case PAGEPRESS_REGISTER_COMPLETION_BASE_LOW:
		set_low(&queue->completion_base, value);
		break;
	case PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH:
		set_high(&queue->completion_base, value);
		break;
	case PAGEPRESS_REGISTER_DEPTH_LOG2:
		queue->depth_log2 = value < 31 ? value : 31;
		break;
	case PAGEPRESS_REGISTER_MODERATION:
		queue->moderation = value;
		break;
	}
}

static void ring_doorbell(struct card_model *card, struct card_queue *queue, uint32_t offset, uint32_t value)
{
	uint32_t mask = card_queue_mask(queue);
	bool completion = offset == PAGEPRESS_REGISTER_COMPLETION_HEAD;

	if (queue->error || !card->enabled)
		return;
	/* Software cannot take completions that are not there. */
	if (!queue->enabled || value > mask ||
	    (completion && ((value - queue->completion_head) & mask) >
				   ((queue->completion_tail - queue->completion_head) & mask))) {
		card_queue_fail(card, queue, PAGEPRESS_FATAL_DOORBELL_RANGE);
		return;
	}
	if (!completion) {
		queue->submission_tail = value;
		card_count(card, PAGEPRESS_COUNTER_DOORBELLS, 1);
		return;
	}
	queue->completion_head = value;
	queue->interrupt = false;
	/* Completions that arrived since software looked are still to be announced; they age from now. */
	queue->unannounced = (queue->completion_tail - value) & mask;
	queue->oldest_cycle = card->counters[PAGEPRESS_COUNTER_CYCLES];
}

void card_model_write(struct card_model *card, uint32_t offset, uint32_t value)
{
	uint32_t queues = card->options.queue_pairs;

	if (offset % 4)
		return;
	if (offset >= PAGEPRESS_DOORBELL_BASE && offset < PAGEPRESS_DOORBELL_BASE + PAGEPRESS_DOORBELL_STRIDE * queues) {
		offset -= PAGEPRESS_DOORBELL_BASE;
		ring_doorbell(card, &card->queues[offset / PAGEPRESS_DOORBELL_STRIDE],
			      offset % PAGEPRESS_DOORBELL_STRIDE, value);
	} else if (offset >= PAGEPRESS_QUEUE_BASE && offset < PAGEPRESS_QUEUE_BASE + PAGEPRESS_QUEUE_STRIDE * queues) {
		offset -= PAGEPRESS_QUEUE_BASE;
		write_queue(card, &card->queues[offset / PAGEPRESS_QUEUE_STRIDE], offset % PAGEPRESS_QUEUE_STRIDE, value);
	} else if (offset >= PAGEPRESS_PUSH_BASE && offset < PAGEPRESS_PUSH_BASE + PAGEPRESS_PUSH_STRIDE * queues) {
		offset -= PAGEPRESS_PUSH_BASE;
		card_push_write(card, offset / PAGEPRESS_PUSH_STRIDE, offset % PAGEPRESS_PUSH_STRIDE, value);
	} else {
		write_card(card, offset, value);
	}
}

static uint32_t read_queue(const struct card_queue *queue, uint32_t offset)
{
	switch (offset) {
	case PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW:
		return (uint32_t)queue->submission_base;
	case PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH:
		return (uint32_t)(queue->submission_base >> 32);
	case PAGEPRESS_REGISTER_COMPLETION_BASE_LOW:
		return (uint32_t)queue->completion_base;
	case PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH:
		return (uint32_t)(queue->completion_base >> 32);
	case PAGEPRESS_REGISTER_DEPTH_LOG2:
		return queue->depth_log2;
	case PAGEPRESS_REGISTER_MODERATION:
		return queue->moderation;
	case PAGEPRESS_REGISTER_QUEUE_CONTROL:
		return queue->enabled ? PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK : 0;
	case PAGEPRESS_REGISTER_QUEUE_STATUS:
		return (queue->enabled ? PAGEPRESS_QUEUE_STATUS_ACTIVE_MASK : 0) |
		       (queue->error ? PAGEPRESS_QUEUE_STATUS_ERROR_MASK : 0) |
		       (uint32_t)queue->cause << PAGEPRESS_QUEUE_STATUS_CAUSE_SHIFT;
	case PAGEPRESS_REGISTER_SUBMISSION_HEAD:
		return queue->submission_head;
	case PAGEPRESS_REGISTER_COMPLETION_TAIL:
		return queue->completion_tail;
	case PAGEPRESS_REGISTER_WEIGHT:
		return queue->weight;
	default:
		return 0;
	}
}

static uint32_t read_card(const struct card_model *card, uint32_t offset)
{
	switch (offset) {
	case PAGEPRESS_REGISTER_MAGIC:
		return PAGEPRESS_MAGIC_VALUE;
	case PAGEPRESS_REGISTER_VERSION:
		return PAGEPRESS_VERSION_VALUE;
	case PAGEPRESS_REGISTER_HASH_LOW:
		return PAGEPRESS_HASH_LOW_VALUE;
	case PAGEPRESS_REGISTER_HASH_HIGH:
		return PAGEPRESS_HASH_HIGH_VALUE;
	case PAGEPRESS_REGISTER_CAPABILITIES:
		return card->options.page_shift << PAGEPRESS_CAPABILITIES_PAGE_SHIFT_SHIFT |
		       card->options.queue_pairs << PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT |
		       card->options.max_depth_log2 << PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT |
		       PAGEPRESS_CAPABILITIES_PUSH_MASK | PAGEPRESS_CAPABILITIES_WEIGHTS_MASK |
		       (card->options.cold_format ? PAGEPRESS_COLD_TABLES_VERSION << PAGEPRESS_CAPABILITIES_COLD_TABLES_SHIFT : 0);
	case PAGEPRESS_REGISTER_ENGINES:
		return engines(card) << PAGEPRESS_ENGINES_COMPRESSORS_SHIFT |
		       engines(card) << PAGEPRESS_ENGINES_DECOMPRESSORS_SHIFT |
		       STREAM_BYTES << PAGEPRESS_ENGINES_STREAM_BYTES_SHIFT;
	case PAGEPRESS_REGISTER_CLOCK:
		return CLOCK_KILOHERTZ;
	case PAGEPRESS_REGISTER_CONTROL:
		return card->enabled ? PAGEPRESS_CONTROL_ENABLE_MASK : 0;
	case PAGEPRESS_REGISTER_STATUS:
		return (card->enabled ? PAGEPRESS_STATUS_READY_MASK : 0) |
		       (card->enabled && card_model_busy(card) ? PAGEPRESS_STATUS_BUSY_MASK : 0);
	default:
		return 0;
	}
}

uint32_t card_model_read(struct card_model *card, uint32_t offset)
{
	uint32_t queues = card->options.queue_pairs;

	if (offset % 4)
		return 0;
	if (offset >= PAGEPRESS_QUEUE_BASE && offset < PAGEPRESS_QUEUE_BASE + PAGEPRESS_QUEUE_STRIDE * queues) {
		offset -= PAGEPRESS_QUEUE_BASE;
		return read_queue(&card->queues[offset / PAGEPRESS_QUEUE_STRIDE], offset % PAGEPRESS_QUEUE_STRIDE);
	}
	if (offset >= PAGEPRESS_COUNTER_BASE && offset < PAGEPRESS_COUNTER_BASE + 8 * PAGEPRESS_COUNTER_COUNT) {
		offset -= PAGEPRESS_COUNTER_BASE;
		return (uint32_t)(card->counters[offset / 8] >> (offset % 8 ? 32 : 0));
	}
	return read_card(card, offset);
}
