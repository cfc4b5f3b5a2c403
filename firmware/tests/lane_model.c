/* SPDX-License-Identifier: Apache-2.0 */
#include "lane_model.h"

#include <string.h>

#include "golden.h"
#include "records.h"
#include "registers.h"

#define VECTORS 16 /* more than the firmware draws */
#define FIRST_COMPRESSOR (MODEL_LANES / 2)
#define ENGINE_FAULT 1 /* any status of the card but SUCCESS */

struct lane_model lane_model;

static uint8_t source[PAGEPRESS_LANE_BUFFER_BYTES], sink[PAGEPRESS_LANE_BUFFER_BYTES];
static struct golden golden;
static uint32_t shown, report, status, length, crc, detail;
static int busy; /* reads of LANE_BUSY until the action is answered */

void lane_model_power_on(void)
{
	memset(&lane_model, 0, sizeof(lane_model));
	lane_model.page_bytes = GOLDEN_BYTES;
	busy = 0;
	report = status = length = crc = detail = 0;
}

void lane_model_disable(void)
{
	for (uint32_t i = 0; i < MODEL_LANES; i++) {
		struct model_lane *lane = &lane_model.lanes[i];

		lane->faulty = lane->isolated = lane->fresh = lane->proven = lane->testing = false;
	}
}

/* The engine's answer; a vector is known by its bytes. */
static void run(struct model_lane *lane, bool compresses, uint32_t bytes)
{
	uint32_t seed = 0;

	do {
		golden_draw(&golden, ++seed, lane_model.page_bytes);
	} while (seed <= VECTORS && (memcmp(source, compresses ? golden.page : golden.stream, compresses ? GOLDEN_BYTES : golden.stream_bytes) ||
				     (!compresses && bytes != golden.stream_bytes)));
	length = compresses ? golden.stream_bytes : golden.page_bytes;
	memcpy(sink, compresses ? golden.stream : golden.page, GOLDEN_BYTES);
	crc = 0;
	for (uint32_t at = 0; at < golden.page_bytes; at += GOLDEN_BYTES)
		crc = crc32c_on(crc, golden.page, GOLDEN_BYTES);
	detail = compresses ? crc32c_on(0, golden.stream, golden.stream_bytes) : 0;
	/* What is no golden vector is no test either. */
	status = lane->engine == FAULTS || seed > VECTORS ? ENGINE_FAULT : 0;
	sink[lane->tests * 997 % golden.stream_bytes] ^= lane->engine == OTHER_BYTES;
	if (compresses && lane->engine == OTHER_BYTES)
		detail = crc32c_on(0, sink, golden.stream_bytes);
	crc ^= lane->engine == OTHER_CRC;
	detail ^= compresses && lane->engine == OTHER_DETAIL;
	length -= lane->engine == OTHER_LENGTH;
	lane->testing = lane->engine == HANGS;
	lane->proven = lane->engine != HANGS && !status;
	lane->tests++;
}

static bool other_in_service(uint32_t number)
{
	const struct model_lane *other = &lane_model.lanes[number ^ 1];

	return !other->isolated && !other->faulty;
}

static bool act(uint32_t number, uint32_t action, uint32_t bytes)
{
	struct model_lane *lane = &lane_model.lanes[number];

	switch (action) {
	case PAGEPRESS_LANE_ACTION_ISOLATE:
		if (!lane->isolated && !lane->faulty && !other_in_service(number))
			return false;
		lane->isolated = true;
		return true;
	case PAGEPRESS_LANE_ACTION_RESET:
		if (!lane->isolated || lane->working)
			return false;
		lane->fresh = true;
		lane->proven = lane->testing = false;
		lane->resets++;
		return true;
	case PAGEPRESS_LANE_ACTION_TEST:
		for (uint32_t i = 0; i < MODEL_LANES; i++)
			if (lane_model.lanes[i].testing)
				return false;
		if (!lane->isolated || !lane->fresh)
			return false;
		run(lane, number >= FIRST_COMPRESSOR, bytes);
		return true;
	case PAGEPRESS_LANE_ACTION_RETURN:
		if (lane->testing || (lane->faulty && !(lane->isolated && lane->proven)))
			return false;
		lane->isolated = lane->fresh = lane->faulty = false;
		lane->returns++;
		return true;
	}
	return action == PAGEPRESS_LANE_ACTION_LOOK;
}

