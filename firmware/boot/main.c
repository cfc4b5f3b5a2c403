/* SPDX-License-Identifier: Apache-2.0 */
/* The boot ROM: choose an image, load it, check it, enter it. It keeps nothing in RAM but its stack. */
#include <string.h>

#include "choice.h"
#include "image.h"
#include "registers.h"

/* Called by start.S; returns the address to enter. */
uint32_t boot(void);

uint32_t boot(void)
{
	struct choice choice;

	WRITE(CORE_SYSTEM, SYSTEM_STAGE, PAGEPRESS_STAGE_BOOTING);
	choose_image(&choice, (uint8_t *)PAGEPRESS_CORE_RAM_BASE);
	WRITE(CORE_SYSTEM, SYSTEM_REPORT, choice_report(&choice));
	if (choice.slot == PAGEPRESS_SLOT_NONE) {
		LOG(ERROR, NO_IMAGE, 0);
		WRITE(CORE_SYSTEM, SYSTEM_STAGE, PAGEPRESS_STAGE_FAILED);
		for (;;) /* a reset by the watchdog would find the same: wait for the host's */
			feed_watchdog();
	}
	WRITE(CORE_SYSTEM, SYSTEM_VERSION, choice.header.version);
	return PAGEPRESS_CORE_RAM_BASE + PAGEPRESS_IMAGE_HEADER_BYTES;
}

/* A trap of the ROM's own: stand still until the watchdog resets the core. */
void trapped(void)
{
	for (;;)
		;
}
