/* SPDX-License-Identifier: GPL-2.0-only */
/* How long pages take on each way; latency.c. */
#ifndef PAGEPRESS_LATENCY_H
#define PAGEPRESS_LATENCY_H

#include <linux/types.h>

/* REDONE: from submission to a card to the page's end by this CPU, what the card did not do. */
#define PAGEPRESS_WAYS(X) \
	X(CARD_WRITE, card_write) \
	X(CARD_READ, card_read) \
	X(CPU_WRITE, cpu_write) \
	X(CPU_READ, cpu_read) \
	X(REDONE, redone)

enum pagepress_way {
#define X(name, column) PAGEPRESS_##name,
	PAGEPRESS_WAYS(X)
#undef X
	PAGEPRESS_WAY_COUNT
};

struct seq_file;

void pagepress_latency_add(enum pagepress_way way, u64 nanoseconds);
int pagepress_latency_show(struct seq_file *file, void *unused);

#endif
