/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cold format (rtl/interface/cold.md) on one page, with the interface's statuses: the plain model of the card's
 * coders. Every function touches only the bytes its arguments name.
 */
#ifndef COLD_H
#define COLD_H

#include <stddef.h>
#include <stdint.h>

#include "cold_decompress.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Compress `page_bytes` (1 to PAGEPRESS_COLD_LARGEST_PAGE) into at most `limit` bytes at `stream`.
 * SUCCESS: *length is the stream's length. INCOMPRESSIBLE: it would exceed `limit`; *length is 0.
 */
uint8_t cold_compress(const uint8_t *page, size_t page_bytes, uint8_t *stream, size_t limit, size_t *length);

#ifdef __cplusplus
}
#endif

#endif
