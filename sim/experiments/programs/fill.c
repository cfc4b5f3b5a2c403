// SPDX-License-Identifier: Apache-2.0
// fill MEGABYTES FILE [--note NUMBER_FILE] [--hold | --check PASSES [--part PERCENT AT...]]: takes so much memory and fills it with the pages of FILE, each made unlike all
// others; says "filled MILLISECONDS". --hold: then waits until it is ended. --check: then goes through the memory so often, page by
// page in an order that jumps about, compares the sum of every byte, changes a word of every page, and says "checked MILLISECONDS WRONG_PAGES"
// after each pass; --part: only that share of the memory, one phase after the other for parts that begin AT percent of it (they must not overlap),
// then says "worked MAJOR_FAULTS", waits for a line of its input while figures of that work are taken, and compares every page once more.
// When every page has been compared it says "wrong PAGES", of all passes. Exit status 1 when a page was wrong. --note: after "filled" and "checked" stands at the
// line's end what that file says then, a number; it goes on when it has read it.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, WORDS = PAGE / sizeof(uint64_t), NUMBER_WORD = 8, PASS_WORD = 9 };

static uint64_t *memory, *sums;
static size_t pages;
static const char *noted;

static long now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

// Ends a line.
static void say_noted(void)
{
	unsigned long number;
	FILE *file = noted ? fopen(noted, "r") : NULL;

	if (file && fscanf(file, "%lu", &number) == 1)
		printf(" %lu", number);
	if (file)
		fclose(file);
	printf("\n");
	fflush(stdout);
}

static uint64_t *page_at(uint64_t *base, size_t number)
{
	return base + number * WORDS;
}

// Of all words but PASS_WORD. Each step is one to one: a sum tells any one word that has changed, and others all but surely.
static uint64_t sum_of(const uint64_t *page)
{
	uint64_t sum = 0;

	for (size_t word = 0; word < WORDS; word++) {
		sum ^= word == PASS_WORD ? 0 : page[word];
		sum = (sum << 23 | sum >> 41) * 0x9e3779b97f4a7c15;
	}
	return sum;
}

// Afterwards nothing reads the file: what is compared must not take memory as well.
static bool fill(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint64_t *source;
	size_t source_pages;
	long length;

	if (!file || fseek(file, 0, SEEK_END) || (length = ftell(file)) < PAGE)
		return false;
	source_pages = (size_t)length / PAGE;
	source = mmap(NULL, source_pages * PAGE, PROT_READ, MAP_PRIVATE, fileno(file), 0);
	fclose(file);
	if (source == MAP_FAILED)
		return false;
	for (size_t number = 0; number < pages; number++) {
		uint64_t *page = page_at(memory, number);

		memcpy(page, page_at(source, (number * 7919) % source_pages), PAGE);
		page[NUMBER_WORD] = number;
		page[PASS_WORD] = 0;
		sums[number] = sum_of(page);
	}
	munmap(source, source_pages * PAGE);
	return true;
}

static bool is_right(const uint64_t *page, size_t number, uint64_t pass)
{
	return page[NUMBER_WORD] == number && page[PASS_WORD] == pass && sum_of(page) == sums[number];
}

static size_t common_divisor(size_t one, size_t other)
{
	return other ? common_divisor(other, one % other) : one;
}

// An order that jumps about and meets every page once: steps near the root of the count that share no divisor with it.
static size_t check(size_t first, size_t count, uint64_t pass)
{
	size_t wrong = 0, step = 1;

	while (step * step < count || common_divisor(step, count) != 1)
		step++;
	for (size_t turn = 0, at = 0; turn < count; turn++, at = (at + step) % count) {
		uint64_t *page = page_at(memory, first + at);

		wrong += !is_right(page, first + at, pass);
		page[PASS_WORD] = pass + 1;
	}
	return wrong;
}

// As often as `passes` says, one line each; the wrong pages of all.
static size_t check_part(size_t first, size_t count, uint64_t passes)
{
	size_t wrong = 0;

	for (uint64_t pass = 0; pass < passes; pass++) {
		long before = now_ms();
		size_t bad = check(first, count, pass);

		wrong += bad;
		printf("checked %ld %zu", now_ms() - before, bad);
		say_noted();
	}
	return wrong;
}

static size_t percent(const char *word)
{
	return pages * strtoul(word, NULL, 10) / 100;
}

// `parts` words of where parts of `length` pages begin, each gone through `passes` times; nobody has worked on the other pages.
static size_t check_all(char **starts, int parts, size_t length, uint64_t passes)
{
	size_t wrong = 0;

	for (size_t number = 0; number < pages; number++) {
		bool worked_on = false;

		for (int part = 0; part < parts; part++)
			worked_on |= number >= percent(starts[part]) && number < percent(starts[part]) + length;
		wrong += !is_right(page_at(memory, number), number, worked_on ? passes : 0);
	}
	return wrong;
}

static long major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_majflt;
}

int main(int count, char **words)
{
	size_t wrong = 0;
	long before = now_ms();

	if (count < 3) {
		fprintf(stderr, "usage: fill MEGABYTES FILE [--note NUMBER_FILE] [--hold | --check PASSES [--part PERCENT AT...]]\n");
		return 2;
	}
	pages = strtoul(words[1], NULL, 10) << 8;
	memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	sums = malloc(pages * sizeof(*sums));
	if (memory == MAP_FAILED || !sums) {
		perror("fill");
		return 2;
	}
	madvise(memory, pages * PAGE, MADV_NOHUGEPAGE);
	if (!fill(words[2])) {
		perror(words[2]);
		return 2;
	}
	if (count > 4 && !strcmp(words[3], "--note")) {
		noted = words[4];
		count -= 2;
		words += 2;
	}
	printf("filled %ld", now_ms() - before);
	say_noted();
	if (count > 3 && !strcmp(words[3], "--hold"))
		for (;;)
			pause();
	if (count > 4 && !strcmp(words[3], "--check")) {
		uint64_t passes = strtoull(words[4], NULL, 10);

		if (count == 5)
			wrong = check_part(0, pages, passes);
		for (int phase = 7; phase < count; phase++)
			wrong += check_part(percent(words[phase]), percent(words[6]), passes);
		if (count > 7) {
			printf("worked %ld\n", major_faults());
			fflush(stdout);
			getchar();
			wrong += check_all(words + 7, count - 7, percent(words[6]), passes);
		}
		printf("wrong %zu\n", wrong);
	}
	return wrong ? 1 : 0;
}
