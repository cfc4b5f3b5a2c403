// SPDX-License-Identifier: Apache-2.0
// A memory-hungry program: fills memory with the pages of an image until enough of them were
// swapped out, reads them back in another order and compares every byte with the image, which is
// read anew past every cache. What swap loses, swaps or alters shows. Where that did not move enough
// pages, it goes on with further rounds that also replace what they have read.
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "goals.h"
#include "memory_statistics.h"
#include "options.h"

// A run of pages handled together: one read of the image, one step of the reading order. Long enough
// that most of what swap reads ahead is wanted.
#define BLOCK_PAGES 32u
// Blocks that are read back in random order; such windows follow each other from the last one filled to
// the first. Random order over everything would bring each page in about twice.
#define WINDOW_BLOCKS 64u
#define MOST_ROUNDS 4u // with a card that does its work one or two are enough
#define REPORT_SECONDS 0.25
#define SHOW_SECONDS 3.0

struct workload {
	struct options options;
	size_t page_bytes;
	size_t block_bytes;
	size_t blocks; // in the image
	size_t filled; // blocks in memory
	uint64_t checked; // pages compared, over all rounds
	uint64_t wrong; // pages that differed
	uint32_t *order; // of reading back, a permutation of the filled blocks; locked
	uint32_t *content; // which block of the image each block of memory holds; locked
	bool *unseen; // blocks replaced and not compared since; locked
	size_t unseen_count;
	unsigned char *memory; // what may be swapped
	unsigned char *truth; // one block of the image; locked
	int image;
	struct memory_statistics start;
	double last_report;
	double last_shown;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static void report(const struct workload *work, const char *format, ...)
{
	va_list arguments;
	int file;

	if (!work->options.report)
		return;
	file = open(work->options.report, O_WRONLY | O_APPEND | O_NOCTTY);
	if (file < 0)
		die("cannot write to %s: %s", work->options.report, strerror(errno));
	va_start(arguments, format);
	vdprintf(file, format, arguments);
	va_end(arguments);
	close(file);
}

static struct memory_statistics since_start(const struct workload *work)
{
	struct memory_statistics present = memory_statistics_read();

	present.swapped_in -= work->start.swapped_in;
	present.swapped_out -= work->start.swapped_out;
	return present;
}

static void progress(struct workload *work, const char *phase, size_t block, bool always)
{
	struct memory_statistics present;
	double time = now();

	if (!always && time - work->last_report < REPORT_SECONDS)
		return;
	work->last_report = time;
	present = since_start(work);
	report(work, "progress %s %zu %llu %llu\n", phase, block * BLOCK_PAGES,
	       (unsigned long long)present.swapped_out, (unsigned long long)present.swapped_in);
	if (!always && time - work->last_shown < SHOW_SECONDS)
		return;
	work->last_shown = time;
	printf("  %-8s %7zu pages   swapped out %6llu, in %6llu\n", phase, block * BLOCK_PAGES,
	       (unsigned long long)present.swapped_out, (unsigned long long)present.swapped_in);
	fflush(stdout);
}

// A simulated card is a thousand times slower than memory. Without waiting, everything would
// overflow its rings into the software path and the card would hardly be seen.
static void keep_pace(const struct workload *work)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	while (work->options.pace && memory_statistics_read().under_writeback > work->options.pace)
		nanosleep(&pause, NULL);
}

static void read_truth(struct workload *work, size_t block)
{
	ssize_t got = pread(work->image, work->truth, work->block_bytes, (off_t)block * work->block_bytes);

	if (got != (ssize_t)work->block_bytes)
		die("cannot read block %zu of %s: %s", block, work->options.image,
		    got < 0 ? strerror(errno) : "too short");
}

// Block `place` of memory receives block `block` of the image.
static void put(struct workload *work, size_t place, size_t block)
{
	read_truth(work, block);
	memcpy(work->memory + place * work->block_bytes, work->truth, work->block_bytes);
	work->content[place] = (uint32_t)block;
}

static void fill(struct workload *work)
{
	while (!work->options.out || since_start(work).swapped_out < work->options.out) {
		if (work->filled == work->blocks && !work->options.out)
			break;
		if (work->filled == work->blocks)
			die("all %zu pages of the image are in memory and too few were swapped out: give the guest less memory",
			    work->blocks * BLOCK_PAGES);
		put(work, work->filled, work->filled);
		work->filled++;
		keep_pace(work);
		progress(work, "filling", work->filled, false);
	}
	progress(work, "filling", work->filled, true);
}

