// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own decision about the pool's size (policy/pool_budget.c) in a model of what it decides about: programs' pages by
 * least recent use, a pool of compressed pages that leave oldest first, a device behind it. Runs each load with each size of the
 * pool and with the decision, and prints what the reads cost, in reads of the pool.
 *
 * usage: pool_budget_model SEED [files]
 * Decides once in so many touches; files: loads that begin by filling memory, and read files, whose pages are dropped and read
 * again, decided once in so much time, short and long, on machines with little and much memory that is the kernel's.
 *
 * prints a line a case: load, stored size in per cent, cost of a read of the device, pages of the machine, touches or time from one
 * decision to the next, then the costs of nothing in the pool, of the best size that stays, and of the decision
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/pool_budget.c"

#include "model.h"

#define MEMORY	2048	/* pages that there are to share */
#define PAGES	65536	/* that loads have */
#define FILES	61500	/* those of files from here on */
#define TOUCHES 60000	/* of each phase of a load */
#define PERIOD	2000	/* touches from one decision to the next */
#define BLOCK	16	/* writes whose pages' depths are not told apart, as in the driver's order */
#define SIZES	7	/* from nothing to three quarters of memory */
#define POOL_NS 1000

enum place { NOWHERE, PROGRAMS, POOL, DEVICE, DROPPED };

struct row {	/* of pages, first the oldest */
	int first, last;
	u64 count;
};

static struct {
	enum place place[PAGES];
	int before[PAGES], after[PAGES];	/* in the row of its place */
	u64 written[PAGES];			/* number of its last write */
	struct row programs, pool;
	u64 on_device;
	u64 writes;
	u32 held[1 << 18];			/* by written / BLOCK: pages that are still in the pool */
	u64 budget;				/* pages of memory the pool may have */
	u64 sent_back, read_back, refaults, cost;
	u64 quarters;				/* of the time that a read of the pool takes, since the last decision */
	u32 reads[PAGEPRESS_DEPTHS];
} machine;

static u64 percent_stored, device_cost;
static u64 memory;	/* pages of the machine */

static void append(struct row *row, int page)
{
	machine.before[page] = row->last;
	machine.after[page] = -1;
	*(row->count++ ? &machine.after[row->last] : &row->first) = page;
	row->last = page;
}

static void take_out(struct row *row, int page)
{
	int before = machine.before[page], after = machine.after[page];

	*(page == row->first ? &row->first : &machine.after[before]) = after;
	*(page == row->last ? &row->last : &machine.before[after]) = before;
	row->count--;
}

static u64 pool_memory(void)
{
	return machine.pool.count * percent_stored / 100;
}

static void move_out_of_pool(int page, enum place place)
{
	take_out(&machine.pool, page);
	machine.held[machine.written[page] / BLOCK]--;
	machine.place[page] = place;
}

/* Until everything has its place: the oldest pages of programs go to the pool, its oldest to the device. */
static void settle(void)
{
	for (;;) {
		if (machine.pool.count && pool_memory() > machine.budget) {
			move_out_of_pool(machine.pool.first, DEVICE);
			machine.on_device++;
			machine.sent_back++;
		} else if (machine.programs.count + pool_memory() > MEMORY) {
			int page = machine.programs.first;

			take_out(&machine.programs, page);
			if (page >= FILES) {
				machine.place[page] = DROPPED;
				continue;
			}
			append(&machine.pool, page);
			machine.place[page] = POOL;
			machine.written[page] = ++machine.writes;
			machine.held[machine.writes / BLOCK]++;
		} else {
			return;
		}
	}
}

static u64 depth_of(int page)
{
	u64 depth = 0, block, between;

	if (machine.place[page] == POOL) {
		for (block = machine.written[page] / BLOCK + 1; block <= machine.writes / BLOCK; block++)
			depth += machine.held[block];
		return depth;
	}
	between = (machine.pool.count ? machine.written[machine.pool.first] : machine.writes) - machine.written[page];
	return machine.pool.count + min(between, machine.on_device);
}

static void read_swapped(int page)
{
	machine.reads[min(depth_of(page) / pagepress_depth_width(memory), PAGEPRESS_DEPTHS - 1)]++;
	if (machine.place[page] == POOL) {
		move_out_of_pool(page, PROGRAMS);
		machine.cost++;
		machine.quarters += 4;
	} else {
		machine.on_device--;
		machine.read_back++;
		machine.cost += device_cost;
		machine.quarters += 4 * device_cost;
	}
}

static void touch(int page)
{
	machine.quarters++;
	switch (machine.place[page]) {
	case PROGRAMS:
		take_out(&machine.programs, page);
		break;
	case NOWHERE:
		machine.quarters += 8; /* another page leaves for it */
		break;
	case DROPPED: /* files are read ahead: the device is busy, nobody waits */
		machine.refaults++;
		machine.cost += device_cost;
		break;
	default:
		read_swapped(page);
	}
	machine.place[page] = PROGRAMS;
	append(&machine.programs, page);
	settle();
}

/* A page of the first `pages`, the first ones more often. */
static int favourite(u32 pages)
{
	u64 draw = below(1 << 16);

	return pages * draw * draw * draw >> 48;
}

/*
 * Programs that fill more than there is room for, from a file if it has pages, while others are called now and then; in the end all
 * but the oldest fifth of what they filled is used.
 */
