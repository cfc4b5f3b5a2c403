/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZO1X on one page, with the interface's statuses: the plain model of the card's engines.
 * Every function touches only the bytes its arguments name.
 */
#ifndef PAGE_CODEC_H
#define PAGE_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Matches reach back at most this far: the format's M3 token. Larger pages still work. */
#define PAGE_CODEC_LARGEST_PAGE (64u * 1024u)

/*
 * Compress `page_bytes` (1 to PAGE_CODEC_LARGEST_PAGE) into at most `limit` bytes at `stream`.
 * SUCCESS: *length is the stream's length. INCOMPRESSIBLE: it would exceed `limit`; *length is 0.
 */
uint8_t page_compress(const uint8_t *page, size_t page_bytes, uint8_t *stream, size_t limit, size_t *length);

/*
 * Decompress a stream (version 0, or lzo-rle's version 1) that must give exactly `page_bytes` bytes.
 * *length is what was written by the end. MALFORMED_STREAM, OUTPUT_OVERRUN, OUTPUT_UNDERRUN as in the
 * interface; when two are true at once, the one met first in the stream.
 */
uint8_t page_decompress(const uint8_t *stream, size_t stream_bytes, uint8_t *page, size_t page_bytes, size_t *length);

/* CRC32C (Castagnoli), as completions carry it. */
uint32_t page_crc32c(const uint8_t *page, size_t page_bytes);

/* True when the page repeats its first 8 bytes, which then stand in *fill as a little-endian number. */
bool page_same_filled(const uint8_t *page, size_t page_bytes, uint64_t *fill);

#ifdef __cplusplus
}
#endif

#endif
