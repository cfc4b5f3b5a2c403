/* SPDX-License-Identifier: Apache-2.0 */
/*
 * LZO1X decompressor for every token the format has, with lzo-rle's zero runs. It trusts nothing:
 * each read, write and look back is checked before it happens.
 */
#include <string.h>

#include "page_codec.h"
#include "pagepress_interface.h"

enum {
	VERSION_MARK = 17,	/* first byte of a stream with a version byte after it */
	AFTER_RUN = 4,		/* literals seen just before: 0 to 3 of a match, or a run of 4 and more */
	M2_REACH = 2048,
	M4_BASE = 16384,
	SHORTEST_ZERO_RUN = 4,
	END_LENGTH = 3,		/* the end mark is an M4 of this length and distance 0 */
};

struct decoder {
	const uint8_t *next, *end;
	uint8_t *page;
	size_t produced, limit;
	uint8_t status;		/* SUCCESS until something is wrong */
};

static void fail(struct decoder *decoder, uint8_t status)
{
	if (decoder->status == PAGEPRESS_STATUS_SUCCESS)
		decoder->status = status;
}

/* Next byte, or 0 and MALFORMED_STREAM at the end of the input. */
static unsigned int take(struct decoder *decoder)
{
	if (decoder->next < decoder->end)
		return *decoder->next++;
	fail(decoder, PAGEPRESS_STATUS_MALFORMED_STREAM);
	return 0;
}

static unsigned int take_two(struct decoder *decoder)
{
	unsigned int low = take(decoder);

	return low | take(decoder) << 8;
}

/* A count that filled its token: `base` more, 255 for each zero byte, and the first byte that is none. */
static size_t take_extension(struct decoder *decoder, size_t base)
{
	unsigned int byte;

	while ((byte = take(decoder)) == 0 && !decoder->status)
		base += 255;
	return base + byte;
}

static void copy_literals(struct decoder *decoder, size_t count)
{
	size_t space = decoder->limit - decoder->produced, there = (size_t)(decoder->end - decoder->next);
	size_t possible = count;

	if (decoder->status)
		return;
	if (count > space || count > there) {
		possible = space < there ? space : there;
		fail(decoder, space < there || count <= there ? PAGEPRESS_STATUS_OUTPUT_OVERRUN :
							 PAGEPRESS_STATUS_MALFORMED_STREAM);
	}
	memcpy(decoder->page + decoder->produced, decoder->next, possible);
	decoder->next += possible;
	decoder->produced += possible;
}

static void copy_match(struct decoder *decoder, size_t distance, size_t length)
{
	if (decoder->status)
		return;
	if (distance > decoder->produced) {
		fail(decoder, PAGEPRESS_STATUS_MALFORMED_STREAM);
		return;
	}
	for (; length && decoder->produced < decoder->limit; length--, decoder->produced++)
		decoder->page[decoder->produced] = decoder->page[decoder->produced - distance];
	if (length)
		fail(decoder, PAGEPRESS_STATUS_OUTPUT_OVERRUN);
}

static void write_zeros(struct decoder *decoder, size_t length)
{
	for (; length && decoder->produced < decoder->limit; length--)
		decoder->page[decoder->produced++] = 0;
	if (length)
		fail(decoder, PAGEPRESS_STATUS_OUTPUT_OVERRUN);
}

/* A token of 16 to 31: zero run, end mark or far match. Returns the literals that follow; *ended at the end mark. */
static unsigned int far_token(struct decoder *decoder, unsigned int token, unsigned int version, bool *ended)
{
	size_t length = (token & 7) + 2, distance = (size_t)(token & 8) << 11;
	unsigned int pair;

	if (version && (token & 8) && decoder->end - decoder->next >= 2 &&
	    (decoder->next[0] & 0xfc) == 0xfc && decoder->next[1] == 0xff) {
		pair = take_two(decoder);
		length = (token & 7) | take(decoder) << 3;
		if (!decoder->status)
			write_zeros(decoder, length + SHORTEST_ZERO_RUN);
		return pair & 3;
	}
	if (length == 2)
		length = take_extension(decoder, 9);
	pair = take_two(decoder);
	distance += pair >> 2;
	if (decoder->status)
		return 0;
	if (distance == 0) {
		*ended = true;
		if (length != END_LENGTH || decoder->next != decoder->end)
			fail(decoder, PAGEPRESS_STATUS_MALFORMED_STREAM);
		return 0;
	}
	copy_match(decoder, distance + M4_BASE, length);
	return pair & 3;
}

/* A token of 32 and more: M3 or M2. Returns the literals that follow. */
static unsigned int near_token(struct decoder *decoder, unsigned int token)
{
	size_t length, distance;
	unsigned int pair;

	if (token >= 64) {
		length = (token >> 5) + 1;
		distance = 1 + (token >> 2 & 7) + ((size_t)take(decoder) << 3);
		copy_match(decoder, distance, length);
		return token & 3;
	}
	length = (token & 31) + 2;
	if (length == 2)
		length = take_extension(decoder, 33);
	pair = take_two(decoder);
	copy_match(decoder, 1 + (pair >> 2), length);
	return pair & 3;
}

uint8_t page_decompress(const uint8_t *stream, size_t stream_bytes, uint8_t *page, size_t page_bytes, size_t *length)
{
	struct decoder decoder = { .next = stream, .end = stream + stream_bytes, .page = page, .limit = page_bytes };
	unsigned int version = 0, literals = 0, token;
	bool ended = false;

	/* Five bytes and up, as in the kernel: the empty stream 11 00 00 has no version. */
	if (stream_bytes >= 5 && stream[0] == VERSION_MARK) {
		version = stream[1];
		decoder.next += 2;
		if (version > 1)
			fail(&decoder, PAGEPRESS_STATUS_MALFORMED_STREAM);
	}
	if (decoder.next < decoder.end && *decoder.next > VERSION_MARK) {
		size_t count = (size_t)take(&decoder) - VERSION_MARK;

		copy_literals(&decoder, count);
		literals = count < AFTER_RUN ? (unsigned int)count : AFTER_RUN;
	}
	while (!ended && !decoder.status) {
		token = take(&decoder);
		if (decoder.status)
			break;
		if (token >= 32) {
			literals = near_token(&decoder, token);
		} else if (token >= 16) {
			literals = far_token(&decoder, token, version, &ended);
		} else if (literals == 0) {
			size_t count = token ? token + 3 : take_extension(&decoder, 18);

			copy_literals(&decoder, count);
			literals = AFTER_RUN;
			continue;
		} else if (literals == AFTER_RUN) {
			copy_match(&decoder, 1 + M2_REACH + (token >> 2) + ((size_t)take(&decoder) << 2), 3);
			literals = token & 3;
		} else {
			copy_match(&decoder, 1 + (token >> 2) + ((size_t)take(&decoder) << 2), 2);
			literals = token & 3;
		}
		copy_literals(&decoder, literals);
	}
	if (decoder.produced < decoder.limit)
		fail(&decoder, PAGEPRESS_STATUS_OUTPUT_UNDERRUN);
	*length = decoder.produced;
	return decoder.status;
}
