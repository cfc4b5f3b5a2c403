// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card's 64-bit counters, read as two 32-bit words. Of a card that does not answer, or whose
 * words do not agree, the last values stay.
 */
#include "card/card.h"

/* A high word moves once in 2^32 counts: of a sound card the second look is right. */
#define LOOKS 2

/* False when there is nothing to believe. Bounded, whatever the card answers. */
static bool read_counter(struct pagepress_card *card, unsigned int counter, u64 *value)
{
	u32 offset = PAGEPRESS_COUNTER_BASE + counter * sizeof(u64);
	u32 high, again = pagepress_read(card, offset + sizeof(u32));
	unsigned int look;

	for (look = 0; look < LOOKS; look++) {
		high = again;
		*value = (u64)high << 32 | pagepress_read(card, offset);
		again = pagepress_read(card, offset + sizeof(u32));
		if (again == high)
			return high != PAGEPRESS_ALL_ONES;
	}
	return false;
}

void pagepress_card_read_counter(struct pagepress_card *card, unsigned int counter)
{
	u64 value;

	/* A reset in between would make a half: only a card that is up is asked. */
	if (READ_ONCE(card->state) != PAGEPRESS_CARD_READY)
		return;
	mutex_lock(&card->counter_lock);
	if (read_counter(card, counter, &value))
		WRITE_ONCE(card->counters[counter], value);
	mutex_unlock(&card->counter_lock);
}

void pagepress_card_read_counters(struct pagepress_card *card)
{
	unsigned int counter;

	for (counter = 0; counter < PAGEPRESS_COUNTER_COUNT; counter++)
		pagepress_card_read_counter(card, counter);
	card->counters_read = jiffies;
}
