/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#include <stdbool.h>

#include "registers.h"

#define REGISTERS_BASE 0x80000000u
#define REGISTER_WORDS (16u << 10) /* 16 peripherals of 4 KiB: some more than there are */
#define A_TURN 32u /* what is done between two looks at the clock */
#define ENTRIES 4u /* of the log, in a turn */
#define HEARTBEAT_PERIOD 10 /* milliseconds */
#define STANDS 6u /* ways to stand still */
#define FORGED_VERSION 0x06060006u

static enum hostile kind;
static uint32_t numbers, place, last_beat, lane, stand;
static bool hung;

static uint32_t draw(void)
{
	numbers ^= numbers << 13;
	numbers ^= numbers >> 17;
	numbers ^= numbers << 5;
	return numbers;
}

void hostile_start(enum hostile which, uint32_t *memory)
{
	kind = which;
	stand = (*memory)++ % STANDS;
	numbers = *memory * 0x9E3779B9u | 1;
	place = draw();
	last_beat = milliseconds();
	lane = 0;
	hung = kind == HOSTILE_MAILBOX && stand == 0;
	if (hung)
		return;
	WRITE(CORE_SYSTEM, SYSTEM_VERSION, FORGED_VERSION);
	WRITE(CORE_SYSTEM, SYSTEM_STAGE, PAGEPRESS_STAGE_RUNNING);
}

/* As healthy as can be, for whoever looks from outside. */
static void live(void)
{
	uint32_t now = milliseconds();

	feed_watchdog();
	if (now - last_beat < HEARTBEAT_PERIOD)
		return;
	last_beat = now;
	WRITE(CORE_SYSTEM, SYSTEM_HEARTBEAT, 1);
}

/* Once through all words of the peripherals before any comes again; between two of them somewhere where nothing is, or ROM. */
static void write_somewhere(void)
{
	uint32_t address;

	place = (place * 1664525 + 1013904223) % REGISTER_WORDS;
	address = REGISTERS_BASE + 4 * place;
	if (address == ADDRESS(CORE_SYSTEM, SYSTEM_RESET) && draw() % 8)
		return; /* or it would boot most of the time */
	register_write(address, draw());
	address = draw() & ~3u;
	if (address < PAGEPRESS_CORE_RAM_BASE || address >= PAGEPRESS_CORE_RAM_BASE + PAGEPRESS_CORE_RAM_BYTES)
		register_write(address, draw());
	numbers += register_read(REGISTERS_BASE + 4 * (draw() % REGISTER_WORDS)) | 1;
}

/* What it stands still at: 0 before it says that it runs, 1 before it takes a request, 2 in the request, 3 in the response, 4 behind an answer of a
 * wrong length. 5 answers what nobody asked, and then stands still.
 */
static void half_answer(void)
{
	uint32_t length = READ(CORE_MAILBOX, MAILBOX_REQUEST);

	if (stand == 1 || !length) {
		hung = stand == 1;
		if (stand == 5) {
			WRITE(CORE_MAILBOX, MAILBOX_ANSWER, draw());
			hung = draw() % 1024 == 0;
		}
		return;
	}
	for (uint32_t at = 0; at < PAGEPRESS_MAILBOX_BYTES; at += 4) {
		uint32_t word = register_read(PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_REQUEST_OFFSET + at);

		hung = stand == 2 || (stand == 3 && at == PAGEPRESS_MAILBOX_BYTES / 2);
		if (hung)
			return;
		register_write(PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_RESPONSE_OFFSET + at, word ^ draw());
	}
	WRITE(CORE_MAILBOX, MAILBOX_ANSWER, draw());
	hung = true;
}

static void annoy_lanes(void)
{
	static const uint32_t actions[] = { PAGEPRESS_LANE_ACTION_ISOLATE, PAGEPRESS_LANE_ACTION_ISOLATE, PAGEPRESS_LANE_ACTION_RESET,
					    PAGEPRESS_LANE_ACTION_TEST };

	if (READ(CORE_LANES, LANE_BUSY))
		return;
	lane = (lane + 1) % PAGEPRESS_LANE_COUNT;
	register_write(PAGEPRESS_CORE_LANE_SOURCE_BASE + draw() % PAGEPRESS_LANE_BUFFER_BYTES / 4 * 4, draw());
	WRITE(CORE_LANES, LANE_ACTION, lane << PAGEPRESS_LANE_ACTION_LANE_SHIFT | actions[draw() % 4] << PAGEPRESS_LANE_ACTION_ACTION_SHIFT |
	      (draw() & PAGEPRESS_LANE_ACTION_LENGTH_MASK));
}

void hostile_turn(void)
{
	if (hung) {
		(void)milliseconds();
		return;
	}
	live();
	switch (kind) {
	case HOSTILE_WRITES:
		for (uint32_t i = 0; i < A_TURN; i++)
			write_somewhere();
		break;
	case HOSTILE_MAILBOX:
		half_answer();
		break;
	case HOSTILE_LANES:
		annoy_lanes();
		break;
	case HOSTILE_LOG:
		for (uint32_t i = 0; i < ENTRIES; i++)
			log_event(draw(), draw(), draw());
		break;
	}
}

#ifdef HOSTILE_IMAGE
extern uint32_t __free_begin[];

int main(void)
{
	hostile_start(HOSTILE_IMAGE, __free_begin);
	for (;;)
		hostile_turn();
}

void trapped(void)
{
	for (;;)
		;
}
#endif
