/* SPDX-License-Identifier: Apache-2.0 */
/* The card model's rings: fetch, complete, announce. */
#include "card_state.h"

/* Notional cycles that moving the entries of one command takes. */
enum { RING_CYCLES = 20, AGE_UNIT = 16 };

static uint32_t limit_count(const struct card_queue *queue)
{
	uint32_t count = (queue->moderation & PAGEPRESS_MODERATION_COUNT_MASK) >> PAGEPRESS_MODERATION_COUNT_SHIFT;

	return count ? count : 1;
}

static uint64_t limit_age(const struct card_queue *queue)
{
	return (uint64_t)AGE_UNIT *
	       ((queue->moderation & PAGEPRESS_MODERATION_CYCLES_MASK) >> PAGEPRESS_MODERATION_CYCLES_SHIFT);
}

static bool ring_has_room(const struct card_queue *queue)
{
	return ((queue->completion_tail + 1) & card_queue_mask(queue)) != queue->completion_head;
}

static bool has_command(const struct card_queue *queue)
{
	return queue->enabled && !queue->error && queue->submission_head != queue->submission_tail && ring_has_room(queue);
}

static bool to_announce(const struct card_queue *queue)
{
	return queue->enabled && queue->unannounced && !queue->interrupt;
}

static uint32_t depth_of(const struct card_queue *queue)
{
	return queue->enabled && !queue->error ? (queue->submission_tail - queue->submission_head) & card_queue_mask(queue) : 0;
}

static void see_peak(struct card_model *card, unsigned int index)
{
	struct card_model_queue *load = &card->loads[index];
	uint32_t depth = depth_of(&card->queues[index]);

	if (depth > load->depth_peak)
		load->depth_peak = depth;
}

void card_model_queue(struct card_model *card, unsigned int index, struct card_model_queue *told)
{
	struct card_model_queue *load = &card->loads[index];

	see_peak(card, index);
	*told = *load;
	told->depth = depth_of(&card->queues[index]);
	load->depth_peak = told->depth;
}

static void announce(struct card_model *card, unsigned int index)
{
	struct card_queue *queue = &card->queues[index];

	queue->interrupt = true;
	queue->unannounced = 0;
	card_count(card, PAGEPRESS_COUNTER_INTERRUPTS, 1);
	card->host.interrupt(card->host.context, PAGEPRESS_FIRST_QUEUE_VECTOR + index);
}

static void announce_if_due(struct card_model *card, unsigned int index)
{
	struct card_queue *queue = &card->queues[index];
	uint64_t age = card->counters[PAGEPRESS_COUNTER_CYCLES] - queue->oldest_cycle;

	if (to_announce(queue) && (queue->unannounced >= limit_count(queue) || age >= limit_age(queue)))
		announce(card, index);
}

static void complete(struct card_model *card, struct card_queue *queue, struct pagepress_completion_entry *completion)
{
	uint64_t address = queue->completion_base + (uint64_t)queue->completion_tail * sizeof(*completion);

	completion->submission_head = (uint16_t)queue->submission_head;
	completion->phase = queue->phase;
	if (!card->host.write(card->host.context, address, completion, sizeof(*completion))) {
		card_queue_fail(card, queue, PAGEPRESS_FATAL_RING_COMPLETE);
		return;
	}
	card_count(card, PAGEPRESS_COUNTER_COMPLETIONS, 1);
	queue->completion_tail = (queue->completion_tail + 1) & card_queue_mask(queue);
	if (queue->completion_tail == 0)
		queue->phase ^= 1;
	if (queue->unannounced++ == 0)
		queue->oldest_cycle = card->counters[PAGEPRESS_COUNTER_CYCLES];
}

static void run_command(struct card_model *card, unsigned int index)
{
	struct card_queue *queue = &card->queues[index];
	struct pagepress_submission_entry entry;
	struct pagepress_completion_entry completion;
	uint64_t address = queue->submission_base + (uint64_t)queue->submission_head * sizeof(entry);

	if (card_push_take(card, index, &entry)) {
		card_count(card, PAGEPRESS_COUNTER_COMMANDS_PUSHED, 1);
	} else if (!card->host.read(card->host.context, address, &entry, sizeof(entry))) {
		card_queue_fail(card, queue, PAGEPRESS_FATAL_RING_FETCH);
		return;
	}
	queue->submission_head = (queue->submission_head + 1) & card_queue_mask(queue);
	queue->sequence++;
	card->loads[index].commands++;
	card_count(card, PAGEPRESS_COUNTER_COMMANDS, 1);
	card_count(card, PAGEPRESS_COUNTER_CYCLES, RING_CYCLES);
	card_execute(card, &entry, &completion);
	complete(card, queue, &completion);
	announce_if_due(card, index);
}

bool card_model_has_command(const struct card_model *card)
{
	for (unsigned int index = 0; index < card->options.queue_pairs; index++)
		if (has_command(&card->queues[index]))
			return true;
	return false;
}

bool card_model_busy(const struct card_model *card)
{
	for (unsigned int index = 0; index < card->options.queue_pairs; index++)
		if (has_command(&card->queues[index]) || to_announce(&card->queues[index]))
			return true;
	return false;
}

static bool step(struct card_model *card)
{
	unsigned int queues = card->options.queue_pairs;
	uint64_t waiting = 0;
	int turn;

	for (unsigned int index = 0; index < queues; index++)
		if (has_command(&card->queues[index]))
			waiting |= UINT64_C(1) << index;
	turn = card_take_turn(card, waiting);
	if (turn >= 0) {
		run_command(card, (unsigned int)turn);
		return true;
	}
	/* Nothing else to do, so time runs on until the oldest completion is old enough. */
	for (unsigned int index = 0; index < queues; index++) {
		struct card_queue *queue = &card->queues[index];

		if (to_announce(queue)) {
			uint64_t due = queue->oldest_cycle + limit_age(queue);

			if (due > card->counters[PAGEPRESS_COUNTER_CYCLES])
				card->counters[PAGEPRESS_COUNTER_CYCLES] = due;
			announce(card, index);
			return true;
		}
	}
	return false;
}

/* What waits does so until the step is over; what the step carries out has been submitted until then. */
bool card_model_step(struct card_model *card)
{
	uint32_t depths[PAGEPRESS_MAX_QUEUE_PAIRS];
	uint64_t begin = card->counters[PAGEPRESS_COUNTER_CYCLES], passed;
	bool done;

	for (unsigned int index = 0; index < card->options.queue_pairs; index++) {
		depths[index] = depth_of(&card->queues[index]);
		see_peak(card, index);
	}
	done = step(card);
	passed = card->counters[PAGEPRESS_COUNTER_CYCLES] - begin;
	for (unsigned int index = 0; index < card->options.queue_pairs; index++) {
		card->loads[index].depth_cycles += depths[index] * passed;
		card->loads[index].waiting_cycles += depth_of(&card->queues[index]) * passed;
	}
	return done;
}
