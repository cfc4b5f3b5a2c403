/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The card behind its registers and rings, without clocks: what software may rely on, in plain C.
 *
 * One command is carried out whole by each card_model_step, in ring order; time is a notional cycle
 * count. Not thread safe: one caller at a time.
 */
#ifndef CARD_MODEL_H
#define CARD_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct card_model;

/* What the card is built with; it shows in CAPABILITIES. */
struct card_model_options {
	unsigned int page_shift;	/* log2 of bytes, 12 to 16 */
	unsigned int queue_pairs;	/* 1 to MAX_QUEUE_PAIRS */
	unsigned int max_depth_log2;	/* MIN_DEPTH_LOG2 to MAX_DEPTH_LOG2 */
	bool cold_format;		/* its engines know the cold format, besides LZO1X */
};

/* The world around the card. Reads and writes return false when the bus refuses them. */
struct card_model_host {
	void *context;
	bool (*read)(void *context, uint64_t address, void *data, size_t bytes);
	bool (*write)(void *context, uint64_t address, const void *data, size_t bytes);
	void (*interrupt)(void *context, unsigned int vector);	/* the vector's level rose */
};

/* NULL when an option is out of range or memory is short. */
struct card_model *card_model_create(const struct card_model_options *options, const struct card_model_host *host);
void card_model_destroy(struct card_model *card);

/* Power-on state; counters as well. */
void card_model_reset(struct card_model *card);

/* A 32-bit register at a byte offset in BAR0. */
uint32_t card_model_read(struct card_model *card, uint32_t offset);
void card_model_write(struct card_model *card, uint32_t offset, uint32_t value);

/* Carry out one command or one due interrupt; false when there is nothing to do. */
bool card_model_step(struct card_model *card);

/* Whether card_model_step would carry out a command, rather than let time pass. */
bool card_model_has_command(const struct card_model *card);

/* Whether card_model_step would do anything. */
bool card_model_busy(const struct card_model *card);

/* What a queue has had to do since card_model_reset; the cycles are notional. */
struct card_model_queue {
	uint32_t depth;			/* commands submitted and not completed */
	uint32_t depth_peak;		/* most of them, since it was last asked for */
	uint32_t commands;		/* that no longer wait */
	uint64_t depth_cycles, waiting_cycles;	/* sums over all cycles: of the depth, of those that wait */
};

void card_model_queue(struct card_model *card, unsigned int index, struct card_model_queue *told);

uint64_t card_model_counter(const struct card_model *card, unsigned int index);

#ifdef __cplusplus
}
#endif

#endif
