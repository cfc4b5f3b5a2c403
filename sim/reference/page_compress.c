/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZO1X compressor: greedy, one candidate per 3-byte hash. Writes literal runs, M2, M3 and the end
 * mark only, like the card. A stream never starts with 17, which the kernel takes as a version header.
 */
#include <string.h>

#include "page_codec.h"
#include "pagepress_interface.h"

enum {
	HASH_BITS = 12,
	SHORTEST = 3,		/* bytes: M2's least length */
	M2_LONGEST = 8,
	M2_REACH = 2048,
	M3_LONGEST = 33,	/* above this the length goes on in further bytes */
	M3_REACH = 16384,
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

static unsigned int hash(const uint8_t *bytes)
{
	uint32_t key = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16;

	return key * 0x9e3779b1u >> (32 - HASH_BITS);
}

static size_t common(const uint8_t *left, const uint8_t *right, size_t most)
{
	size_t length = 0;

	while (length < most && left[length] == right[length])
		length++;
	return length;
}

uint8_t page_compress(const uint8_t *page, size_t page_bytes, uint8_t *stream, size_t limit, size_t *length)
{
	struct writer out = { .stream = stream, .limit = limit };
	uint32_t latest[1 << HASH_BITS];	/* position + 1 of the last 3 bytes with this hash */
	size_t at = 0, literals_from = 0;

	memset(latest, 0, sizeof(latest));
	while (at + SHORTEST <= page_bytes && !out.full) {
		unsigned int slot = hash(page + at);
		size_t candidate = latest[slot], distance = at + 1 - candidate, matched = 0;

		latest[slot] = (uint32_t)at + 1;
		if (candidate && distance <= M3_REACH)
			matched = common(page + at, page + candidate - 1, page_bytes - at);
		/* A far match of 3 bytes costs the 3 bytes it saves. */
		if (matched < SHORTEST || (matched == SHORTEST && distance > M2_REACH)) {
			at++;
			continue;
		}
		put_literals(&out, page + literals_from, at - literals_from);
		/* A full writer has no token to count literals in. */
		if (out.full)
			break;
		put_match(&out, distance, matched);
		for (size_t inside = at + 1; inside < at + matched && inside + SHORTEST <= page_bytes; inside++)
			latest[hash(page + inside)] = (uint32_t)inside + 1;
		at += matched;
		literals_from = at;
	}
	if (!out.full)
		put_literals(&out, page + literals_from, page_bytes - literals_from);
	put(&out, 17);
	put(&out, 0);
	put(&out, 0);
	*length = out.full ? 0 : out.used;
	return out.full ? PAGEPRESS_STATUS_INCOMPRESSIBLE : PAGEPRESS_STATUS_SUCCESS;
}
