// SPDX-License-Identifier: GPL-2.0-only
/*
 * large_folios COUNT SEED COMMAND: fills COUNT folios of 64 KiB with pages that compress, runs COMMAND with the word `filled`,
 * which is to have them swapped out, reads a byte of each page in order, runs COMMAND with `read`, and checks every byte.
 * Exit status 0: well; 1: a wrong byte; 2: usage or an unexpected error; 3: COMMAND failed.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE	4096
#define FOLIO	65536
#define WORDS	(PAGE / 8)

static uint64_t word(uint64_t seed, uint64_t page, unsigned int index)
{
	uint64_t mixed = (seed * 1000003 + page * WORDS + index) * 0x9e3779b97f4a7c15ull;

	return page << 40 | (uint64_t)index << 16 | (index % 4 ? 0 : mixed >> 48);
}

/* No fork: a child that shares the pages would change how they are swapped in. glibc's system() spawns. */
static int tell(const char *command, const char *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s %s", command, what);
	return system(line);
}

int main(int count, char **words)
{
	size_t bytes = count == 4 ? strtoul(words[1], NULL, 0) * FOLIO : 0;
	uint64_t seed = bytes ? strtoull(words[2], NULL, 0) : 0, page;
	unsigned char *all, *memory;
	unsigned int index, sum = 0;

	if (!bytes) {
		fprintf(stderr, "usage: large_folios COUNT SEED COMMAND\n");
		return 2;
	}
	/* From a multiple of 2 MiB on, so that every folio can be a large one. */
	all = mmap(NULL, bytes + (2 << 20), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED) {
		perror("large_folios");
		return 2;
	}
	memory = (unsigned char *)(((uintptr_t)all + (2 << 20) - 1) & ~(uintptr_t)((2 << 20) - 1));
	for (page = 0; page < bytes / PAGE; page++)
		for (index = 0; index < WORDS; index++)
			((uint64_t *)(memory + page * PAGE))[index] = word(seed, page, index);
	if (tell(words[3], "filled"))
		return 3;
	for (page = 0; page < bytes / PAGE; page++)
		sum += *(volatile unsigned char *)(memory + page * PAGE);
	if (tell(words[3], "read"))
		return 3;
	for (page = 0; page < bytes / PAGE; page++) {
		for (index = 0; index < WORDS; index++) {
			if (((uint64_t *)(memory + page * PAGE))[index] == word(seed, page, index))
				continue;
			fprintf(stderr, "large_folios: page %llu has changed\n", (unsigned long long)page);
			return 1;
		}
	}
	return sum == ~0u;
}
