/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Golden vectors: a page and a stream that holds it, drawn token by token from a seed, so that neither takes room in the image; and
 * whether another stream holds the page, judged without any of the card's engines.
 *
 * The stream is LZO1X: an opcode below 16 is a literal run, or after literals a short match; bits 1..0 of a match count the literals
 * behind it.
 */
#include <string.h>

#include "golden.h"

#define BODY_END 3800u /* what is drawn ends before the next token could pass the page's end */
#define FIRST_RUN 17u /* what the first byte of a stream adds to its literals */
#define LONGEST_RUN 24u
#define LONGEST_SHORT 8u /* a two-byte match */
#define FARTHEST_SHORT 2048u
#define LONG_MATCH 32u /* opcode of a three-byte match */
#define FAR_MATCH 16u /* of one from beyond 16 KiB; with no distance it ends the stream */
#define FARTHEST 16384u

static uint32_t numbers;

static uint32_t draw(uint32_t below)
{
	numbers ^= numbers << 13;
	numbers ^= numbers >> 17;
	numbers ^= numbers << 5;
	return (numbers >> 8) % below;
}

static void put(struct golden *golden, uint32_t byte)
{
	golden->stream[golden->stream_bytes++] = byte;
}

/* What exceeds the opcode's field: zeros for 255 each, then the rest. */
static void put_excess(struct golden *golden, uint32_t excess)
{
	for (; excess > 255; excess -= 255)
		put(golden, 0);
	put(golden, excess);
}

/* Half of the literals are of few kinds, as text is, so that a compressor finds matches of its own among them. */
static void put_literals(struct golden *golden, uint32_t count)
{
	uint32_t few = draw(2);

	while (count--) {
		uint32_t byte = few ? 'a' + draw(6) : draw(256);

		put(golden, byte);
		golden->page[golden->filled++] = byte;
	}
}

static void put_run(struct golden *golden, uint32_t count)
{
	if (!golden->filled) {
		put(golden, FIRST_RUN + count);
	} else if (count <= 18) {
		put(golden, count - 3);
	} else {
		put(golden, 0);
		put_excess(golden, count - 18);
	}
	put_literals(golden, count);
}

static void put_match(struct golden *golden, uint32_t distance, uint32_t length, uint32_t literals)
{
	if (length <= LONGEST_SHORT && distance <= FARTHEST_SHORT) {
		put(golden, (length - 1) << 5 | ((distance - 1) & 7) << 2 | literals);
		put(golden, (distance - 1) >> 3);
	} else {
		put(golden, LONG_MATCH | (length <= 33 ? length - 2 : 0));
		if (length > 33)
			put_excess(golden, length - 33);
		put(golden, (distance - 1) << 2 | literals);
		put(golden, (distance - 1) >> 6);
	}
	/* A longer page is the buffer again and again. */
	for (; length && golden->filled < GOLDEN_BYTES; length--, golden->filled++)
		golden->page[golden->filled] = golden->page[golden->filled - distance];
	put_literals(golden, literals);
}

static uint32_t drawn_length(void)
{
	switch (draw(8)) {
	case 0:
		return 3 + draw(250);
	case 1:
		return 3 + draw(40);
	default:
		return 3 + draw(LONGEST_SHORT - 2);
	}
}

void golden_draw(struct golden *golden, uint32_t seed, uint32_t page_bytes)
{
	uint32_t behind = 0; /* literals behind the last match; a run may follow only where there are none */

	numbers = seed * 0x9E3779B9u | 1;
	golden->filled = golden->stream_bytes = 0;
	golden->page_bytes = page_bytes;
	put_run(golden, 4 + draw(LONGEST_RUN));
	while (golden->filled < BODY_END) {
		uint32_t distance = 1 + draw(draw(2) ? golden->filled : golden->filled < 16 ? golden->filled : 16);

		behind = draw(2) ? draw(4) : 0;
		put_match(golden, distance, drawn_length(), behind);
		if (!behind && draw(2)) {
			put_run(golden, 4 + draw(LONGEST_RUN));
			behind = 4;
		}
	}
	if (behind)
		put_match(golden, 1 + draw(golden->filled), 3, 0);
	put_run(golden, GOLDEN_BYTES - golden->filled);
	if (page_bytes > GOLDEN_BYTES)
		put_match(golden, GOLDEN_BYTES, page_bytes - GOLDEN_BYTES, 0);
	put(golden, FAR_MATCH | 1);
	put(golden, 0);
	put(golden, 0);
}

