/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* Made by rtl/interface/generate.py. Do not edit: change cold.toml and cold_tables.toml there and run it again. */
#ifndef PAGEPRESS_COLD_H
#define PAGEPRESS_COLD_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* A code of a length or an offset: values from `base` on, told apart by `extra` bits. */
struct pagepress_cold_code {
	uint32_t base;
	uint8_t extra;
};

#define PAGEPRESS_COLD_TABLES_VERSION	0x1u	/* of the trained tables */
#define PAGEPRESS_COLD_DICTIONARY_ID	0x50500001u	/* of the dictionary that gives zstd these tables; frames do not name it */
#define PAGEPRESS_COLD_LARGEST_PAGE	0x10000u	/* most bytes of a page */
#define PAGEPRESS_COLD_FRAME_START	0x3000fd2fb528ull	/* the first COLD_FRAME_START_BYTES of every stream, as a little-endian number: magic number, no optional field, a window of 64 KiB */
#define PAGEPRESS_COLD_FRAME_START_BYTES	0x6u	/* bytes before the block header */
#define PAGEPRESS_COLD_BLOCK_START_BYTES	0x3u	/* bytes of the block header */
#define PAGEPRESS_COLD_BLOCK_RAW	0x1u	/* low bits of the block header: the last block, the page as it is */
#define PAGEPRESS_COLD_BLOCK_COMPRESSED	0x5u	/* low bits of the block header: the last block, compressed */
#define PAGEPRESS_COLD_LITERALS_RAW	0x0u	/* low bits of the literals' header: as they are */
#define PAGEPRESS_COLD_LITERALS_TREELESS	0x3u	/* low bits of the literals' header: Huffman codes of the dictionary */
#define PAGEPRESS_COLD_FOUR_STREAMS	0x100u	/* coded literals from which on they are four streams; fewer are one */
#define PAGEPRESS_COLD_SEQUENCE_MODES	0xfcu	/* the byte behind the number of sequences: all three tables are the dictionary's */
#define PAGEPRESS_COLD_LITERAL_BITS	11u	/* longest Huffman code */
#define PAGEPRESS_COLD_REPEATS	3u	/* offsets that a sequence may name again */
#define PAGEPRESS_COLD_FIRST_OFFSETS	{ 1, 4, 8 }	/* these at a page's start */
#define PAGEPRESS_COLD_LITERAL_LENGTH_CODES	35u
#define PAGEPRESS_COLD_LITERAL_LENGTH_LOG	9u	/* of the number of states */
#define PAGEPRESS_COLD_MATCH_LENGTH_CODES	52u
#define PAGEPRESS_COLD_MATCH_LENGTH_LOG	9u	/* of the number of states */
#define PAGEPRESS_COLD_OFFSET_CODES	17u
#define PAGEPRESS_COLD_OFFSET_LOG	8u	/* of the number of states */

static const struct pagepress_cold_code pagepress_cold_literal_length_codes[PAGEPRESS_COLD_LITERAL_LENGTH_CODES] = {
	{ 0, 0 }, { 1, 0 }, { 2, 0 }, { 3, 0 }, { 4, 0 }, { 5, 0 }, { 6, 0 }, { 7, 0 }, { 8, 0 }, { 9, 0 },
	{ 10, 0 }, { 11, 0 }, { 12, 0 }, { 13, 0 }, { 14, 0 }, { 15, 0 }, { 16, 1 }, { 18, 1 }, { 20, 1 },
	{ 22, 1 }, { 24, 2 }, { 28, 2 }, { 32, 3 }, { 40, 3 }, { 48, 4 }, { 64, 6 }, { 128, 7 }, { 256, 8 },
	{ 512, 9 }, { 1024, 10 }, { 2048, 11 }, { 4096, 12 }, { 8192, 13 }, { 16384, 14 }, { 32768, 15 },
};

static const struct pagepress_cold_code pagepress_cold_match_length_codes[PAGEPRESS_COLD_MATCH_LENGTH_CODES] = {
	{ 3, 0 }, { 4, 0 }, { 5, 0 }, { 6, 0 }, { 7, 0 }, { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 0 }, { 12, 0 },
	{ 13, 0 }, { 14, 0 }, { 15, 0 }, { 16, 0 }, { 17, 0 }, { 18, 0 }, { 19, 0 }, { 20, 0 }, { 21, 0 },
	{ 22, 0 }, { 23, 0 }, { 24, 0 }, { 25, 0 }, { 26, 0 }, { 27, 0 }, { 28, 0 }, { 29, 0 }, { 30, 0 },
	{ 31, 0 }, { 32, 0 }, { 33, 0 }, { 34, 0 }, { 35, 1 }, { 37, 1 }, { 39, 1 }, { 41, 1 }, { 43, 2 },
	{ 47, 2 }, { 51, 3 }, { 59, 3 }, { 67, 4 }, { 83, 4 }, { 99, 5 }, { 131, 7 }, { 259, 8 }, { 515, 9 },
	{ 1027, 10 }, { 2051, 11 }, { 4099, 12 }, { 8195, 13 }, { 16387, 14 }, { 32771, 15 },
};

static const struct pagepress_cold_code pagepress_cold_offset_codes[PAGEPRESS_COLD_OFFSET_CODES] = {
	{ 1, 0 }, { 2, 1 }, { 4, 2 }, { 8, 3 }, { 16, 4 }, { 32, 5 }, { 64, 6 }, { 128, 7 }, { 256, 8 },
	{ 512, 9 }, { 1024, 10 }, { 2048, 11 }, { 4096, 12 }, { 8192, 13 }, { 16384, 14 }, { 32768, 15 },
	{ 65536, 16 },
};

#endif /* PAGEPRESS_COLD_H */