/* The floor. */
static void release_what_is_needed(void)
{
	for (uint32_t i = 0; i < MODEL_LANES; i++) {
		struct model_lane *lane = &lane_model.lanes[i];

		if (lane->isolated && !lane->faulty && !other_in_service(i))
			lane->isolated = lane->fresh = lane->testing = false;
	}
}

static void answer(uint32_t word)
{
	uint32_t number = word & PAGEPRESS_LANE_ACTION_LANE_MASK;
	uint32_t action = (word & PAGEPRESS_LANE_ACTION_ACTION_MASK) >> PAGEPRESS_LANE_ACTION_ACTION_SHIFT;
	uint32_t bytes = (word & PAGEPRESS_LANE_ACTION_LENGTH_MASK) >> PAGEPRESS_LANE_ACTION_LENGTH_SHIFT;
	const struct model_lane *lane;
	bool done;

	busy = 2;
	if (number >= MODEL_LANES) {
		lane_model.strays++;
		report = 0;
		return;
	}
	lane = &lane_model.lanes[number];
	if (lane_model.disabled)
		lane_model_disable();
	release_what_is_needed();
	done = (!lane_model.disabled || action == PAGEPRESS_LANE_ACTION_LOOK) && act(number, action, bytes);
	shown = number;
	report = done << PAGEPRESS_LANE_REPORT_DONE_SHIFT | lane->isolated << PAGEPRESS_LANE_REPORT_ISOLATED_SHIFT |
		 lane->faulty << PAGEPRESS_LANE_REPORT_FAULTY_SHIFT | !lane->working << PAGEPRESS_LANE_REPORT_IDLE_SHIFT |
		 lane->fresh << PAGEPRESS_LANE_REPORT_FRESH_SHIFT | lane->proven << PAGEPRESS_LANE_REPORT_PROVEN_SHIFT |
		 lane->testing << PAGEPRESS_LANE_REPORT_TESTING_SHIFT | status << PAGEPRESS_LANE_REPORT_STATUS_SHIFT;
}

bool lane_model_write(uint32_t at, uint32_t value)
{
	if (at >= PAGEPRESS_CORE_LANE_SOURCE_BASE && at < PAGEPRESS_CORE_LANE_SOURCE_BASE + PAGEPRESS_LANE_BUFFER_BYTES)
		memcpy(source + (at - PAGEPRESS_CORE_LANE_SOURCE_BASE), &value, 4);
	else if (at == ADDRESS(CORE_LANES, LANE_ACTION))
		answer(value);
	else
		return false;
	return true;
}

bool lane_model_read(uint32_t at, uint32_t *value)
{
	const struct model_lane *lane = &lane_model.lanes[shown];

	if (at >= PAGEPRESS_CORE_LANE_SINK_BASE && at < PAGEPRESS_CORE_LANE_SINK_BASE + PAGEPRESS_LANE_BUFFER_BYTES) {
		memcpy(value, sink + (at - PAGEPRESS_CORE_LANE_SINK_BASE), 4);
		return true;
	}
	switch (at) {
	case ADDRESS(CORE_LANES, LANES_PRESENT):
		*value = ((1u << MODEL_LANES) - (1u << FIRST_COMPRESSOR)) << PAGEPRESS_LANES_PRESENT_COMPRESSORS_SHIFT | ((1u << MODEL_LANES) - 1);
		return true;
	case ADDRESS(CORE_LANES, LANES_PAGE):
		*value = lane_model.page_bytes;
		return true;
	case ADDRESS(CORE_LANES, LANE_BUSY):
		busy -= busy && !lane_model.silent;
		*value = busy > 0;
		return true;
	case ADDRESS(CORE_LANES, LANE_REPORT):
		*value = report;
		return true;
	case ADDRESS(CORE_LANES, LANE_PAGES):
		*value = lane->pages;
		return true;
	case ADDRESS(CORE_LANES, LANE_CYCLES):
		*value = lane->cycles;
		return true;
	case ADDRESS(CORE_LANES, LANE_TROUBLE):
		*value = (lane->resets & 0xFFFF) << PAGEPRESS_LANE_TROUBLE_RESETS_SHIFT | (lane->verify_failures & 0xFFFF);
		return true;
	case ADDRESS(CORE_LANES, LANE_LENGTH):
		*value = length;
		return true;
	case ADDRESS(CORE_LANES, LANE_CRC32C):
		*value = crc;
		return true;
	case ADDRESS(CORE_LANES, LANE_DETAIL):
		*value = detail;
		return true;
	}
	return false;
}
