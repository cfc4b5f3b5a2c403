// SPDX-License-Identifier: GPL-2.0-only
/*
 * soak_memory SEED PROCESSES MEGABYTES REST END: each process fills MEGABYTES of its own memory, then writes pages of it at
 * random and checks every page it meets, so that what does not fit goes to swap and comes back, until there is a file END;
 * after each run of pages it rests for REST milliseconds.
 * Then it checks all once more and prints `checked N`. Exit status 0: every byte was right; 1: a line on stderr says which page was not; 2: usage, memory.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096
#define WORDS	(PAGE / 8)

static uint64_t state;

static uint64_t draw(uint64_t *from)
{
	*from ^= *from << 13;
	*from ^= *from >> 7;
	*from ^= *from << 17;
	return *from;
}

/* The page that number stands for; 0 is a page never written. One in 16 repeats a word, one in 16 is noise. */
static void make_page(uint64_t *page, uint64_t number)
{
	uint64_t from = number * 0x9e3779b97f4a7c15ull + 1, word = draw(&from);
	unsigned int kind = number % 16, index;

	for (index = 0; index < WORDS; index++) {
		if (!number)
			page[index] = 0;
		else if (!kind)
			page[index] = word;
		else if (kind == 1 || index % 32 < kind)
			page[index] = draw(&from);
		else
			page[index] = word + index;
	}
}

static uint64_t check(const uint64_t *memory, const uint64_t *numbers, unsigned long at)
{
	static uint64_t expected[WORDS];

	make_page(expected, numbers[at]);
	if (memcmp(expected, memory + at * WORDS, PAGE)) {
		fprintf(stderr, "soak_memory: page %lu is not what was written (number %#llx)\n", at,
			(unsigned long long)numbers[at]);
		exit(1);
	}
	return 1;
}

static uint64_t work(unsigned long pages, unsigned int rest, const char *end)
{
	uint64_t *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t *numbers = calloc(pages, sizeof(*numbers));
	uint64_t checked = 0;
	unsigned long at, run;

	if (memory == MAP_FAILED || !numbers) {
		perror("soak_memory");
		exit(2);
	}
	for (at = 0; at < pages; at++) {
		numbers[at] = draw(&state) | 1ull << 63;
		make_page(memory + at * WORDS, numbers[at]);
	}
	/* Runs of pages, for read-ahead and for writes that are batched. */
	while (access(end, F_OK)) {
		usleep(rest * 1000);
		at = draw(&state) % pages;
		for (run = 1 + draw(&state) % 32; run && at < pages; run--, at++) {
			checked += check(memory, numbers, at);
			if (draw(&state) % 2) {
				numbers[at] = draw(&state) | 1ull << 63;
				make_page(memory + at * WORDS, numbers[at]);
			}
		}
	}
	for (at = 0; at < pages; at++)
		checked += check(memory, numbers, at);
	return checked;
}

int main(int count, char **words)
{
	int process, processes, status, worst = 0;

	if (count != 6) {
		fprintf(stderr, "usage: soak_memory SEED PROCESSES MEGABYTES REST END\n");
		return 2;
	}
	processes = atoi(words[2]);
	for (process = 0; process < processes; process++) {
		if (fork())
			continue;
		state = strtoull(words[1], NULL, 0) * 1000003 + process * 7919 + 1;
		printf("checked %llu\n", (unsigned long long)work(strtoul(words[3], NULL, 0) * (1 << 20) / PAGE,
								  atoi(words[4]), words[5]));
		return 0;
	}
	while (wait(&status) > 0)
		if (status)
			worst = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
	return worst;
}
