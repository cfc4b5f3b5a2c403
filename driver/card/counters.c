// SPDX-License-Identifier: GPL-2.0-only
/*
 * The card's 64-bit counters, read as two 32-bit words. Of a card that does not answer, or whose
 * words do not agree, the last values stay. A reset takes them back to 0 in the card, not here.
 */
#include "card/card.h"

/* A high word moves once in 2^32 counts: of a sound card the second look is right. */
#define LOOKS 2

/*
 * False when there is nothing to believe: a reset that begins and ends between the two high words
 * is seen in the low one. Bounded, whatever the card answers.
 */
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
			return high != PAGEPRESS_ALL_ONES && (u32)*value != PAGEPRESS_ALL_ONES;
	}
	return false;
}

/* Under counter_lock. What went back has begun anew: what it was counts on. */
static void look_at(struct pagepress_card *card, unsigned int counter)
{
	u64 *last = &card->counters[counter], value;

	if (!read_counter(card, counter, &value))
		return;
	if (value < *last)
		card->counted_before[counter] += *last;
	*last = value;
}

static u64 count(struct pagepress_card *card, unsigned int counter, bool ask)
{
	u64 sum;

	mutex_lock(&card->counter_lock);
	if (ask)
		look_at(card, counter);
	sum = card->counted_before[counter] + card->counters[counter];
	mutex_unlock(&card->counter_lock);
	return sum;
}

/* What it has counted, resets or not, as far as is known. */
u64 pagepress_card_counter(struct pagepress_card *card, unsigned int counter)
{
	/* A reset in between would make a half: only a card that is up is asked. */
	return count(card, counter, READ_ONCE(card->state) == PAGEPRESS_CARD_READY);
}

void pagepress_card_read_counters(struct pagepress_card *card)
{
	unsigned int counter;

	for (counter = 0; counter < PAGEPRESS_COUNTER_COUNT; counter++)
		pagepress_card_counter(card, counter);
}

/*
 * Under card->lock, of a card that is about to start, perhaps after a reset: later its counters
 * might have passed what they were before, and nobody would see that they had gone back.
 */
void pagepress_card_resume_counters(struct pagepress_card *card)
{
	unsigned int counter;

	for (counter = 0; counter < PAGEPRESS_COUNTER_COUNT; counter++)
		count(card, counter, true);
}
