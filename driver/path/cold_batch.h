/* SPDX-License-Identifier: GPL-2.0-only */
/* A few pages that are to become cold streams, and the memory in which they do. */
#ifndef PAGEPRESS_COLD_BATCH_H
#define PAGEPRESS_COLD_BATCH_H

#include <linux/completion.h>

#include "page/disk.h"
#include "store/store.h"

#define PAGEPRESS_MOST_COLD_IN_FLIGHT 8

struct pagepress_request;

/* One page, from begin() to exchange(). */
struct pagepress_cold_page {
	struct pagepress_disk *disk;
	unsigned long slot;
	struct pagepress_request *request;	/* ours until release_all() */
	struct completion ended;	/* the command */
	bool answered;			/* by the card; else it cannot be waited for */
	u8 outcome;			/* cold_batch.c */
	void *stream;			/* a page: what the slot holds, then what it may hold */
	unsigned int length;		/* of a cold stream */
};

/* Who fills in the first part has it for himself. */
struct pagepress_cold_batch {
	struct pagepress_disk *disk;
	const struct pagepress_selection *selection;
	unsigned long slots[PAGEPRESS_MOST_COLD_IN_FLIGHT];	/* that may be selected */
	unsigned int found, tried;	/* of them: there are, and no more need be done */

	unsigned int became_cold;	/* of those tried last */
	unsigned int failed;		/* likewise: by a card, or not answered */
	unsigned int count;		/* pages in flight */
	struct pagepress_cold_page pages[PAGEPRESS_MOST_COLD_IN_FLIGHT];
	void *plain;			/* a page */
	void *memory;			/* all these pages */
};

int pagepress_cold_batch_create(struct pagepress_cold_batch *batch);
void pagepress_cold_batch_destroy(struct pagepress_cold_batch *batch);
unsigned int pagepress_cold_batch_most(void);
int pagepress_cold_batch_try(struct pagepress_cold_batch *batch);

#endif
