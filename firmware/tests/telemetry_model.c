/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry_model.h"

#include <string.h>

#include "registers.h"

struct telemetry_model telemetry_model;

static uint32_t pages[3][PAGEPRESS_TELEMETRY_PAGE_BYTES / 4];
static uint32_t shown, newest, written = 1, published; /* as at power-on, for tests of something else */
static struct telemetry_model told; /* as of the last report */
static uint32_t told_of;
static int busy; /* reads of MONITOR_BUSY until the report is there */

void telemetry_model_power_on(void)
{
	memset(&telemetry_model, 0, sizeof(telemetry_model));
	memset(&told, 0, sizeof(told));
	memset(pages, 0xA5, sizeof(pages)); /* what memory holds at first */
	shown = newest = published = told_of = 0;
	written = 1;
	busy = 0;
}

void telemetry_model_take(void)
{
	shown = newest;
	telemetry_model.sequence = published;
}

uint32_t telemetry_model_shown(uint32_t offset)
{
	return pages[shown][(offset - PAGEPRESS_TELEMETRY_OFFSET) / 4];
}

static void publish(void)
{
	newest = written;
	published++;
	written = 3 - newest - shown; /* the one that is neither; these two are never the same here */
}

bool telemetry_model_write(uint32_t at, uint32_t value)
{
	const uint32_t page = PAGEPRESS_CORE_TELEMETRY_BASE + PAGEPRESS_TELEMETRY_OFFSET;

	if (at >= page && at < page + PAGEPRESS_TELEMETRY_PAGE_BYTES) {
		pages[written][(at - page) / 4] = value;
	} else if (at == ADDRESS(CORE_TELEMETRY, TELEMETRY_PUBLISH)) {
		publish();
	} else if (at == ADDRESS(CORE_MONITOR, MONITOR_ASK)) {
		if (busy)
			return true;
		busy = 2;
		told_of = value;
		telemetry_model.strays += value >= MODEL_QUEUES;
		told = telemetry_model;
		if (value < MODEL_QUEUES)
			telemetry_model.queues[value].peak = telemetry_model.queues[value].depth;
	} else {
		return false;
	}
	return true;
}

bool telemetry_model_read(uint32_t at, uint32_t *value)
{
	static const struct model_queue none;
	const struct model_queue *queue = told_of < MODEL_QUEUES ? &told.queues[told_of] : &none;

	switch (at) {
	case ADDRESS(CORE_TELEMETRY, TELEMETRY_PUBLISH):
		*value = published;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_QUEUES):
		*value = MODEL_QUEUES;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_SAMPLE_CYCLES):
		*value = MODEL_SAMPLE_CYCLES;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_BUSY):
		busy -= busy && !telemetry_model.silent;
		*value = busy > 0;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_DEPTH):
		*value = queue->peak << PAGEPRESS_MONITOR_DEPTH_PEAK_SHIFT | queue->depth;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_COMMANDS):
		*value = queue->commands;
		return true;
#define WIDE(name, number) \
	case ADDRESS(CORE_MONITOR, name##_LOW): \
		*value = (uint32_t)(number); \
		return true; \
	case ADDRESS(CORE_MONITOR, name##_HIGH): \
		*value = (uint32_t)((number) >> 32); \
		return true
	WIDE(MONITOR_CYCLES, told.cycles);
	WIDE(MONITOR_DEPTH_CYCLES, queue->depth_cycles);
	WIDE(MONITOR_WAITING_CYCLES, queue->waiting_cycles);
#undef WIDE
	case ADDRESS(CORE_MONITOR, MONITOR_COMPLETIONS_FAULTED):
		*value = told.link.completions_faulted;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_READS_OVERDUE):
		*value = told.link.reads_overdue;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_WRITES_FAILED):
		*value = told.link.writes_failed;
		return true;
	case ADDRESS(CORE_MONITOR, MONITOR_COMPLETIONS_UNEXPECTED):
		*value = told.link.completions_unexpected;
		return true;
	}
	return false;
}
