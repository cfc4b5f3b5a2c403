/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#include <stdbool.h>

#include "records.h"
#include "registers.h"

#define REGISTERS_BASE 0x80000000u
#define REGISTER_WORDS (16u << 10) /* 16 peripherals of 4 KiB: some more than there are */
#define A_TURN 32u /* what is done between two looks at the clock */
#define ENTRIES 4u /* of the log, in a turn */
#define HEARTBEAT_PERIOD 10 /* milliseconds */
#define STANDS 6u /* ways to stand still */
#define FORGED_VERSION 0x06060006u
#define PATIENCE 100 /* looks at a busy flash */

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

static void send(uint32_t at, uint32_t value)
{
	register_write(at, value);
	for (uint32_t i = 0; i < PATIENCE && READ(CORE_FLASH, FLASH_STATUS); i++)
		;
}

/* A command of the flash with an address, in words or in bytes. */
static void command_flash(uint32_t command, uint32_t offset, bool in_bytes)
{
	uint32_t word = command | (offset >> 16 & 0xFF) << 8 | (offset >> 8 & 0xFF) << 16 | (offset & 0xFF) << 24;

	WRITE(CORE_FLASH, FLASH_CONTROL, PAGEPRESS_FLASH_CONTROL_SELECT_MASK);
	for (uint32_t i = 0; in_bytes && i < 4; i++)
		send(ADDRESS(CORE_FLASH, FLASH_BYTE), word >> 8 * i & 0xFF);
	if (!in_bytes)
		send(ADDRESS(CORE_FLASH, FLASH_WORD), word);
	if (command == 0x02)
		send(ADDRESS(CORE_FLASH, FLASH_WORD), 0);
	WRITE(CORE_FLASH, FLASH_CONTROL, 0);
}

/*
 * Programs, erases of sectors, blocks and all, writes of the status and changes of the mode, at the floor itself and where it would show again
 * in a smaller flash. A record asks for the other slot, confirmed, and no floor.
 */
static void lower_floor(void)
{
	static const uint8_t commands[] = { 0x02, 0x20, 0x52, 0xD8, 0x60, 0xC7, 0x01, 0x31, 0x12, 0x21, 0xDC, 0xB7, 0x66, 0x99, 0x38 };
	uint32_t offset = PAGEPRESS_FLASH_FLOOR_OFFSET + draw() % (2 * PAGEPRESS_FLASH_SECTOR_BYTES);
	uint32_t report = READ(CORE_SYSTEM, SYSTEM_REPORT);
	bool in_bytes = draw() & 1;

	WRITE(CORE_FLASH, FLASH_CONTROL, PAGEPRESS_FLASH_CONTROL_SELECT_MASK);
	send(ADDRESS(CORE_FLASH, FLASH_BYTE), 0x06); /* WRITE_ENABLE */
	WRITE(CORE_FLASH, FLASH_CONTROL, 0);
	command_flash(commands[place++ % sizeof(commands)], offset | (draw() & 3 ? 0 : draw() << 18 & 0xFC0000), in_bytes);
	if (place % 64 == 0)
		records_append((report & PAGEPRESS_BOOT_REPORT_SLOT_MASK) == PAGEPRESS_SLOT_A ? PAGEPRESS_SLOT_B : PAGEPRESS_SLOT_A, CONFIRMED, 0);
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
	case HOSTILE_FLOOR:
		lower_floor();
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
