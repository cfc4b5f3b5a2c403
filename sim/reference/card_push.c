/* SPDX-License-Identifier: Apache-2.0 */
/* The card model's windows for pushed entries: one copy for the whole card, the one that was begun last. */
#include <string.h>

#include "card_state.h"

enum { LAST = PAGEPRESS_REGISTER_PUSH_END / 4 };

static uint32_t number(uint32_t dword)
{
	return (dword & PAGEPRESS_PUSH_BEGIN_NUMBER_MASK) >> PAGEPRESS_PUSH_BEGIN_NUMBER_SHIFT;
}

void card_push_write(struct card_model *card, unsigned int queue, uint32_t offset, uint32_t value)
{
	struct card_push *push = &card->push;
	unsigned int dword = offset / 4;

	if (offset == PAGEPRESS_REGISTER_PUSH_BEGIN) {
		push->queue = queue;
		push->count = 0;
		if (!card->queues[queue].enabled)
			return;
	} else if (queue != push->queue || dword > LAST) {
		return;
	} else if (!push->count || dword != push->count) {
		push->count = 0;
		return;
	}
	push->dwords[push->count++] = value;
}

void card_push_drop(struct card_model *card, unsigned int queue)
{
	if (card->push.queue == queue)
		card->push.count = 0;
}

bool card_push_take(struct card_model *card, unsigned int queue, struct pagepress_submission_entry *entry)
{
	const struct card_push *push = &card->push;
	bool taken = push->queue == queue && push->count == LAST + 1 &&
		     number(push->dwords[0]) == number(card->queues[queue].sequence) &&
		     number(push->dwords[0]) == number(push->dwords[LAST]);

	if (taken) {
		memset(entry, 0, sizeof(*entry));
		memcpy(entry, push->dwords + PAGEPRESS_REGISTER_PUSH_ENTRY / 4, PAGEPRESS_PUSH_ENTRY_BYTES);
	}
	card_push_drop(card, queue);
	return taken;
}
