/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A window is compared with the page at a few distances, its channels, byte for byte: those the table names for its
 * bytes, that of the match some windows ago, and some small ones. Numbers are those of the card's default compressor.
 */
#include <stdbool.h>
#include <string.h>

#include "page_codec.h"
#include "page_matches.h"

enum {
	WINDOW = 16,		/* bytes taken a cycle */
	AHEAD = 13,		/* bytes behind a window that its matches are seen to go on */
	SPAN = WINDOW + AHEAD,
	KEY = 4,		/* bytes looked up in the table */
	BANKS = 32,		/* each serves one position a window */
	ROWS = 256,
	TAGS = 4,
	HASH_BITS = 5 + 8 + 2,
	NEIGHBOURS = 2,		/* positions so near name a distance together */
	TABLE_OFFSETS = 5,
	RECENT_DELAY = 16,	/* windows */
	DIRECT_OFFSETS = 4,
	RECENT = TABLE_OFFSETS,
	CHANNELS = TABLE_OFFSETS + 1 + DIRECT_OFFSETS,
	LEVELS = 7,
	SHORT_REACH = 2048,
	LONG_REACH = 16384,
	NONE = -1,
};

static const uint32_t direct_offsets[DIRECT_OFFSETS] = { 1, 4, 8, 16 };

/* Shortest matches of each level of the score. A far match of three bytes costs what it saves. */
static const unsigned int levels[LEVELS] = { 3, 4, 5, 7, 9, 13, 18 };

/* Lengths back from a window's end that tell candidates for the local channel apart. */
static const unsigned int back_levels[] = { 1, 2, 4, 6, 8, 11, 14, 16 };

struct entry {
	uint32_t position;	/* plus 1; 0 in an empty one */
	uint32_t tag;
};

struct window {
	const uint8_t *page;
	size_t from;
	unsigned int available;		/* bytes of its span that are of the page */
	uint32_t offset[CHANNELS];	/* 0: no distance */
	uint32_t equal[CHANNELS];	/* bit n: byte n of the span equals the one so far before it */
	unsigned int score[WINDOW + 1];
	unsigned int channel[WINDOW];	/* the best match's */
	unsigned int length[WINDOW];	/* its bytes in the span */
};

/* Every bit is the parity of its own bits of the key, so the hash of a key is the sum of its bytes' hashes. */
static uint32_t byte_hash[KEY][256];

__attribute__((constructor)) static void fill_byte_hash(void)
{
	for (unsigned int bit = 0; bit < HASH_BITS; bit++)
		for (unsigned int tap = 0; tap < 5; tap++) {
			unsigned int from = (15 * bit + 11 * tap + 5 * tap * tap) % 32;

			for (unsigned int byte = 0; byte < 256; byte++)
				byte_hash[from / 8][byte] ^= (byte >> from % 8 & 1) << bit;
		}
}

static uint32_t hash(const uint8_t *bytes)
{
	return byte_hash[0][bytes[0]] ^ byte_hash[1][bytes[1]] ^ byte_hash[2][bytes[2]] ^ byte_hash[3][bytes[3]];
}

/* Look up and enter every position whose bank no earlier one has; named[i] is the distance back, or 0. */
static void look_up(const struct window *window, struct entry table[BANKS][ROWS], uint32_t *named)
{
	bool served[BANKS] = { false };

	for (unsigned int i = 0; i < WINDOW; i++) {
		named[i] = 0;
		if (i + KEY > window->available)
			continue;
		uint32_t key = hash(window->page + window->from + i), bank = key % BANKS;
		uint32_t tag = key / BANKS / ROWS % TAGS, position = (uint32_t)window->from + i;
		struct entry *entry = &table[bank][key / BANKS % ROWS];

		if (served[bank])
			continue;
		served[bank] = true;
		if (entry->position && entry->tag == tag)
			named[i] = position + 1 - entry->position;
		if (named[i] > LONG_REACH)
			named[i] = 0;
		for (unsigned int direct = 0; direct < DIRECT_OFFSETS; direct++)
			if (named[i] == direct_offsets[direct])
				named[i] = 0;
		*entry = (struct entry){ .position = position + 1, .tag = tag };
	}
}

/* Distances that neighbours name too, in order; then from the last channel back those that only one names. */
static void select_offsets(const uint32_t *named, uint32_t *offset)
{
	uint32_t twice[WINDOW], once[WINDOW];
	unsigned int twice_count = 0, once_count = 0;

	for (unsigned int i = 0; i < WINDOW; i++) {
		bool again = false, supported = false;

		for (unsigned int j = 0; j < WINDOW; j++) {
			again |= j < i && i - j <= NEIGHBOURS && named[j] == named[i];
			supported |= j > i && j - i <= NEIGHBOURS && named[j] == named[i];
		}
		if (!named[i] || again)
			continue;
		if (supported)
			twice[twice_count++] = named[i];
		else
			once[once_count++] = named[i];
	}
	for (unsigned int channel = 0; channel < TABLE_OFFSETS; channel++) {
		unsigned int rest = TABLE_OFFSETS - 1 - channel;

		offset[channel] = channel < twice_count ? twice[channel] : rest < once_count ? once[rest] : 0;
	}
}

