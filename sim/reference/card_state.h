/* SPDX-License-Identifier: Apache-2.0 */
/* What the card model remembers; shared by its files and nobody else. */
#ifndef CARD_STATE_H
#define CARD_STATE_H

#include "card_model.h"
#include "page_codec.h"
#include "pagepress_interface.h"

struct card_queue {
	uint64_t submission_base, completion_base;
	uint32_t depth_log2, moderation;
	uint32_t weight;		/* 1 to MAX_WEIGHT; nothing but a reset of the card undoes it */
	bool enabled, error;
	uint8_t cause;
	uint32_t submission_head, submission_tail;	/* ring indexes */
	uint32_t completion_head, completion_tail;
	uint32_t sequence;		/* commands taken since the queue was enabled */
	uint8_t phase;
	uint32_t unannounced;		/* completions since the last interrupt or acknowledgement */
	uint64_t oldest_cycle;		/* when the first of them was written */
	bool interrupt;			/* level of this queue's vector */
};

/* Of a cycle of turns: its round, from 1, and a bit for each queue that has not had its turn in it. */
struct card_turns {
	uint32_t round;
	uint64_t due;
};

/* A submission entry on its way through a PUSH window. */
struct card_push {
	unsigned int queue;
	unsigned int count;		/* dwords that have come, in order; 0: no copy */
	uint32_t dwords[PAGEPRESS_REGISTER_PUSH_END / 4 + 1];
};

struct card_model {
	struct card_model_options options;
	struct card_model_host host;
	bool enabled, event;		/* event: level of the event vector */
	uint64_t counters[PAGEPRESS_COUNTER_COUNT];
	struct card_turns turns;
	struct card_queue queues[PAGEPRESS_MAX_QUEUE_PAIRS];
	struct card_model_queue loads[PAGEPRESS_MAX_QUEUE_PAIRS];	/* but for the depth */
	struct card_push push;
	uint8_t source[2 * PAGE_CODEC_LARGEST_PAGE], output[PAGE_CODEC_LARGEST_PAGE], verified[PAGE_CODEC_LARGEST_PAGE];
};

static inline uint32_t card_page_bytes(const struct card_model *card)
{
	return 1u << card->options.page_shift;
}

static inline uint32_t card_queue_mask(const struct card_queue *queue)
{
	return (1u << queue->depth_log2) - 1;
}

/* Whether `address` is 0, or `length` bytes from there on reach past the last one that has an address. */
static inline bool card_bad_address(uint64_t address, uint64_t length)
{
	return !address || length > -address;
}

static inline void card_count(struct card_model *card, unsigned int counter, uint64_t amount)
{
	card->counters[counter] += amount;
}

/* Stop one queue and raise the event vector. */
void card_queue_fail(struct card_model *card, struct card_queue *queue, uint8_t cause);

/* The queue whose turn it is among those with a bit in `waiting`, and it has had it; -1 for none. */
int card_take_turn(struct card_model *card, uint64_t waiting);

/* A dword written at `offset` in the window of `queue`. */
void card_push_write(struct card_model *card, unsigned int queue, uint32_t offset, uint32_t value);
/* Whether the queue's next entry has been pushed whole; it is in `entry` then. There is no copy of that queue behind this. */
bool card_push_take(struct card_model *card, unsigned int queue, struct pagepress_submission_entry *entry);
void card_push_drop(struct card_model *card, unsigned int queue);

/* Carry out `entry`: every field of `completion` but submission_head and phase. Host memory is written on SUCCESS only. */
void card_execute(struct card_model *card, const struct pagepress_submission_entry *entry,
		  struct pagepress_completion_entry *completion);

#endif
