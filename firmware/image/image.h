/* SPDX-License-Identifier: Apache-2.0 */
/* What an image must be before it may run. */
#ifndef IMAGE_H
#define IMAGE_H

#include <stdint.h>

#include "pagepress_management.h"

/* Look at a header alone: OK, or what is wrong with it. */
uint32_t image_check_header(const struct pagepress_image_header *header, uint32_t floor);

/*
 * Check the image at `offset` of the flash: header, version, signature. Its header comes back in `header`; with `load` its
 * bytes are copied there while they are read, so that what was checked is what stands there: nothing of it may run unless the
 * result is OK. Feeds the watchdog; takes some 5.7 million cycles, nearly all for the signature.
 */
uint32_t image_check(uint32_t offset, uint32_t floor, struct pagepress_image_header *header, uint8_t *load);

/* The same function in the boot ROM, for the firmware: image_check stands there once, at the address that start.S and runtime.ld say. */
struct rom_services {
	uint32_t magic;
	uint32_t (*image_check)(uint32_t, uint32_t, struct pagepress_image_header *, uint8_t *);
};

#define ROM_SERVICES_MAGIC 0x534D4F52u /* ROMS */

#endif
