// SPDX-License-Identifier: Apache-2.0
/*
 * A whole program without an operating system: it compresses a page, waits for the interrupt, decompresses the stream, and checks what came
 * of it, on a processor whose data cache does not see what the core writes. It shows page and stream in hexadecimal, so that whoever runs
 * it can check them with a decompressor of their own.
 *
 * Its system is that of sim/soc/litex: VexRiscv, the core's registers at CORE, an event of LiteX for its interrupt, a register whose
 * characters leave by a serial line. Another system changes what stands before `main`, page.ld and start.S.
 */
#include "pagepress_soc.h"

#ifndef SEED
#define SEED 1
#endif
#define CORE		((void *)0x90000000u)
#define CONSOLE		(*(volatile uint32_t *)0xf0000000u)	/* a character; 0 ends a simulation */
#define CONSOLE_BUSY	(*(volatile uint32_t *)0xf0000004u)	/* 1: the last one has not left yet */
#define EVENT_STATUS	(*(volatile uint32_t *)0xf0000800u)	/* 1: the core interrupts */
#define PAGE_BYTES	4096u
#define PATIENCE	100000u

static _Alignas(PAGEPRESS_RING_ALIGNMENT) struct pagepress_submission_entry submissions[4];
static _Alignas(PAGEPRESS_RING_ALIGNMENT) struct pagepress_completion_entry completions[4];
static _Alignas(64) uint8_t page[PAGE_BYTES], stream[PAGE_BYTES], back[PAGE_BYTES];

/* The cache writes through, so nothing is to be cleaned; what the core has written is read anew when the cache is empty. */
static void forget_cache(void *context, volatile void *memory, size_t bytes)
{
	(void)context, (void)memory, (void)bytes;
	__asm__ volatile(".word 0x500f" : : : "memory");	/* VexRiscv's own instruction */
}

static const struct pagepress_bus bus = {
	.context = CORE, .read = pagepress_mapped_read, .write = pagepress_mapped_write, .invalidate = forget_cache,
};

static void put(char character)
{
	while (CONSOLE_BUSY)
		;
	CONSOLE = (uint8_t)character;
}

static void show(const char *text)
{
	while (*text)
		put(*text++);
}

static void show_bytes(const char *name, const uint8_t *bytes, uint32_t count)
{
	static const char digits[] = "0123456789abcdef";

	show(name);
	show(" ");
	for (uint32_t index = 0; index < count; index++) {
		put(digits[bytes[index] >> 4]);
		put(digits[bytes[index] & 15]);
	}
	show("\n");
}

static _Noreturn void end(const char *text)
{
	show(text);
	show("\n");
	put(0);
	for (;;)
		;
}

static uint32_t random_number(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

/* Words out of sixteen, as a page has that compresses about as real ones do. */
static void fill_page(void)
{
	uint32_t state = SEED, words[16];

	for (uint32_t index = 0; index < 16; index++)
		words[index] = random_number(&state) << 16 | random_number(&state);
	for (uint32_t index = 0; index < PAGE_BYTES; index++) {
		if (index % 4 == 0)
			state = state * 1664525u + 1013904223u;
		page[index] = (uint8_t)(words[state >> 28] >> index % 4 * 8);
	}
}

/* CRC32C, four bits at a time. */
static uint32_t crc32c(const uint8_t *bytes, uint32_t count)
{
	uint32_t table[16], remainder = 0xffffffffu;

	for (uint32_t index = 0; index < 16; index++) {
		table[index] = index;
		for (int bit = 0; bit < 4; bit++)
			table[index] = table[index] & 1 ? table[index] >> 1 ^ 0x82f63b78u : table[index] >> 1;
	}
	for (uint32_t index = 0; index < count; index++) {
		remainder ^= bytes[index];
		remainder = remainder >> 4 ^ table[remainder & 15];
		remainder = remainder >> 4 ^ table[remainder & 15];
	}
	return ~remainder;
}

int main(void)
{
	static struct pagepress_core core;
	struct pagepress_outcome outcome;
	struct pagepress_command command = {
		.opcode = PAGEPRESS_OPCODE_COMPRESS, .source = page, .source_length = PAGE_BYTES, .destination = stream, .destination_capacity = PAGE_BYTES };
	uint32_t tag, length, crc, looks = 0;

	core.bus = &bus;
	core.submissions = submissions;
	core.completions = completions;
	core.depth_log2 = 2;
	core.polls = PATIENCE;
	fill_page();
	crc = crc32c(page, PAGE_BYTES);
	if (pagepress_start(&core) != PAGEPRESS_OK)
		end("FAIL: no core");
	if (EVENT_STATUS)
		end("FAIL: it interrupts before it has done anything");

	if (pagepress_submit(&core, &command, &tag) != PAGEPRESS_OK)
		end("FAIL: the command was not taken");
	while (!EVENT_STATUS)
		if (looks++ == PATIENCE)
			end("FAIL: no interrupt");
	if (pagepress_poll(&core, &outcome) != PAGEPRESS_OK || outcome.tag != tag)
		end("FAIL: an interrupt, and no completion");
	forget_cache(NULL, stream, PAGE_BYTES);
	if (outcome.status != PAGEPRESS_STATUS_SUCCESS || outcome.crc32c != crc || outcome.length >= PAGE_BYTES)
		end("FAIL: not compressed");
	length = outcome.length;
	show_bytes("page", page, PAGE_BYTES);
	show_bytes("stream", stream, length);

	if (pagepress_decompress(&core, stream, length, crc, back, &outcome) != PAGEPRESS_OK || outcome.status != PAGEPRESS_STATUS_SUCCESS)
		end("FAIL: not decompressed");
	for (uint32_t index = 0; index < PAGE_BYTES; index++)
		if (back[index] != page[index])
			end("FAIL: another page came back");
	if (pagepress_decompress(&core, stream, length, crc ^ 1, back, &outcome) != PAGEPRESS_OK || outcome.status != PAGEPRESS_STATUS_CRC_MISMATCH)
		end("FAIL: another page's checksum was taken");
	if (pagepress_stop(&core) != PAGEPRESS_OK || EVENT_STATUS)
		end("FAIL: it does not stop");
	end("PASS");
}
