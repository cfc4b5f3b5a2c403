/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* The cold format (cold.md) read in C: the driver's decoder, and the model's. */
#ifndef COLD_DECOMPRESS_H
#define COLD_DECOMPRESS_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Of the trained tables that it has: it gives garbage of streams made with others, and they of its. */
extern const uint8_t cold_tables_version;

/*
 * Decompress a stream that must give exactly `page_bytes` bytes (1 to PAGEPRESS_COLD_LARGEST_PAGE). *length is how many of
 * the page's first bytes are right by the end; what the others hold is not said. MALFORMED_STREAM, OUTPUT_OVERRUN,
 * OUTPUT_UNDERRUN as in the interface; when two are true at once, the one met first in the stream. Touches only the bytes
 * its arguments name, and wants no memory but these.
 */
uint8_t cold_decompress(const uint8_t *stream, size_t stream_bytes, uint8_t *page, size_t page_bytes, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
