/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the card's queues have to do, and what goes wrong on its link: one queue after the other is asked for, a round of them every 10 ms.
 * Nothing waits for a report: a card whose clock stands gives it when it runs again.
 */
#include <string.h>

#include "registers.h"
#include "services.h"

#define PERIOD 10 /* milliseconds between two rounds */

/* As the monitor says: since power-on. */
struct counts {
	uint32_t commands;
	uint64_t depth_cycles, waiting_cycles;
};

static struct queue {
	struct counts first, last; /* when the image was entered, and now */
	uint16_t depth, peak;
	bool counting; /* the first are known */
} queues[PAGEPRESS_QUEUE_COUNT];
static struct pagepress_telemetry_link link_first, link_last;
static uint64_t cycles_first, cycles_last;
static uint32_t count, current, last_round, round_began, told_from;
static bool asked, in_round, link_counting;

void monitor_start(void)
{
	count = READ(CORE_MONITOR, MONITOR_QUEUES);
	if (count > PAGEPRESS_QUEUE_COUNT)
		count = PAGEPRESS_QUEUE_COUNT;
	memset(queues, 0, sizeof(queues));
	memset(&link_last, 0, sizeof(link_last));
	link_first = link_last;
	cycles_first = cycles_last = 0;
	current = 0;
	asked = in_round = link_counting = false;
	last_round = milliseconds() - PERIOD;
	told_from = milliseconds();
}

static uint64_t wide(uint32_t low, uint32_t high)
{
	return (uint64_t)high << 32 | low;
}

#define READ_WIDE(name) wide(READ(CORE_MONITOR, name##_LOW), READ(CORE_MONITOR, name##_HIGH))

static void take_queue(struct queue *queue)
{
	uint32_t depth = READ(CORE_MONITOR, MONITOR_DEPTH), peak = depth >> PAGEPRESS_MONITOR_DEPTH_PEAK_SHIFT;

	queue->last.commands = READ(CORE_MONITOR, MONITOR_COMMANDS);
	queue->last.depth_cycles = READ_WIDE(MONITOR_DEPTH_CYCLES);
	queue->last.waiting_cycles = READ_WIDE(MONITOR_WAITING_CYCLES);
	queue->depth = depth & PAGEPRESS_MONITOR_DEPTH_NOW_MASK;
	if (!queue->counting) {
		queue->first = queue->last;
		queue->counting = true;
		peak = queue->depth; /* before, it was another image's */
	}
	if (peak > queue->peak)
		queue->peak = peak;
}

static void take_link(void)
{
	link_last.completions_faulted = READ(CORE_MONITOR, MONITOR_COMPLETIONS_FAULTED);
	link_last.reads_overdue = READ(CORE_MONITOR, MONITOR_READS_OVERDUE);
	link_last.writes_failed = READ(CORE_MONITOR, MONITOR_WRITES_FAILED);
	link_last.completions_unexpected = READ(CORE_MONITOR, MONITOR_COMPLETIONS_UNEXPECTED);
	cycles_last = READ_WIDE(MONITOR_CYCLES);
	if (link_counting)
		return;
	link_first = link_last;
	cycles_first = cycles_last;
	link_counting = true;
}

void monitor_turn(void)
{
	if (!count || READ(CORE_MONITOR, MONITOR_BUSY))
		return;
	if (asked) {
		asked = false;
		take_queue(&queues[current]);
		take_link();
		if (++current == count) {
			in_round = false;
			told_from = round_began;
		}
	}
	if (!in_round) {
		if (milliseconds() - last_round < PERIOD)
			return;
		round_began = last_round = milliseconds();
		in_round = true;
		current = 0;
	}
	asked = true;
	WRITE(CORE_MONITOR, MONITOR_ASK, current);
}

uint32_t monitor_began(void)
{
	return told_from;
}

uint64_t monitor_cycles(void)
{
	return cycles_last - cycles_first;
}

uint32_t monitor_queues(void)
{
	return count;
}

void monitor_link(struct pagepress_telemetry_link *told)
{
	told->completions_faulted = link_last.completions_faulted - link_first.completions_faulted;
	told->reads_overdue = link_last.reads_overdue - link_first.reads_overdue;
	told->writes_failed = link_last.writes_failed - link_first.writes_failed;
	told->completions_unexpected = link_last.completions_unexpected - link_first.completions_unexpected;
}

void monitor_queue(uint32_t number, struct pagepress_telemetry_queue *told)
{
	const struct queue *queue = &queues[number];

	told->depth = queue->depth;
	told->depth_peak = queue->peak;
	told->commands = queue->last.commands - queue->first.commands;
	told->depth_cycles = queue->last.depth_cycles - queue->first.depth_cycles;
	told->waiting_cycles = queue->last.waiting_cycles - queue->first.waiting_cycles;
}
