/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stddef.h>

#include "image.h"
#include "registers.h"

static bool is_erased(const struct pagepress_image_header *header)
{
	const uint8_t *bytes = (const uint8_t *)header;

	for (size_t i = 0; i < sizeof(*header); i++)
		if (bytes[i] != 0xFF)
			return false;
	return true;
}

uint32_t image_check_header(const struct pagepress_image_header *header, uint32_t floor)
{
	if (is_erased(header))
		return STATUS(IMAGE_EMPTY);
	if (header->magic != PAGEPRESS_IMAGE_MAGIC_VALUE)
		return STATUS(IMAGE_BAD_MAGIC);
	if (header->target != PAGEPRESS_IMAGE_TARGET_VALUE)
		return STATUS(IMAGE_WRONG_TARGET);
	if (header->length <= sizeof(*header) || header->length % 4)
		return STATUS(IMAGE_TRUNCATED);
	if (header->length > PAGEPRESS_IMAGE_MAX_BYTES || header->memory < header->length ||
	    header->memory > PAGEPRESS_CORE_RAM_BYTES)
		return STATUS(IMAGE_TOO_LARGE);
	if (!header->version || header->floor > header->version)
		return STATUS(IMAGE_BAD_HEADER);
	if (header->version < floor)
		return STATUS(IMAGE_TOO_OLD);
	return STATUS(OK);
}
