/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZO1X compressor: the matches of page_matches.c as literal runs, M2, M3 and the end mark, so that its streams are
 * the card's, byte for byte. A stream never starts with 17, which the kernel takes as a version header.
 */
#include <string.h>

#include "page_codec.h"
#include "page_matches.h"
#include "pagepress_interface.h"

enum {
	M2_LONGEST = 8,
	M2_REACH = 2048,
	M3_LONGEST = 33,	/* above this the length goes on in further bytes */
};

struct writer {
	uint8_t *stream;
	size_t used, limit;
	bool full;
};

static void put(struct writer *out, unsigned int byte)
{
	if (out->used < out->limit)
		out->stream[out->used++] = (uint8_t)byte;
	else
		out->full = true;
}

/* The rest of a count that overflows its token: zeros of 255 each, then 1 to 255. */
static void put_extension(struct writer *out, size_t rest)
{
	for (; rest > 255; rest -= 255)
		put(out, 0);
	put(out, (unsigned int)rest);
}

static void put_literals(struct writer *out, const uint8_t *bytes, size_t count)
{
	if (!count)
		return;
	if (out->used == 0 && count <= 238)
		put(out, 17 + (unsigned int)count);
	else if (count <= 3)
		/* Counted in the second-last byte of the match before them. */
		out->stream[out->used - 2] |= (uint8_t)count;
	else if (count <= 18)
		put(out, (unsigned int)count - 3);
	else {
		put(out, 0);
		put_extension(out, count - 18);
	}
	while (count--)
		put(out, *bytes++);
}

static void put_match(struct writer *out, size_t distance, size_t length)
{
	size_t back = distance - 1;

	if (length <= M2_LONGEST && distance <= M2_REACH) {
		put(out, (unsigned int)((length - 1) << 5 | (back & 7) << 2));
		put(out, (unsigned int)(back >> 3));
		return;
	}
	if (length <= M3_LONGEST) {
		put(out, (unsigned int)(32 | (length - 2)));
	} else {
		put(out, 32);
		put_extension(out, length - M3_LONGEST);
	}
	put(out, (unsigned int)(back << 2 & 0xff));
	put(out, (unsigned int)(back >> 6));
}

uint8_t page_compress(const uint8_t *page, size_t page_bytes, uint8_t *stream, size_t limit, size_t *length)
{
	static _Thread_local struct page_match matches[PAGE_CODEC_LARGEST_PAGE / 3 + 1];
	struct writer out = { .stream = stream, .limit = limit };
	size_t count = page_matches(page, page_bytes, matches), at = 0;

	for (size_t index = 0; index < count && !out.full; index++) {
		const struct page_match *match = &matches[index];

		put_literals(&out, page + at, match->from - at);
		/* A full writer has no token to count literals in. */
		if (!out.full)
			put_match(&out, match->distance, match->length);
		at = match->from + match->length;
	}
	if (!out.full)
		put_literals(&out, page + at, page_bytes - at);
	put(&out, 17);
	put(&out, 0);
	put(&out, 0);
	*length = out.full ? 0 : out.used;
	return out.full ? PAGEPRESS_STATUS_INCOMPRESSIBLE : PAGEPRESS_STATUS_SUCCESS;
}
