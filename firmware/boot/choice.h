/* SPDX-License-Identifier: Apache-2.0 */
/* Which image boots. */
#ifndef CHOICE_H
#define CHOICE_H

#include <stdint.h>

#include "pagepress_management.h"

/* `slot` is SLOT_NONE when nothing may run; `status` says what was found in slots A and B, OK where nobody looked. */
struct choice {
	uint32_t slot, kind, status[2];
	struct pagepress_image_header header;
};

/* Choose, and load the image to `load`. From then on nobody writes the version floor until the next reset. */
void choose_image(struct choice *choice, uint8_t *load);

/* BOOT_REPORT of a choice. */
uint32_t choice_report(const struct choice *choice);

#endif
