/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compressor of the cold format (rtl/interface/cold.md): the matches of page_matches.c, each a sequence of zstd, with the
 * entropy tables of the dictionary. What it may choose is chosen here: raw or coded literals, a raw or a compressed block.
 */
#include <stdbool.h>
#include <string.h>

#include "cold.h"
#include "page_codec.h"
#include "page_matches.h"
#include "pagepress_cold_encoder.h"
#include "pagepress_interface.h"

_Static_assert(PAGEPRESS_COLD_LARGEST_PAGE == PAGE_CODEC_LARGEST_PAGE, "the matches are those of the card's compressor");

enum {
	REPEATS = PAGEPRESS_COLD_REPEATS,
	STREAMS = 4,
	JUMPS = 6,		/* bytes that say how long the first three of four streams are */
	MOST_SEQUENCES = PAGE_CODEC_LARGEST_PAGE / 3 + 1,
};

/* What a value of a sequence is coded as. */
struct symbol {
	uint8_t code;
	uint32_t more;		/* above the code's base */
};

struct sequence {
	struct symbol literals, match, offset;
};

struct block {
	uint8_t literals[PAGE_CODEC_LARGEST_PAGE];
	size_t literal_count;
	struct sequence sequences[MOST_SEQUENCES];
	size_t sequence_count;
};

struct writer {
	uint8_t *stream;
	size_t used, limit;
	bool full;
};

/* Bits on their way into a writer, lowest first. */
struct bits {
	struct writer *out;
	uint32_t held;
	unsigned int count;
};

/* A table of the sequences, and the state its last code left. */
struct coder {
	const struct pagepress_cold_code *codes;
	const struct pagepress_cold_states *encoder;
	const uint16_t *states;
	unsigned int log, state;
};

static void put(struct writer *out, uint64_t value, unsigned int bytes)
{
	for (; bytes; bytes--, value >>= 8) {
		if (out->used < out->limit)
			out->stream[out->used++] = (uint8_t)value;
		else
			out->full = true;
	}
}

static void put_bits(struct bits *bits, uint32_t value, unsigned int count)
{
	bits->held |= (value & ((1u << count) - 1)) << bits->count;
	for (bits->count += count; bits->count >= 8; bits->count -= 8, bits->held >>= 8)
		put(bits->out, bits->held & 0xff, 1);
}

/* The end mark: a decoder begins behind the highest bit that is set. */
static void end_bits(struct bits *bits)
{
	put_bits(bits, 1, 1);
	if (bits->count)
		put_bits(bits, 0, 8 - bits->count);
}

static struct symbol symbol_of(const struct pagepress_cold_code *codes, unsigned int count, size_t value)
{
	unsigned int code = count - 1;

	while (codes[code].base > value)
		code--;
	return (struct symbol){ .code = (uint8_t)code, .more = (uint32_t)(value - codes[code].base) };
}

/* What names a distance; `recent` holds the last three. Behind a match, a value of 1 names the second of them. */
static size_t offset_value(size_t distance, bool literals, size_t *recent)
{
	unsigned int place = 0;
	size_t value;

	while (place < REPEATS && (recent[place] != distance || (!place && !literals)))
		place++;
	value = place < REPEATS ? place + literals : distance + REPEATS;
	if (place == REPEATS) {
		place = REPEATS - 1;
		if (!literals && distance == recent[0] - 1)
			value = REPEATS;
	}
	for (; place; place--)
		recent[place] = recent[place - 1];
	recent[0] = distance;
	return value;
}

static void sequence_page(const uint8_t *page, size_t page_bytes, struct block *block)
{
	static _Thread_local struct page_match matches[MOST_SEQUENCES];
	size_t recent[REPEATS] = PAGEPRESS_COLD_FIRST_OFFSETS, at = 0;

	block->literal_count = 0;
	block->sequence_count = page_matches(page, page_bytes, matches);
	for (size_t index = 0; index < block->sequence_count; index++) {
		const struct page_match *match = &matches[index];
		size_t literals = match->from - at, offset = offset_value(match->distance, literals, recent);

		block->sequences[index] = (struct sequence){
			.literals = symbol_of(pagepress_cold_literal_length_codes, PAGEPRESS_COLD_LITERAL_LENGTH_CODES, literals),
			.match = symbol_of(pagepress_cold_match_length_codes, PAGEPRESS_COLD_MATCH_LENGTH_CODES, match->length),
			.offset = symbol_of(pagepress_cold_offset_codes, PAGEPRESS_COLD_OFFSET_CODES, offset),
		};
		memcpy(block->literals + block->literal_count, page + at, literals);
		block->literal_count += literals;
		at = match->from + match->length;
	}
	memcpy(block->literals + block->literal_count, page + at, page_bytes - at);
	block->literal_count += page_bytes - at;
}

/* Bytes of a stream of these literals. */
static size_t stream_bytes(const uint8_t *literals, size_t count)
{
	size_t bits = 1;

	while (count--)
		bits += pagepress_cold_literals[*literals++].bits;
	return (bits + 7) / 8;
}

/* The last literal first, since decoders read from the end. */
static void put_stream(struct writer *out, const uint8_t *literals, size_t count)
{
	struct bits bits = { .out = out };

	while (count--)
		put_bits(&bits, pagepress_cold_literals[literals[count]].code, pagepress_cold_literals[literals[count]].bits);
	end_bits(&bits);
}

