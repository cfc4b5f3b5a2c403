// SPDX-License-Identifier: GPL-2.0-only
/*
 * pages_rest fill MEGABYTES HOT SEED END: writes its memory from the oldest page to the newest, then goes twice through the newest
 * HOT percent of it, says `filled`, and waits for a file END; then every byte is checked.
 * pages_rest where PID [DEVICE COUNTER]: of the largest anonymous memory of a process, in tenths by the age of addresses, a line each:
 *	TENTH MEMORY FIRST SECOND BACKED
 * how many KiB are in memory, in the first and in the second swap area, and how many of the first's lie on its backing device: those
 * whose slots of DEVICE, read, let the file COUNTER grow (backing_pages_in: reading moves no page).
 * Exit status 0: well; 1: a wrong byte; 2: usage or an unexpected error.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE	4096ul
#define WORDS	(PAGE / 8)
#define TENTHS	10
#define AREAS	2

/* Of an entry of /proc/PID/pagemap. */
#define PRESENT		(1ull << 63)
#define SWAPPED		(1ull << 62)
#define AREA(entry)	((entry) & 31)
#define SLOT(entry)	((entry) >> 5 & ((1ull << 50) - 1))

static void stop(const char *what)
{
	perror(what);
	exit(2);
}

/* A quarter of the words is drawn, the others repeat: it compresses to about a third. */
static uint64_t word_of(uint64_t seed, uint64_t number, unsigned int at)
{
	uint64_t state = (seed * 1000003 + number) * 0x9e3779b97f4a7c15ull + at / 4;

	state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ull;
	return at % 4 ? number : (state ^ state >> 27) * 0x94d049bb133111ebull;
}

static size_t check(const uint64_t *memory, size_t first, size_t end, uint64_t seed)
{
	size_t number, wrong = 0;
	unsigned int at;

	for (number = first; number < end; number++) {
		for (at = 0; at < WORDS && memory[number * WORDS + at] == word_of(seed, number, at); at++)
			;
		wrong += at < WORDS;
	}
	return wrong;
}

static int fill(char **word)
{
	size_t pages = strtoul(word[0], NULL, 0) << 8, number, wrong;
	size_t hot = pages - pages * strtoul(word[1], NULL, 0) / 100;
	uint64_t seed = strtoull(word[2], NULL, 0), *memory;
	unsigned int at;

	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		stop("mmap");
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	for (number = 0; number < pages; number++)
		for (at = 0; at < WORDS; at++)
			memory[number * WORDS + at] = word_of(seed, number, at);
	wrong = check(memory, hot, pages, seed) + check(memory, hot, pages, seed);
	puts("filled");
	fflush(stdout);
	while (access(word[3], F_OK))
		usleep(100000);
	wrong += check(memory, 0, pages, seed);
	printf("checked %zu wrong %zu\n", pages, wrong);
	return wrong != 0;
}

/* The largest anonymous memory of the process that is not its heap or stack. */
static void find_memory(const char *process, uintptr_t *begin, uintptr_t *end)
{
	char path[64], line[512], name[256];
	uintptr_t from, to;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", process);
	maps = fopen(path, "r");
	if (!maps)
		stop(path);
	*begin = *end = 0;
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx rw-p %*s %*s %*s %255s", &from, &to, name) == 2 && to - from > *end - *begin) {
			*begin = from;
			*end = to;
		}
	fclose(maps);
}

static unsigned long value_of(const char *path)
{
	unsigned long value;
	FILE *file = fopen(path, "r");

	if (!file || fscanf(file, "%lu", &value) != 1)
		stop(path);
	fclose(file);
	return value;
}

static int where(char **word, int words)
{
	uintptr_t begin, end;
	size_t pages, number, tenth;
	int pagemap, device = -1;
	uint64_t *entries;
	char path[64];
	void *slot = aligned_alloc(PAGE, PAGE);

	find_memory(word[0], &begin, &end);
	pages = (end - begin) / PAGE;
	snprintf(path, sizeof(path), "/proc/%s/pagemap", word[0]);
	pagemap = open(path, O_RDONLY);
	entries = calloc(pages + 1, sizeof(*entries));
	if (pagemap < 0 || !entries || !slot ||
	    pread(pagemap, entries, pages * sizeof(*entries), begin / PAGE * sizeof(*entries)) != (ssize_t)(pages * sizeof(*entries)))
		stop(path);
	if (words == 3) {
		device = open(word[1], O_RDONLY | O_DIRECT);
		if (device < 0)
			stop(word[1]);
	}
	for (tenth = 0; tenth < TENTHS; tenth++) {
		unsigned long present = 0, in[AREAS] = { 0 }, before = device < 0 ? 0 : value_of(word[2]), backed = 0;

		for (number = pages * tenth / TENTHS; number < pages * (tenth + 1) / TENTHS; number++) {
			uint64_t entry = entries[number];

			if (entry & PRESENT)
				present++;
			else if (entry & SWAPPED && AREA(entry) < AREAS)
				in[AREA(entry)]++;
			if (device >= 0 && !(entry & PRESENT) && entry & SWAPPED && !AREA(entry) &&
			    pread(device, slot, PAGE, SLOT(entry) * PAGE) != (ssize_t)PAGE)
				stop(word[1]);
		}
		if (device >= 0)
			backed = value_of(word[2]) - before;
		printf("%zu %lu %lu %lu %lu\n", tenth + 1, present * 4, in[0] * 4, in[1] * 4, backed * 4);
	}
	return 0;
}

int main(int words, char **word)
{
	if (words == 6 && !strcmp(word[1], "fill"))
		return fill(word + 2);
	if ((words == 3 || words == 5) && !strcmp(word[1], "where"))
		return where(word + 2, words - 2);
	fprintf(stderr, "usage: pages_rest fill MEGABYTES HOT SEED END | where PID [DEVICE COUNTER]\n");
	return 2;
}
