/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The matches the card's compressor takes, window by window. The rules are those of rtl/engine/compressor, whose
 * scaladoc says what each is for; streams of the two are equal byte for byte.
 */
#ifndef PAGE_MATCHES_H
#define PAGE_MATCHES_H

#include <stddef.h>
#include <stdint.h>

struct page_match {
	size_t from, length, distance;	/* bytes of the page */
};

/*
 * Write the matches of a page of `page_bytes` (1 to PAGE_CODEC_LARGEST_PAGE), in order and without overlaps, to
 * `matches`, which has room for page_bytes / 3 + 1; returns how many.
 */
size_t page_matches(const uint8_t *page, size_t page_bytes, struct page_match *matches);

#endif