static void put_raw_literals(struct writer *out, const uint8_t *literals, size_t count)
{
	if (count < 1u << 5)
		put(out, PAGEPRESS_COLD_LITERALS_RAW | count << 3, 1);
	else if (count < 1u << 12)
		put(out, PAGEPRESS_COLD_LITERALS_RAW | 1 << 2 | count << 4, 2);
	else
		put(out, PAGEPRESS_COLD_LITERALS_RAW | 3 << 2 | count << 4, 3);
	while (count--)
		put(out, *literals++, 1);
}

static void put_literals(struct writer *out, const uint8_t *literals, size_t count)
{
	unsigned int streams = count < PAGEPRESS_COLD_FOUR_STREAMS ? 1 : STREAMS;
	size_t each = (count + streams - 1) / streams, lengths[STREAMS], total = streams == 1 ? 0 : JUMPS;
	unsigned int format, width;

	for (unsigned int stream = 0; stream < streams; stream++) {
		lengths[stream] = stream_bytes(literals + stream * each, stream < streams - 1 ? each : count - stream * each);
		total += lengths[stream];
	}
	if (total >= count) {
		put_raw_literals(out, literals, count);
		return;
	}
	format = streams == 1 ? 0 : count < 1u << 10 ? 1 : count < 1u << 14 ? 2 : 3;
	width = format < 2 ? 10 : format == 2 ? 14 : 18;
	put(out, PAGEPRESS_COLD_LITERALS_TREELESS | format << 2 | count << 4 | (uint64_t)total << (4 + width), (4 + 2 * width) / 8);
	for (unsigned int stream = 0; stream < streams - 1; stream++)
		put(out, lengths[stream], 2);
	for (unsigned int stream = 0; stream < streams; stream++)
		put_stream(out, literals + stream * each, stream < streams - 1 ? each : count - stream * each);
}

/* Lead a decoder from this code's state to the one that `coder` has reached. */
static void put_code(struct bits *bits, struct coder *coder, unsigned int code)
{
	unsigned int count = coder->encoder[code].count, number = coder->state + (1u << coder->log), width = 0;

	while (number >> width >= 2 * count)
		width++;
	put_bits(bits, number, width);
	coder->state = coder->states[coder->encoder[code].first + (number >> width) - count];
}

static void begin_code(struct coder *coder, unsigned int code)
{
	coder->state = coder->states[coder->encoder[code].first];
}

static void put_more(struct bits *bits, const struct coder *coder, struct symbol symbol)
{
	put_bits(bits, symbol.more, coder->codes[symbol.code].extra);
}

#define CODER(name, NAME) {					\
	.codes = pagepress_cold_##name##_codes,			\
	.encoder = pagepress_cold_##name##_encoder,		\
	.states = pagepress_cold_##name##_states,		\
	.log = PAGEPRESS_COLD_##NAME##_LOG,			\
}

static void put_sequences(struct writer *out, const struct sequence *sequences, size_t count)
{
	struct coder literals = CODER(literal_length, LITERAL_LENGTH), match = CODER(match_length, MATCH_LENGTH);
	struct coder offset = CODER(offset, OFFSET);
	struct bits bits = { .out = out };

	if (count < 128)
		put(out, count, 1);
	else
		put(out, (128 + (count >> 8)) | (count & 0xff) << 8, 2);
	if (!count)
		return;
	put(out, PAGEPRESS_COLD_SEQUENCE_MODES, 1);
	for (size_t index = count; index--;) {
		const struct sequence *sequence = &sequences[index];

		if (index == count - 1) {
			begin_code(&offset, sequence->offset.code);
			begin_code(&match, sequence->match.code);
			begin_code(&literals, sequence->literals.code);
		} else {
			put_code(&bits, &offset, sequence->offset.code);
			put_code(&bits, &match, sequence->match.code);
			put_code(&bits, &literals, sequence->literals.code);
		}
		put_more(&bits, &literals, sequence->literals);
		put_more(&bits, &match, sequence->match);
		put_more(&bits, &offset, sequence->offset);
	}
	put_bits(&bits, match.state, match.log);
	put_bits(&bits, offset.state, offset.log);
	put_bits(&bits, literals.state, literals.log);
	end_bits(&bits);
}

uint8_t cold_compress(const uint8_t *page, size_t page_bytes, uint8_t *stream, size_t limit, size_t *length)
{
	static _Thread_local struct block block;
	const size_t start = PAGEPRESS_COLD_FRAME_START_BYTES + PAGEPRESS_COLD_BLOCK_START_BYTES;
	/* Content that is not smaller than the page is not wanted. */
	size_t room = limit < start ? 0 : limit - start < page_bytes ? limit - start : page_bytes - 1;
	struct writer out = { .stream = stream, .limit = limit }, content = { .stream = stream + start, .limit = room };
	unsigned int kind = PAGEPRESS_COLD_BLOCK_COMPRESSED;

	*length = 0;
	if (limit < start)
		return PAGEPRESS_STATUS_INCOMPRESSIBLE;
	sequence_page(page, page_bytes, &block);
	put_literals(&content, block.literals, block.literal_count);
	put_sequences(&content, block.sequences, block.sequence_count);
	if (content.full) {
		if (limit - start < page_bytes)
			return PAGEPRESS_STATUS_INCOMPRESSIBLE;
		memcpy(stream + start, page, page_bytes);
		content.used = page_bytes;
		kind = PAGEPRESS_COLD_BLOCK_RAW;
	}
	put(&out, PAGEPRESS_COLD_FRAME_START, PAGEPRESS_COLD_FRAME_START_BYTES);
	put(&out, kind | content.used << 3, PAGEPRESS_COLD_BLOCK_START_BYTES);
	*length = start + content.used;
	return PAGEPRESS_STATUS_SUCCESS;
}
