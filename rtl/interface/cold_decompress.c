/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/*
 * Decoder of the cold format, exactly as strict as cold.md says.
 *
 * Literals come first in a stream and are wanted one by one behind it. They are decoded to the end of the page, from where
 * the sequences move them down: what is still to come is never less than the literals left, so a sequence that would reach
 * these is one that makes the page too long.
 *
 * One source for the driver and for the model of the card: no memory of its own, no recursion, no floating point; each loop ends
 * with the stream or the page.
 */
#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <stdbool.h>
#include <string.h>
#endif

#include "cold_decompress.h"
#include "pagepress_cold_decoder.h"
#include "pagepress_interface.h"

const uint8_t cold_tables_version = PAGEPRESS_COLD_TABLES_VERSION;

enum {
	OK = PAGEPRESS_STATUS_SUCCESS,
	MALFORMED = PAGEPRESS_STATUS_MALFORMED_STREAM,
	OVERRUN = PAGEPRESS_STATUS_OUTPUT_OVERRUN,
	UNDERRUN = PAGEPRESS_STATUS_OUTPUT_UNDERRUN,
	REPEATS = PAGEPRESS_COLD_REPEATS,
	STREAMS = 4,
	JUMPS = 6,		/* bytes that say how long the first three of four streams are */
	AT_ONCE = 57,		/* of the next bits a word has so many at least, wherever in a byte they begin */
	LITERALS_AT_ONCE = AT_ONCE / PAGEPRESS_COLD_LITERAL_BITS,
	STATE_BITS = PAGEPRESS_COLD_LITERAL_LENGTH_LOG + PAGEPRESS_COLD_MATCH_LENGTH_LOG + PAGEPRESS_COLD_OFFSET_LOG,
};

struct input {
	const uint8_t *at;
	size_t left;		/* bytes */
};

struct output {
	uint8_t *page;
	size_t bytes;		/* of the page */
	size_t made;		/* of its first bytes */
	size_t literals;	/* at its end, left to be moved down */
};

/* A stream of bits that is read from its end. */
struct bits {
	const uint8_t *from;
	size_t left;		/* bits */
};

/* Take `count` (up to 8) bytes as a little-endian number. */
static bool take(struct input *in, unsigned int count, uint64_t *value)
{
	unsigned int index;

	if (in->left < count)
		return false;
	*value = 0;
	for (index = 0; index < count; index++)
		*value |= (uint64_t)in->at[index] << 8 * index;
	in->at += count;
	in->left -= count;
	return true;
}

/* The highest bit that is set ends the stream; those above it are the rest of the last byte. */
static bool open_bits(struct bits *bits, const uint8_t *from, size_t bytes)
{
	unsigned int top = 7;

	if (!bytes || !from[bytes - 1])
		return false;
	while (!(from[bytes - 1] >> top))
		top--;
	bits->from = from;
	bits->left = 8 * (bytes - 1) + top;
	return true;
}

