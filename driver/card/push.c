// SPDX-License-Identifier: GPL-2.0-only
/*
 * A command by way of BAR0: the card gets a copy of the newest submission, and need not fetch it.
 * The ring holds it all the same; whatever becomes of the copy, the card runs the ring's command
 * once.
 */
#include <linux/io.h>

#include "card/card.h"

/* What is written to a queue's PUSH window, lowest address first. */
struct window {
	__le32 begin;
	u8 entry[PAGEPRESS_PUSH_ENTRY_BYTES];
	__le32 end;
	u8 ignored[PAGEPRESS_PUSH_STRIDE - PAGEPRESS_REGISTER_PUSH_END - sizeof(__le32)];
} __aligned(sizeof(u64));
static_assert(offsetof(struct window, begin) == PAGEPRESS_REGISTER_PUSH_BEGIN);
static_assert(offsetof(struct window, entry) == PAGEPRESS_REGISTER_PUSH_ENTRY);
static_assert(offsetof(struct window, end) == PAGEPRESS_REGISTER_PUSH_END);
static_assert(sizeof(struct window) == PAGEPRESS_PUSH_STRIDE);

/* A whole line, so that a processor that combines writes makes one of it. Under queue->lock. */
void pagepress_queue_push(struct pagepress_queue *queue)
{
	unsigned int newest = (queue->tail - 1) & (queue->depth - 1);
	struct window copy = {};

	copy.begin = cpu_to_le32((queue->submitted - 1) & PAGEPRESS_PUSH_BEGIN_NUMBER_MASK);
	memcpy(copy.entry, &queue->submissions[newest], sizeof(copy.entry));
	copy.end = copy.begin;
	__iowrite64_copy(queue->card->push_windows + queue->number * PAGEPRESS_PUSH_STRIDE, &copy,
			 sizeof(copy) / sizeof(u64));
	wmb(); /* the copy goes before the doorbell: writel does not wait for combined writes */
}