static int fill(int touch, int file_pages)
{
	int filled = (MEMORY * 3 / 4 * 100 / percent_stored + MEMORY / 4) * 11 / 10;

	if (touch >= 2 * filled)
		return filled / 5 + below(filled - filled / 5);
	if (touch % 16 == 0)
		return 20000 + touch / 16 % 100;
	return touch % 2 || !file_pages ? touch / 2 : FILES + touch / 2 * 1201 % file_pages;
}

/* Likewise, then in one part of it after the other that would fit. */
static int fill_parts(int touch, int file_pages)
{
	int worked = touch - 6600;

	return worked < 0 ? fill(touch, file_pages) : worked / 13350 * 825 + worked % 13350 * 29 % 793;
}

/* The page that a phase touches next. */
static int next_page(char phase, int touch)
{
	switch (phase) {
	case 'f': return favourite(1800);			/* fits into memory */
	case 'm': return 3000 + favourite(5000);		/* somewhat more than memory */
	case 'l': return 9000 + below(3600);			/* more, all the same */
	case 'h': return 20000 + below(8000);			/* far more */
	case 's': return 40000 + touch % 6500;			/* again and again in turn */
	case 'g': return fill(touch, 1500);
	case 'G': return fill(touch, 3000);
	case 'b': return fill_parts(touch, 1500);
	case 'B': return fill_parts(touch, 3000);
	case 'x': return fill_parts(touch, 0);
	case 'r': return touch % 4 ? 3000 + favourite(3000) : FILES + below(1500);	/* files beside programs, some */
	case 'R': return touch % 2 ? 3000 + favourite(2500) : FILES + favourite(4000);	/* and many */
	case 'c': return touch < 5000 ? 48000 + touch : 1000 + (int)below(1500); /* much once, then what would fit */
	default:  return touch % 8 ? 1000 + (int)below(1000) : 54000 + touch / 8 % 7500; /* 'd': that at the same time */
	}
}

static void decide(struct pagepress_pool_budget *budget)
{
	struct pagepress_pool_state state = {
		.used = pool_memory(), .held = machine.pool.count, .shared = MEMORY, .written_back = machine.sent_back, .read_back = machine.read_back,
		.file_refaults = machine.refaults, .pool_ns = POOL_NS, .backing_ns = device_cost * POOL_NS,
	};

	memcpy(state.reads, machine.reads, sizeof(state.reads));
	memset(machine.reads, 0, sizeof(machine.reads));
	machine.sent_back = machine.read_back = machine.refaults = machine.quarters = 0;
	pagepress_pool_budget_decide(budget, &state);
	machine.budget = budget->pages;
}

/* Cost of a load, with a pool of so many pages; with none, as is decided: once in so much time, or in PERIOD touches. */
static u64 run(const char *load, const u64 *size, u64 time, u64 seed)
{
	struct pagepress_pool_budget budget;
	int touched;

	memset(&machine, 0, sizeof(machine));
	random_state = seed;
	pagepress_pool_budget_init(&budget, memory, MEMORY);
	machine.budget = size ? *size : budget.pages;
	for (; *load; load++) {
		for (touched = 0; touched < TOUCHES; touched++) {
			touch(next_page(*load, touched));
			if (!size && (time ? machine.quarters >= 4 * time : touched % PERIOD == PERIOD - 1))
				decide(&budget);
		}
	}
	return machine.cost;
}

static void compare(const char *load, bool files, u64 seed)
{
	static const u64 machines[] = { MEMORY, 5 * MEMORY / 2 }, times[] = { 1000, 4000 };
	u64 none = 0, best = ~0ull, size;
	unsigned int one, other;

	memory = MEMORY;
	for (size = 0; size < SIZES; size++) {
		u64 pages = size * MEMORY / 8, cost = run(load, &pages, 0, seed);

		none = size ? none : cost;
		best = min(best, cost);
	}
	if (!files) {
		printf("%s %llu %llu %u %u %llu %llu %llu\n", load, percent_stored, device_cost, MEMORY, PERIOD, none, best,
		       run(load, NULL, 0, seed));
		return;
	}
	for (one = 0; one < 2; one++) {
		memory = machines[one];
		for (other = 0; other < 2; other++)
			printf("%s %llu %llu %llu %llu %llu %llu %llu\n", load, percent_stored, device_cost, memory, times[other], none,
			       best, run(load, NULL, times[other], seed));
	}
}

int main(int count, char **words)
{
	static const char *const loads[] = { "m", "l", "h", "s", "llll", "hhhh", "ssss", "flfm", "mslf", "hfls", "cccc", "dddd",
					     "cl", "dlcf", "lccc", "mdmd", NULL };
	static const char *const with_files[] = { "g", "G", "gl", "b", "B", "bg", "x", "r", "R", NULL };
	static const u64 stored[] = { 15, 35, 70 }, costs[] = { 5, 10, 20, 100, 500 };
	bool files = count == 3 && !strcmp(words[2], "files");
	const char *const *load;
	unsigned int one, other;
	u64 seed;

	if (count != 2 && !files) {
		fprintf(stderr, "usage: pool_budget_model SEED [files]\n");
		return 2;
	}
	seed = strtoull(words[1], NULL, 10);
	for (one = 0; one < sizeof(stored) / sizeof(*stored); one++) {
		for (other = 0; other < sizeof(costs) / sizeof(*costs); other++) {
			percent_stored = stored[one];
			device_cost = costs[other];
			for (load = files ? with_files : loads; *load; load++)
				compare(*load, files, seed);
		}
	}
	return 0;
}
