/* SPDX-License-Identifier: Apache-2.0 */
/* What the card says of a plain page besides its stream: CRC32C and whether it repeats one word. */
#include <string.h>

#include "page_codec.h"

/* Reflected Castagnoli polynomial. */
#define POLYNOMIAL 0x82f63b78u

static uint32_t table[256];

/* Filled before main, so that threads need no lock. */
__attribute__((constructor)) static void fill_table(void)
{
	for (uint32_t index = 0; index < 256; index++) {
		uint32_t value = index;

		for (int bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? POLYNOMIAL : 0);
		table[index] = value;
	}
}

uint32_t page_crc32c(const uint8_t *page, size_t page_bytes)
{
	uint32_t value = ~0u;

	while (page_bytes--)
		value = table[(value ^ *page++) & 0xff] ^ value >> 8;
	return ~value;
}

bool page_same_filled(const uint8_t *page, size_t page_bytes, uint64_t *fill)
{
	memcpy(fill, page, sizeof(*fill));
	return page_bytes % sizeof(*fill) == 0 && memcmp(page, page + sizeof(*fill), page_bytes - sizeof(*fill)) == 0;
}
