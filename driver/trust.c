// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which of a card's streams this CPU opens again before it lets their pages go. The card has opened
 * each of them itself, and the CRC32C of what it opened is checked here for each; so this looks for
 * a card whose compressor and verifier are wrong together.
 */
#include "card.h"

#define SAMPLE 16 /* one stream in so many */
#define PROBATION 256 /* first streams of a card that has just started */
#define DISTRUST 4096 /* streams after an answer that a sound card does not give */

void pagepress_trust_begin(struct pagepress_card *card)
{
	atomic_set(&card->probation, max(atomic_read(&card->probation), PROBATION));
}

void pagepress_trust_lost(struct pagepress_card *card)
{
	atomic_set(&card->probation, DISTRUST);
}

/* Whether the stream at hand is to be opened. */
bool pagepress_trust_wants_proof(struct pagepress_card *card)
{
	switch (READ_ONCE(pagepress_verify_streams)) {
	case PAGEPRESS_VERIFY_ALL:
		return true;
	case PAGEPRESS_VERIFY_NONE:
		return false;
	default:
		if (atomic_read(&card->probation) > 0 &&
		    atomic_dec_if_positive(&card->probation) >= 0)
			return true;
		return !((unsigned int)atomic_inc_return(&card->streams) % SAMPLE);
	}
}
