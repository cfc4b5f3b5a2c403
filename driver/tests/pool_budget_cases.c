// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own decision about the pool's size (policy/pool_budget.c), one second like the other: prints for machines of all
 * sizes how soon the pool shrinks when only the youngest pages are read, without and with files that lose pages, and with a device
 * as slow as can be; how soon it grows when only pages of the device are read; and how many in 256 are taken to be read again when
 * all that were sent to the device at once are, in the ten seconds that follow, and when none are; how many in 256 of its pages
 * the pool may have once a quarter of them is left to share; and how many in 256 of its first budget it keeps while memory fills.
 *
 * usage: pool_budget_cases
 * prints a line a machine: its pages, then seconds (0: not within an hour), then pages in 256
 */
#include <stdio.h>

#include "policy/pool_budget.c"

#define HOUR 3600

/* Seconds until the budget has changed in that direction. */
static unsigned int changes(u64 memory, bool larger, u32 reads, u64 file_refaults, u64 backing_ns)
{
	struct pagepress_pool_budget budget;
	unsigned int second;
	u64 first;

	pagepress_pool_budget_init(&budget, memory, memory);
	if (larger)
		budget.pages = memory / 16;
	first = budget.pages;
	for (second = 1; second <= HOUR; second++) {
		struct pagepress_pool_state state = {
			.used = budget.pages, .held = 3 * budget.pages, .shared = memory, .file_refaults = file_refaults,
			/* So many have been sent there, and few were read again. */
			.written_back = memory / 8, .pool_ns = 2000, .backing_ns = backing_ns,
		};

		state.reads[larger ? 3 : 0] = reads;
		pagepress_pool_budget_decide(&budget, &state);
		if (larger ? budget.pages > first : budget.pages < first)
			return second;
	}
	return 0;
}

/* What is known of pages sent to the device, after a step of the budget went there and so much of it came back. */
static u64 known(u64 memory, u64 percent_back)
{
	struct pagepress_pool_state state = { .written_back = memory / 16, .shared = memory };
	struct pagepress_pool_budget budget;
	unsigned int second;
	u64 chance;

	pagepress_pool_budget_init(&budget, memory, memory);
	for (second = 0; second < 10; second++) {
		chance_of_return(&budget, &state);
		/* Of those in the pool as many were read as there are. */
		state.held = state.reads[0] = memory / 16;
		state.written_back = 0;
		state.read_back = memory / 16 * percent_back / 1000;
	}
	chance = chance_of_return(&budget, &state);
	return chance;
}

/* The budget where the kernel has taken most of memory, before anything was read. */
static u64 bounded(u64 memory)
{
	struct pagepress_pool_state state = { .shared = memory / 4 };
	struct pagepress_pool_budget budget;

	pagepress_pool_budget_init(&budget, memory, memory);
	pagepress_pool_budget_decide(&budget, &state);
	return (budget.pages * 256 + memory / 2) / memory;
}

/*
 * The least budget of three seconds in which programs fill memory that is mostly the kernel's: pages go to the device, few have been
 * read so far, and files lose theirs. A guest of 96 MiB, in parts of its memory.
 */
static u64 held_while_filling(u64 memory)
{
	struct pagepress_pool_budget budget;
	u64 first, least;
	unsigned int second;

	pagepress_pool_budget_init(&budget, memory, memory * 2 / 5);
	first = least = budget.pages;
	for (second = 0; second < 3; second++) {
		struct pagepress_pool_state state = {
			.used = budget.pages, .held = budget.pages * 5 / 4, .shared = memory * 2 / 5, .written_back = memory / 16,
			.read_back = second ? memory / 128 : 0, .file_refaults = memory / 7, .pool_ns = 30000, .backing_ns = 2000000,
		};

		state.reads[0] = memory / 128;
		pagepress_pool_budget_decide(&budget, &state);
		least = min(least, budget.pages);
	}
	return least * 256 / first;
}

int main(void)
{
	static const u64 machines[] = { 1ull << 15, 1000003, 1ull << 22, 1ull << 26, 1ull << 30 };
	unsigned int index;

	for (index = 0; index < sizeof(machines) / sizeof(*machines); index++) {
		u64 memory = machines[index];
		u32 reads = memory / 64;

		printf("%llu %u %u %u %u %llu %llu %llu %llu\n", memory, changes(memory, false, reads, 0, 100000),
		       changes(memory, false, reads, memory / 256, 100000), changes(memory, false, reads, memory / 256, ~0ull),
		       changes(memory, true, reads, 0, ~0ull), known(memory, 100), known(memory, 0), bounded(memory),
		       held_while_filling(memory));
	}
	return 0;
}
