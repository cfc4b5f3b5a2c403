/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Firmware that means harm: signed like good firmware, and free in all that its processor can reach. As images (make -C firmware HOSTILE=name) and
 * in the card's model it shows that pages do not depend on what runs there.
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include <stdint.h>

enum hostile {
	HOSTILE_WRITES, /* writes to every address that it can reach, in random order */
	HOSTILE_MAILBOX, /* stands still at another point of its boot or of a request each time it is booted */
	HOSTILE_LANES, /* isolates lanes for ever, and resets and tests them */
	HOSTILE_LOG, /* floods the event log */
	HOSTILE_FLOOR, /* takes the version floor back: forges records, and sends the flash whatever could change the floor's own */
};

/* After a reset of the core; `memory` is a word that outlives it. */
void hostile_start(enum hostile kind, uint32_t *memory);
void hostile_turn(void);

#endif
