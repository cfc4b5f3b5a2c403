// SPDX-License-Identifier: GPL-2.0-only
/* How long pages take on each way: histograms whose buckets are powers of two of nanoseconds. */
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>

#include "path/latency.h"

#define BUCKETS 40 /* the last holds all that took longer: 2^39 ns are nine minutes */

static DEFINE_PER_CPU(u64[PAGEPRESS_WAY_COUNT][BUCKETS], pages);

/* From submission to the end of the page, by a card; from begin to end, by this CPU. */
void pagepress_latency_add(enum pagepress_way way, u64 nanoseconds)
{
	unsigned int bucket = nanoseconds ? min(ilog2(nanoseconds), BUCKETS - 1) : 0;

	this_cpu_inc(pages[way][bucket]);
}

static u64 sum(enum pagepress_way way, unsigned int bucket)
{
	u64 total = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		total += per_cpu(pages, cpu)[way][bucket];
	return total;
}

/* A line a bucket that holds something: its lower bound, then the pages of each way. */
int pagepress_latency_show(struct seq_file *file, void *unused)
{
	unsigned int bucket, way;

	seq_puts(file, "nanoseconds");
#define X(name, column) seq_puts(file, " " #column);
	PAGEPRESS_WAYS(X)
#undef X
	seq_putc(file, '\n');
	for (bucket = 0; bucket < BUCKETS; bucket++) {
		u64 counts[PAGEPRESS_WAY_COUNT], any = 0;

		for (way = 0; way < PAGEPRESS_WAY_COUNT; way++)
			any |= counts[way] = sum(way, bucket);
		if (!any)
			continue;
		seq_printf(file, "%llu", 1ull << bucket);
		for (way = 0; way < PAGEPRESS_WAY_COUNT; way++)
			seq_printf(file, " %llu", counts[way]);
		seq_putc(file, '\n');
	}
	return 0;
}
