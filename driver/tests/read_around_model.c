// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own decision what an access brings (backing/read_around.c) in a model of what it decides about: a disk with an arm, and
 * the stretches of it that were brought last. Runs each load with pages alone, with what lies around them always, and with the decision.
 *
 * usage: read_around_model SEED
 * prints a line a case: load, microseconds of a seek, then those of all accesses with nothing around, always, and as decided, and in per
 * cent the bytes that came as decided, of those with nothing around
 */
#include <stdio.h>
#include <string.h>

#include "backing/read_around.c"

#include "model.h"

#define DISK	 (256 << 20)	/* bytes */
#define STRETCH	 65536
#define KEPT	 8		/* stretches */
#define STREAM	 1600		/* bytes of a page */
#define READS	 20000
#define NS_A_BYTE 50		/* 20 MB a second */

enum how { ALONE, ALWAYS, DECIDED };

static u32 stretches[KEPT], used[KEPT];
static u64 ns, bytes;

/* An access is waited for, now and then behind others. */
static u64 access_of(u32 seek_us, u32 length)
{
	u64 takes = seek_us * 1000ull + (u64)length * NS_A_BYTE;

	ns += takes;
	bytes += length;
	return takes * (below(4) ? 1 : 1 + below(4));
}

static void read_page(enum how how, struct pagepress_read_around *state, u32 address, u32 seek_us, u32 turn)
{
	u32 index, oldest = 0;

	for (index = 0; index < KEPT; index++) {
		if (stretches[index] == address / STRETCH + 1) {
			used[index] = turn;
			pagepress_read_around_saved(state);
			return;
		}
		if (used[index] < used[oldest])
			oldest = index;
	}
	if (how == ALWAYS || (how == DECIDED && pagepress_read_around_decide(state, STRETCH, STRETCH))) {
		pagepress_read_around_measured(state, true, access_of(seek_us, STRETCH));
		stretches[oldest] = address / STRETCH + 1;
		used[oldest] = turn;
		return;
	}
	pagepress_read_around_measured(state, false, access_of(seek_us, 4096));
}

/* one after the other, anywhere, of every stretch a few, or by turns */
static u32 address_of(char load, u32 turn, u32 *at)
{
	switch (load) {
	case 's':
		return *at = (*at + STREAM) % DISK;
	case 'r':
		return below(DISK / STREAM) * STREAM;
	case 'f':
		return *at = (*at + STRETCH / 4 + below(STRETCH / 8)) % DISK;
	default:
		return address_of(turn / 2000 % 2 ? 's' : 'r', turn, at);
	}
}

static u64 run(enum how how, char load, u32 seek_us)
{
	struct pagepress_read_around state = {};
	u32 turn, at = 0;

	memset(stretches, 0, sizeof(stretches));
	memset(used, 0, sizeof(used));
	ns = bytes = 0;
	for (turn = 1; turn <= READS; turn++)
		read_page(how, &state, address_of(load, turn, &at), seek_us, turn);
	return ns / 1000;
}

int main(int count, char **words)
{
	static const u32 seeks[] = { 100, 1000, 4000, 8000 };
	const char *load;
	u32 index;

	if (count != 2) {
		fprintf(stderr, "usage: read_around_model SEED\n");
		return 2;
	}
	random_state = strtoull(words[1], NULL, 10);
	for (load = "srft"; *load; load++)
		for (index = 0; index < 4; index++) {
			u64 alone = run(ALONE, *load, seeks[index]), alone_bytes = bytes;
			u64 always = run(ALWAYS, *load, seeks[index]);
			u64 decided = run(DECIDED, *load, seeks[index]);

			printf("%c %u %llu %llu %llu %llu\n", *load, seeks[index], alone, always, decided, bytes * 100 / alone_bytes);
		}
	return 0;
}