/* A stream as it is read. */
struct reading {
	const uint8_t *next, *end;
	const uint8_t *page;
	uint32_t filled, page_bytes;
	bool wrong;
};

static uint32_t take(struct reading *reading)
{
	if (reading->next == reading->end) {
		reading->wrong = true;
		return 1; /* ends every run of zeros */
	}
	return *reading->next++;
}

static uint32_t take_excess(struct reading *reading)
{
	uint32_t excess = 0, byte;

	while (!(byte = take(reading)))
		excess += 255;
	return excess + byte;
}

/* Everything goes to the page that it must be: what is not there already is wrong. */
static void fill(struct reading *reading, uint32_t byte)
{
	if (reading->filled == reading->page_bytes || reading->page[reading->filled % GOLDEN_BYTES] != byte)
		reading->wrong = true;
	else
		reading->filled++;
}

static void take_literals(struct reading *reading, uint32_t count)
{
	while (count-- && !reading->wrong)
		fill(reading, take(reading));
}

static void copy(struct reading *reading, uint32_t distance, uint32_t length)
{
	if (distance > reading->filled)
		reading->wrong = true;
	while (length-- && !reading->wrong)
		fill(reading, reading->page[(reading->filled - distance) % GOLDEN_BYTES]);
}

/* One match; false when it is the stream's end. `before`: literals before it, 4 for a run. */
static bool take_match(struct reading *reading, uint32_t opcode, uint32_t before, uint32_t *behind)
{
	uint32_t length, low, far = 0, distance;

	if (opcode >= 64) {
		distance = 1 + (opcode >> 2 & 7) + (take(reading) << 3);
		*behind = opcode & 3;
		copy(reading, distance, (opcode >> 5) + 1);
		return true;
	}
	if (opcode < FAR_MATCH) {
		distance = 1 + (opcode >> 2) + (take(reading) << 2);
		*behind = opcode & 3;
		copy(reading, distance + (before == 4 ? FARTHEST_SHORT : 0), before == 4 ? 3 : 2);
		return true;
	}
	if (opcode >= LONG_MATCH) {
		length = opcode & 31;
		length = length ? length + 2 : take_excess(reading) + 33;
	} else {
		length = opcode & 7;
		length = length ? length + 2 : take_excess(reading) + 9;
		far = (opcode & 8) << 11;
	}
	low = take(reading);
	distance = (low >> 2) + (take(reading) << 6) + far;
	*behind = low & 3;
	if (opcode < LONG_MATCH && !distance)
		return false;
	copy(reading, distance + (opcode < LONG_MATCH ? FARTHEST : 1), length);
	return true;
}

bool golden_is_held_by(const struct golden *golden, const uint8_t *stream, uint32_t bytes)
{
	struct reading reading = { stream, stream + bytes, golden->page, 0, golden->page_bytes, false };
	uint32_t before = 0;

	if (bytes && *stream > FIRST_RUN) {
		uint32_t count = take(&reading) - FIRST_RUN;

		take_literals(&reading, count);
		before = count < 4 ? count : 4;
	}
	while (!reading.wrong) {
		uint32_t opcode = take(&reading);

		if (opcode < FAR_MATCH && !before) {
			take_literals(&reading, opcode ? opcode + 3 : take_excess(&reading) + 18);
			before = 4;
		} else if (take_match(&reading, opcode, before, &before)) {
			take_literals(&reading, before);
		} else {
			return !reading.wrong && reading.next == reading.end && reading.filled == reading.page_bytes;
		}
	}
	return false;
}