/* Eight bytes as a little-endian number: one load, where the machine has it. */
static inline uint64_t word_at(const uint8_t *at)
{
	return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
	       (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

/* The next bits, the first on top; zeros stand for those beyond the stream's beginning. */
static inline uint64_t next_bits(const struct bits *bits)
{
	size_t bytes = (bits->left + 7) / 8, index;
	uint64_t word = 0;

	if (bytes >= sizeof(word))
		word = word_at(bits->from + bytes - sizeof(word));
	else
		for (index = 0; index < bytes; index++)
			word |= (uint64_t)bits->from[index] << 8 * (sizeof(word) - bytes + index);
	return word << (8 * bytes - bits->left);
}

/* Takes `count` of them, up to 32, as a number. */
static inline uint32_t take_bits(uint64_t *next, unsigned int count)
{
	uint32_t value = (uint32_t)(*next >> 1 >> (63 - count));

	*next <<= count;
	return value;
}

/* Whether the stream had so many bits; it has that many fewer. */
static inline bool spend(struct bits *bits, unsigned int count)
{
	if (bits->left < count)
		return false;
	bits->left -= count;
	return true;
}

/* Decode `count` literals from a stream that holds these and nothing more. */
static bool decode_stream(const uint8_t *from, size_t bytes, uint8_t *to, size_t count)
{
	struct bits bits;

	if (!open_bits(&bits, from, bytes))
		return false;
	while (count) {
		size_t some = count < LITERALS_AT_ONCE ? count : LITERALS_AT_ONCE;
		uint64_t next = next_bits(&bits);

		for (count -= some; some; some--) {
			const struct pagepress_cold_literal_entry *entry =
				&pagepress_cold_literal_lookup[next >> (64 - PAGEPRESS_COLD_LITERAL_BITS)];

			if (!spend(&bits, entry->bits))
				return false;
			next <<= entry->bits;
			*to++ = entry->byte;
		}
	}
	return !bits.left;
}

/* Decode literals, in four streams where there are many, from `bytes` bytes. */
static bool decode_literals(const uint8_t *from, size_t bytes, uint8_t *to, size_t count)
{
	size_t quarter = (count + STREAMS - 1) / STREAMS;
	struct input in = { .at = from, .left = bytes };
	uint64_t lengths;
	unsigned int stream;

	if (count < PAGEPRESS_COLD_FOUR_STREAMS)
		return decode_stream(from, bytes, to, count);
	if (!take(&in, JUMPS, &lengths))
		return false;
	for (stream = 0; stream < STREAMS; stream++) {
		bool last = stream == STREAMS - 1;
		size_t length = last ? in.left : (size_t)(lengths >> 16 * stream & 0xffff);

		if (length > in.left || !decode_stream(in.at, length, to, last ? count - stream * quarter : quarter))
			return false;
		in.at += length;
		in.left -= length;
		to += quarter;
	}
	return true;
}

/*
 * The literals' header: kind in 2 bits, size format in 2 (or 1), how many literals, and if they are coded, in how many
 * bytes. Each number of literals has one size format.
 */
static uint8_t literal_section(struct input *in, struct output *out)
{
	struct input header = *in;
	uint64_t first, value;
	size_t count, bytes;

	if (!take(&header, 1, &first))
		return MALFORMED;
	if ((first & 3) == PAGEPRESS_COLD_LITERALS_RAW) {
		bool byte = !(first & 4), two = (first & 12) == 4;

		if (!take(in, byte ? 1 : two ? 2 : 3, &value))
			return MALFORMED;
		count = (size_t)(value >> (byte ? 3 : 4));
		if (!byte && count < (two ? 1u << 5 : 1u << 12))
			return MALFORMED;
		bytes = count;
	} else if ((first & 3) == PAGEPRESS_COLD_LITERALS_TREELESS) {
		unsigned int format = first >> 2 & 3;
		unsigned int width = format < 2 ? 10 : format == 2 ? 14 : 18;

		if (!take(in, (4 + 2 * width) / 8, &value))
			return MALFORMED;
		count = (size_t)(value >> 4 & ((1u << width) - 1));
		bytes = (size_t)(value >> (4 + width));
		if (!count || (count < PAGEPRESS_COLD_FOUR_STREAMS ? format != 0 : format == 0))
			return MALFORMED;
		if (format > 1 && count < (format == 2 ? 1u << 10 : 1u << 14))
			return MALFORMED;
	} else {
		return MALFORMED;
	}
	if (count > out->bytes)
		return OVERRUN;
	if (bytes > in->left)
		return MALFORMED;
	out->literals = count;
	if ((first & 3) == PAGEPRESS_COLD_LITERALS_RAW)
		memcpy(out->page + out->bytes - count, in->at, count);
	else if (!decode_literals(in->at, bytes, out->page + out->bytes - count, count))
		return MALFORMED;
	in->at += bytes;
	in->left -= bytes;
	return OK;
}

/* The distance that an offset value names; `recent` holds the last three. 0: none. */
static size_t distance_of(size_t value, bool literals, size_t *recent)
{
	size_t distance, place;

	if (value > REPEATS) {
		distance = value - REPEATS;
		place = REPEATS - 1;
	} else {
		/* Behind a match the last distance would only lengthen it: the three values name others then. */
		place = literals ? value - 1 : value;
		distance = place < REPEATS ? recent[place] : recent[0] - 1;
		if (place == REPEATS)
			place--;
	}
	for (; place; place--)
		recent[place] = recent[place - 1];
	recent[0] = distance;
	return distance;
}

/*
 * Forwards, as a match may repeat what it has just made; by eight bytes where what these give is not among them. What lies
 * further on may be moved down over itself.
 */
static inline void copy(uint8_t *to, const uint8_t *from, size_t bytes)
{
	uint64_t word;

	if (to <= from || (size_t)(to - from) >= sizeof(word)) {
		for (; bytes >= sizeof(word); bytes -= sizeof(word), to += sizeof(word), from += sizeof(word)) {
			memcpy(&word, from, sizeof(word));
			memcpy(to, &word, sizeof(word));
		}
	}
	while (bytes--)
		*to++ = *from++;
}

static inline uint8_t carry_out(struct output *out, size_t literals, size_t match, size_t distance)
{
	if (literals > out->literals)
		return MALFORMED;
	copy(out->page + out->made, out->page + out->bytes - out->literals, literals);
	out->made += literals;
	out->literals -= literals;
	if (!distance || distance > out->made)
		return MALFORMED;
	if (match > out->bytes - out->literals - out->made)
		return OVERRUN;
	copy(out->page + out->made, out->page + out->made - distance, match);
	out->made += match;
	return OK;
}

/* `count` sequences from a stream that holds these and nothing more. */
static uint8_t decode_sequences(const uint8_t *from, size_t bytes, size_t count, struct output *out)
{
	const struct pagepress_cold_state *literal, *offset, *match;
	size_t recent[REPEATS] = PAGEPRESS_COLD_FIRST_OFFSETS;
	struct bits bits;
	uint64_t next;

	if (!open_bits(&bits, from, bytes))
		return MALFORMED;
	next = next_bits(&bits);
	if (!spend(&bits, STATE_BITS))
		return MALFORMED;
	literal = &pagepress_cold_literal_length_decoder[take_bits(&next, PAGEPRESS_COLD_LITERAL_LENGTH_LOG)];
	offset = &pagepress_cold_offset_decoder[take_bits(&next, PAGEPRESS_COLD_OFFSET_LOG)];
	match = &pagepress_cold_match_length_decoder[take_bits(&next, PAGEPRESS_COLD_MATCH_LENGTH_LOG)];

	while (count--) {
		const struct pagepress_cold_code *value_code = &pagepress_cold_offset_codes[offset->code];
		const struct pagepress_cold_code *length_code = &pagepress_cold_match_length_codes[match->code];
		const struct pagepress_cold_code *literals_code = &pagepress_cold_literal_length_codes[literal->code];
		unsigned int extra = value_code->extra + length_code->extra + literals_code->extra; /* 46 at most */
		size_t literals, length, value;
		uint8_t status;

		next = next_bits(&bits);
		if (!spend(&bits, extra))
			return MALFORMED;
		value = value_code->base + take_bits(&next, value_code->extra);
		length = length_code->base + take_bits(&next, length_code->extra);
		literals = literals_code->base + take_bits(&next, literals_code->extra);
		status = carry_out(out, literals, length, distance_of(value, literals, recent));
		if (status != OK)
			return status;
		if (!count)
			break;
		if (extra > AT_ONCE - STATE_BITS)
			next = next_bits(&bits);
		if (!spend(&bits, literal->bits + match->bits + offset->bits))
			return MALFORMED;
		literal = &pagepress_cold_literal_length_decoder[literal->next + take_bits(&next, literal->bits)];
		match = &pagepress_cold_match_length_decoder[match->next + take_bits(&next, match->bits)];
		offset = &pagepress_cold_offset_decoder[offset->next + take_bits(&next, offset->bits)];
	}
	return bits.left ? MALFORMED : OK;
}

/* How many sequences in one byte, or in two from 128 on; which tables; the sequences. */
static uint8_t sequence_section(struct input *in, struct output *out)
{
	uint64_t count, more, modes;

	if (!take(in, 1, &count))
		return MALFORMED;
	if (!count)
		return in->left ? MALFORMED : OK;
	if (count >= 128) {
		if (count == 255 || !take(in, 1, &more))
			return MALFORMED;
		count = (count - 128) << 8 | more;
		if (count < 128)
			return MALFORMED;
	}
	if (!take(in, 1, &modes) || modes != PAGEPRESS_COLD_SEQUENCE_MODES)
		return MALFORMED;
	return decode_sequences(in->at, in->left, (size_t)count, out);
}

static uint8_t compressed_block(struct input *in, struct output *out)
{
	uint8_t status = literal_section(in, out);

	if (status == OK)
		status = sequence_section(in, out);
	if (status != OK)
		return status;
	/* The literals behind the last match are where they belong if nothing is missing between. */
	if (out->made + out->literals < out->bytes) {
		memmove(out->page + out->made, out->page + out->bytes - out->literals, out->literals);
		out->made += out->literals;
		return UNDERRUN;
	}
	out->made = out->bytes;
	return OK;
}

uint8_t cold_decompress(const uint8_t *stream, size_t stream_bytes, uint8_t *page, size_t page_bytes, size_t *length)
{
	struct input in = { .at = stream, .left = stream_bytes };
	struct output out = { .page = page, .bytes = page_bytes };
	uint64_t start, block;
	uint8_t status = MALFORMED;

	*length = 0;
	if (!take(&in, PAGEPRESS_COLD_FRAME_START_BYTES, &start) || start != PAGEPRESS_COLD_FRAME_START ||
	    !take(&in, PAGEPRESS_COLD_BLOCK_START_BYTES, &block) || block >> 3 != in.left)
		return MALFORMED;
	if ((block & 7) == PAGEPRESS_COLD_BLOCK_RAW) {
		if (in.left > page_bytes)
			return OVERRUN;
		memcpy(page, in.at, in.left);
		out.made = in.left;
		status = in.left < page_bytes ? UNDERRUN : OK;
	} else if ((block & 7) == PAGEPRESS_COLD_BLOCK_COMPRESSED) {
		status = compressed_block(&in, &out);
	}
	*length = out.made;
	return status;
}