static void check_block(struct workload *work, size_t block)
{
	read_truth(work, work->content[block]);
	for (size_t i = 0; i < BLOCK_PAGES; i++) {
		const unsigned char *page = work->memory + block * work->block_bytes + i * work->page_bytes;
		const unsigned char *right = work->truth + i * work->page_bytes;
		size_t byte = 0;

		work->checked++;
		if (!memcmp(page, right, work->page_bytes))
			continue;
		while (page[byte] == right[byte])
			byte++;
		if (work->wrong++ < 10)
			fprintf(stderr, "hungry: page %zu is wrong from byte %zu on\n", block * BLOCK_PAGES + i, byte);
	}
}

// xorshift64*: the order must be the same wherever it runs.
static uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 2685821657736338717ull;
}

static void choose_order(struct workload *work, uint64_t *state)
{
	for (size_t i = 0; i < work->filled; i++)
		work->order[i] = (uint32_t)(work->filled - 1 - i);
	for (size_t start = 0; start < work->filled; start += WINDOW_BLOCKS) {
		size_t left = work->filled - start;

		for (size_t i = left < WINDOW_BLOCKS ? left : WINDOW_BLOCKS; i > 1; i--) {
			uint32_t *last = &work->order[start + i - 1];
			uint32_t *other = &work->order[start + random_next(state) % i];
			uint32_t block = *last;

			*last = *other;
			*other = block;
		}
	}
}

// Compares the blocks in a new order: all of them in the first round. In a later one each receives
// other data, until the goals are reached; from then on only what is unseen is compared.
static void check_round(struct workload *work, uint64_t *state, bool first)
{
	choose_order(work, state);
	for (size_t i = 0; i < work->filled; i++) {
		size_t block = work->order[i];

		if (!first && !work->unseen[block] && goals_reached())
			continue;
		check_block(work, block);
		work->unseen_count -= work->unseen[block];
		work->unseen[block] = !first && !goals_reached();
		work->unseen_count += work->unseen[block];
		if (work->unseen[block])
			put(work, block, random_next(state) % work->blocks);
		keep_pace(work);
		progress(work, "checking", work->checked / BLOCK_PAGES, false);
	}
	progress(work, "checking", work->checked / BLOCK_PAGES, true);
}

static void check(struct workload *work)
{
	uint64_t state = work->options.seed * 2 + 1; // never 0

	check_round(work, &state, true);
	for (unsigned int round = 1; !goals_reached() || work->unseen_count; round++) {
		if (round == MOST_ROUNDS)
			goals_abandon(); // whoever reads the figures sees what is missing
		check_round(work, &state, false);
	}
}

static void *locked(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED || mlock(memory, bytes))
		die("cannot lock %zu bytes: %s", bytes, strerror(errno));
	return memory;
}

static void prepare(struct workload *work)
{
	off_t image_bytes = -1;

	work->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	work->block_bytes = work->page_bytes * BLOCK_PAGES;
	// Past the page cache: the image must not compete for the memory, and what is compared
	// must come from the disk.
	work->image = open(work->options.image, O_RDONLY | O_DIRECT);
	if (work->image >= 0)
		image_bytes = lseek(work->image, 0, SEEK_END);
	if (image_bytes < 0)
		die("cannot open the image %s: %s", work->options.image, strerror(errno));
	work->blocks = (size_t)image_bytes / work->block_bytes;
	if (!work->blocks)
		die("%s is too small: %zu bytes are the least", work->options.image, work->block_bytes);
	memory_statistics_open();
	work->truth = locked(work->block_bytes);
	work->order = locked(work->blocks * sizeof(*work->order));
	work->content = locked(work->blocks * sizeof(*work->content));
	work->unseen = locked(work->blocks * sizeof(*work->unseen));
	// The program itself stays in memory, so that swap moves nothing but data.
	if (mlockall(MCL_CURRENT))
		die("cannot lock the program: %s", strerror(errno));
	work->memory = mmap(NULL, work->blocks * work->block_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (work->memory == MAP_FAILED)
		die("cannot map %zu bytes: %s", work->blocks * work->block_bytes, strerror(errno));
	work->start = memory_statistics_read();
}

static void run(const char *command)
{
	if (command && system(command) != 0)
		die("failed: %s", command);
}

int main(int count, char **words)
{
	struct workload work = { .options = options_parse(words + (count > 0)) };
	struct memory_statistics end;

	prepare(&work);
	fill(&work);
	run(work.options.at_full);
	check(&work);
	end = since_start(&work);
	report(&work, "hungry {\"pages\": %zu, \"checked\": %llu, \"wrong\": %llu, \"out\": %llu, \"in\": %llu}\n",
	       work.filled * BLOCK_PAGES, (unsigned long long)work.checked, (unsigned long long)work.wrong,
	       (unsigned long long)end.swapped_out, (unsigned long long)end.swapped_in);
	run(work.options.at_end);
	return work.wrong ? 1 : 0;
}
