// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own decision about the pool's size (policy/pool_budget.c) in a model of what it decides about: programs' pages by
 * least recent use, a pool of compressed pages that leave oldest first, a device behind it. Runs each load with each size of the
 * pool and with the decision, and prints what the reads cost, in reads of the pool.
 *
 * usage: pool_budget_model SEED
 * prints a line a case: load, stored size in per cent, cost of a read of the device, then the costs of nothing in the pool, of
 * the best size that stays, and of the decision
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/pool_budget.c"

#include "model.h"

#define MEMORY	2048	/* pages of the machine */
#define PAGES	65536	/* that loads have */
#define TOUCHES 60000	/* of each phase of a load */
#define PERIOD	2000	/* touches from one decision to the next */
#define BLOCK	16	/* writes whose pages' depths are not told apart, as in the driver's order */
#define SIZES	7	/* from nothing to three quarters of memory */
#define POOL_NS 1000

enum place { NOWHERE, PROGRAMS, POOL, DEVICE };

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
	u64 sent_back, read_back, cost;
	u32 reads[PAGEPRESS_DEPTHS];
} machine;

static u64 percent_stored, device_cost;

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

static void touch(int page)
{
	if (machine.place[page] == PROGRAMS) {
		take_out(&machine.programs, page);
	} else if (machine.place[page] != NOWHERE) {
		machine.reads[min(depth_of(page) / pagepress_depth_width(MEMORY), PAGEPRESS_DEPTHS - 1)]++;
		if (machine.place[page] == POOL) {
			move_out_of_pool(page, PROGRAMS);
			machine.cost++;
		} else {
			machine.on_device--;
			machine.read_back++;
			machine.cost += device_cost;
		}
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

/* The page that a phase touches next. */
static int next_page(char phase, int touch)
{
	switch (phase) {
	case 'f': return favourite(1800);			/* fits into memory */
	case 'm': return 3000 + favourite(5000);		/* somewhat more than memory */
	case 'l': return 9000 + below(3600);			/* more, all the same */
	case 'h': return 20000 + below(8000);			/* far more */
	case 's': return 40000 + touch % 6500;			/* again and again in turn */
	case 'c': return touch < 5000 ? 48000 + touch : 1000 + (int)below(1500); /* much once, then what would fit */
	default:  return touch % 8 ? 1000 + (int)below(1000) : 54000 + touch / 8 % 7500; /* 'd': that at the same time */
	}
}

static void decide(struct pagepress_pool_budget *budget)
{
	struct pagepress_pool_state state = {
		.used = pool_memory(), .held = machine.pool.count, .shared = MEMORY, .written_back = machine.sent_back, .read_back = machine.read_back,
		.pool_ns = POOL_NS, .backing_ns = device_cost * POOL_NS,
	};

	memcpy(state.reads, machine.reads, sizeof(state.reads));
	memset(machine.reads, 0, sizeof(machine.reads));
	machine.sent_back = machine.read_back = 0;
	pagepress_pool_budget_decide(budget, &state);
	machine.budget = budget->pages;
}

/* Cost of a load, with a pool of so many pages; with none, as is decided. */
static u64 run(const char *load, const u64 *size, u64 seed)
{
	struct pagepress_pool_budget budget;
	int touched;

	memset(&machine, 0, sizeof(machine));
	random_state = seed;
	pagepress_pool_budget_init(&budget, MEMORY, MEMORY);
	machine.budget = size ? *size : budget.pages;
	for (; *load; load++) {
		for (touched = 0; touched < TOUCHES; touched++) {
			touch(next_page(*load, touched));
			if (!size && touched % PERIOD == PERIOD - 1)
				decide(&budget);
		}
	}
	return machine.cost;
}

static void compare(const char *load, u64 seed)
{
	u64 none = 0, best = ~0ull, size;

	for (size = 0; size < SIZES; size++) {
		u64 pages = size * MEMORY / 8, cost = run(load, &pages, seed);

		none = size ? none : cost;
		best = min(best, cost);
	}
	printf("%s %llu %llu %llu %llu %llu\n", load, percent_stored, device_cost, none, best, run(load, NULL, seed));
}

int main(int count, char **words)
{
	static const char *const loads[] = { "m", "l", "h", "s", "llll", "hhhh", "ssss", "flfm", "mslf", "hfls", "cccc", "dddd",
					     "cl", "dlcf", "lccc", "mdmd" };
	static const u64 stored[] = { 15, 35, 70 }, costs[] = { 5, 10, 20, 100, 500 };
	unsigned int load, one, other;
	u64 seed;

	if (count != 2) {
		fprintf(stderr, "usage: pool_budget_model SEED\n");
		return 2;
	}
	seed = strtoull(words[1], NULL, 10);
	for (one = 0; one < sizeof(stored) / sizeof(*stored); one++) {
		for (other = 0; other < sizeof(costs) / sizeof(*costs); other++) {
			percent_stored = stored[one];
			device_cost = costs[other];
			for (load = 0; load < sizeof(loads) / sizeof(*loads); load++)
				compare(loads[load], seed);
		}
	}
	return 0;
}
