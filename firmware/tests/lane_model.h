/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lanes of a card as the firmware meets them: the rules of rtl/top/LaneKeeper.scala, and engines that break as whoever uses it wants: the
 * firmware's own tests, and the card's model (sim/verilator).
 */
#ifndef LANE_MODEL_H
#define LANE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#define MODEL_LANES 4u /* two of each kind, decompressors first */

struct model_lane {
	/* what an engine does with a golden vector */
	enum { WELL, FAULTS, HANGS, OTHER_BYTES, OTHER_CRC, OTHER_LENGTH, OTHER_DETAIL } engine;
	bool faulty, working; /* the test says so; working: a command of the host's is in it */
	bool isolated, fresh, proven, testing;
	uint32_t pages, cycles, verify_failures, resets, tests, returns;
};

struct lane_model {
	struct model_lane lanes[MODEL_LANES];
	bool silent; /* the card's clock stands */
	bool disabled; /* READY is low */
	uint32_t page_bytes;
	uint32_t strays; /* actions on lanes that are not there */
};

extern struct lane_model lane_model;

void lane_model_power_on(void);
/* READY falls and rises. */
void lane_model_disable(void);

bool lane_model_read(uint32_t at, uint32_t *value);
bool lane_model_write(uint32_t at, uint32_t value);

#endif
