// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card's 64-bit counters, read as two 32-bit words; of a card that does not answer, the last
 * values stay.
 */
#include "card.h"

void pagepress_card_read_counter(struct pagepress_card *card, unsigned int counter)
{
	u32 offset = PAGEPRESS_COUNTER_BASE + counter * sizeof(u64);
	u32 low, high, again;

	/* A reset in between would make a half: only a card that is up is asked. */
	if (READ_ONCE(card->state) != PAGEPRESS_CARD_READY)
		return;
	mutex_lock(&card->counter_lock);
	again = pagepress_read(card, offset + sizeof(u32));
	do {
		high = again;
		low = pagepress_read(card, offset);
		again = pagepress_read(card, offset + sizeof(u32));
	} while (again != high);
	if (high != PAGEPRESS_ALL_ONES)
		WRITE_ONCE(card->counters[counter], (u64)high << 32 | low);
	mutex_unlock(&card->counter_lock);
}

void pagepress_card_read_counters(struct pagepress_card *card)
{
	unsigned int counter;

	for (counter = 0; counter < PAGEPRESS_COUNTER_COUNT; counter++)
		pagepress_card_read_counter(card, counter);
	card->counters_read = jiffies;
}
