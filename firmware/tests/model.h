/* SPDX-License-Identifier: Apache-2.0 */
/* The registers of the management core on the host: a flash by its bits, mailbox, log, time that passes as it is read. */
#ifndef MODEL_H
#define MODEL_H

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include "pagepress_management.h"

#define FLASH_BYTES (1u << 18)

struct model {
	uint8_t flash[FLASH_BYTES];
	bool flash_dead, flash_stuck, flash_worn, flash_nameless;
	uint32_t lie_at, lie; /* the next read of this byte of the flash differs in these bits; 0: none */
	uint32_t lies; /* and so do as many after it */
	bool sensors_mute, time_stands;
	uint32_t unfed; /* looks at the time since the watchdog was fed: eight a millisecond */
	uint32_t beats; /* of HEARTBEAT */
	uint32_t operations; /* erases and programs begun */
	int64_t cut_at; /* the operation in whose middle power fails; -1: none */
	jmp_buf lost; /* where a reset or a power cut goes */
	uint8_t request[PAGEPRESS_MAILBOX_BYTES], response[PAGEPRESS_MAILBOX_BYTES];
	uint32_t request_length, response_length;
	bool answered;
	uint32_t report, throttle, time, sensor_updates, codes[4];
	uint32_t events[32]; /* how often each was logged */
	struct {
		uint32_t severity, argument;
	} last[32]; /* of each, what it was logged with last */
};

enum { POWER_CUT = 1, RESET_ASKED = 2 };

extern struct model model;

void model_power_on(void); /* all but what the flash holds */
void model_reset(void); /* of the core alone: the flash goes on with what it is at */

/* Fails the test with a line. */
#define CHECK(condition, ...) ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition, __VA_ARGS__))
_Noreturn void fail(const char *file, int line, const char *condition, const char *format, ...);

/* A repeatable stream of numbers. */
uint32_t draw(void);
void draw_from(uint32_t seed);

#endif