/* Bit n: byte n of `left` equals that of `right`. */
static uint32_t equal_bytes(const uint8_t *left, const uint8_t *right)
{
	const uint64_t low = 0x7f7f7f7f7f7f7f7f;
	uint32_t equal = 0;

	for (unsigned int at = 0; at < SPAN; at += 8) {
		uint64_t one, other, zeros;

		memcpy(&one, left + at, 8);
		memcpy(&other, right + at, 8);
		one ^= other;
		zeros = ~(((one & low) + low) | one) & ~low;	/* 0x80 in each byte that is 0 */
		/* The product gathers these bits, the first byte's lowest, in its top byte. */
		equal |= (uint32_t)((zeros >> 7) * 0x0102040810204080 >> 56) << at;
	}
	return equal & ((1u << SPAN) - 1);
}

static void compare(struct window *window)
{
	const uint8_t *bytes = window->page + window->from;

	for (unsigned int channel = 0; channel < CHANNELS; channel++) {
		uint32_t offset = window->offset[channel], equal = offset ? equal_bytes(bytes, bytes - offset) : 0;

		if (offset > window->from)
			equal &= ~0u << (offset - window->from);
		window->equal[channel] = equal & ((1u << window->available) - 1);
	}
}

/* The first channel of the highest score at each position. */
static void choose(struct window *window)
{
	memset(window->score, 0, sizeof(window->score));
	for (unsigned int channel = 0; channel < CHANNELS; channel++) {
		bool far = window->offset[channel] > SHORT_REACH;
		uint32_t equal = window->equal[channel];
		uint32_t starts = equal & equal >> 1 & equal >> 2 & ((1u << WINDOW) - 1);

		for (; starts; starts &= starts - 1) {
			unsigned int i = (unsigned int)__builtin_ctz(starts), score = 0;
			unsigned int length = (unsigned int)__builtin_ctz(~(equal >> i));

			if (far && length == levels[0])
				continue;
			while (score < LEVELS && length >= levels[score])
				score++;
			if (score > window->score[i]) {
				window->score[i] = score;
				window->channel[i] = channel;
				window->length[i] = length;
			}
		}
	}
}

/* The channel that is followed into the windows behind, or NONE. */
static int local_channel(const struct window *window)
{
	unsigned int most = 0;
	int local = NONE;

	for (unsigned int channel = 0; channel < CHANNELS; channel++) {
		unsigned int level = 0;

		while (level < sizeof(back_levels) / sizeof(*back_levels)
		       && window->equal[channel] >> (WINDOW - back_levels[level])
				  == (1u << (back_levels[level] + AHEAD)) - 1)
			level++;
		if (level > most) {
			most = level;
			local = (int)channel;
		}
	}
	return local;
}

size_t page_matches(const uint8_t *source, size_t page_bytes, struct page_match *matches)
{
	/* With room to compare whole spans at either end. */
	static _Thread_local uint8_t room[SPAN + PAGE_CODEC_LARGEST_PAGE + 2 * SPAN];
	uint8_t *const page = room + SPAN;
	struct entry table[BANKS][ROWS];
	uint32_t recent[RECENT_DELAY];	/* distances of the last match that began up to each window */
	uint32_t named[WINDOW], last = 0;
	size_t found = 0, covered = 0;	/* bytes of the window that belong to the match before it */
	bool followed = false;		/* that match is followed however far it goes */

	memcpy(page, source, page_bytes);
	memset(table, 0, sizeof(table));
	for (size_t from = 0; from < page_bytes; from += WINDOW) {
		size_t number = from / WINDOW, left = page_bytes - from;
		struct window window = { .page = page, .from = from,
					 .available = left < SPAN ? (unsigned int)left : SPAN };
		size_t count = left < WINDOW ? left : WINDOW, next = from + WINDOW, most = 0;
		int exit = NONE;

		look_up(&window, table, named);
		select_offsets(named, window.offset);
		window.offset[RECENT] = number >= RECENT_DELAY ? recent[number % RECENT_DELAY] : 0;
		memcpy(window.offset + RECENT + 1, direct_offsets, sizeof(direct_offsets));
		compare(&window);
		choose(&window);

		for (size_t i = covered; i < count;) {
			if (!window.score[i] || window.score[i + 1] > window.score[i]) {
				i++;
				continue;
			}
			size_t length = window.length[i];

			last = window.offset[window.channel[i]];
			if (i + length >= WINDOW) {
				length = WINDOW - i;
				exit = (int)window.channel[i];
			}
			matches[found++] = (struct page_match){ .from = from + i, .length = length, .distance = last };
			i += length;
		}
		recent[number % RECENT_DELAY] = last;

		if (covered < WINDOW) {
			followed = exit != NONE && exit == local_channel(&window);
			most = exit == NONE ? 0 : followed ? WINDOW : AHEAD;
		} else if (followed) {
			most = WINDOW;
		}
		covered = 0;
		while (covered < most && next + covered < page_bytes && page[next + covered] == page[next + covered - last])
			covered++;
		if (covered)
			matches[found - 1].length += covered;
	}
	return found;
}
