// SPDX-License-Identifier: GPL-2.0-only
/*
 * swapped_pages COUNT: has COUNT pages of memory swapped out and in as it is told, an order a line, each answered by `ok` or by what is
 * wrong: `fill SEED` writes all pages anew; `out` has them swapped out, until none is in memory; `in` reads and checks every byte.
 * Exit status 0: no more orders; 2: usage or an unexpected error.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "made_pages.h"

#define TURNS	500
#define PAUSE	10000	/* microseconds: pages that somebody else holds are let go */
#define MOST	1024

static unsigned char *memory;
static unsigned long count, seed;

/* What lies in the swap cache counts as in memory: it is read, so that it can be asked for again. */
static unsigned long present(void)
{
	static unsigned char seen[MOST];
	unsigned long page, sum = 0;

	if (mincore(memory, count * PAGE, seen)) {
		perror("swapped_pages: mincore");
		exit(2);
	}
	for (page = 0; page < count; page++)
		if (seen[page] & 1)
			sum += 1 + 0 * *(volatile unsigned char *)(memory + page * PAGE);
	return sum;
}

static void out(void)
{
	unsigned long left = count, turn;

	for (turn = 0; turn < TURNS && left; turn++) {
		if (madvise(memory, count * PAGE, MADV_PAGEOUT)) {
			perror("swapped_pages: madvise");
			exit(2);
		}
		left = present();
		if (left)
			usleep(PAUSE);
	}
	if (left)
		printf("%lu pages stay in memory\n", left);
	else
		puts("ok");
}

static void in(void)
{
	unsigned char expected[PAGE];
	unsigned long page, wrong = 0;

	for (page = 0; page < count; page++) {
		make_page(expected, seed, page);
		wrong += memcmp(memory + page * PAGE, expected, PAGE) != 0;
	}
	if (wrong)
		printf("%lu pages are not what was written\n", wrong);
	else
		puts("ok");
}

int main(int words, char **word)
{
	unsigned long page;
	cpu_set_t first;
	char line[64];

	count = words == 2 ? strtoul(word[1], NULL, 0) : 0;
	if (!count || count > MOST) {
		fprintf(stderr, "usage: swapped_pages COUNT\n");
		return 2;
	}
	/* Pages wait for the LRU in lists of each CPU, and MADV_PAGEOUT takes them from this one's alone. */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	memory = mmap(NULL, count * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || madvise(memory, count * PAGE, MADV_NOHUGEPAGE) || sched_setaffinity(0, sizeof(first), &first)) {
		perror("swapped_pages");
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "fill %lu", &seed) == 1) {
			for (page = 0; page < count; page++)
				make_page(memory + page * PAGE, seed, page);
			puts("ok");
		} else if (!strcmp(line, "out\n")) {
			out();
		} else if (!strcmp(line, "in\n")) {
			in();
		} else {
			puts("unknown order");
		}
	}
	return 0;
}
