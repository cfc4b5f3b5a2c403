// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far a card is trusted: whether whoever it works for should prove the answer at hand.
 */
#include "card/card.h"

#define SAMPLE 16 /* one answer in so many */
#define PROBATION 256 /* first answers of a card that has just started */
#define DISTRUST 4096 /* answers after one that a sound card does not give */

unsigned int pagepress_verify_streams = PAGEPRESS_VERIFY_ALL;

void pagepress_probation_begin(struct pagepress_card *card)
{
	atomic_set(&card->probation, max(atomic_read(&card->probation), PROBATION));
}

void pagepress_probation_failed(struct pagepress_card *card)
{
	atomic_set(&card->probation, DISTRUST);
}

static bool sample(struct pagepress_card *card)
{
	if (atomic_read(&card->probation) > 0 && atomic_dec_if_positive(&card->probation) >= 0)
		return true;
	return !((unsigned int)atomic_inc_return(&card->answers) % SAMPLE);
}

/*
 * Who decompresses the stream at hand before its page is let go. The compressor has done so itself,
 * and the CRC32C of what came out is checked in any case; so this is about a card whose compressor
 * and verifier are wrong together.
 */
enum pagepress_prover pagepress_card_prover(struct pagepress_card *card)
{
	switch (READ_ONCE(pagepress_verify_streams)) {
	case PAGEPRESS_VERIFY_ALL:
		return PAGEPRESS_PROVER_CPU;
	case PAGEPRESS_VERIFY_NONE:
		return PAGEPRESS_PROVER_NONE;
	case PAGEPRESS_VERIFY_CARD:
		return sample(card) ? PAGEPRESS_PROVER_CPU : PAGEPRESS_PROVER_CARD;
	default:
		return sample(card) ? PAGEPRESS_PROVER_CPU : PAGEPRESS_PROVER_NONE;
	}
}
