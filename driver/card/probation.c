// SPDX-License-Identifier: GPL-2.0-only
/*
 * How far a card is trusted: whether whoever it works for should prove the answer at hand, when he
 * proves samples only.
 */
#include "card/card.h"

#define SAMPLE 16 /* one answer in so many */
#define PROBATION 256 /* first answers of a card that has just started */
#define DISTRUST 4096 /* answers after one that a sound card does not give */

void pagepress_probation_begin(struct pagepress_card *card)
{
	atomic_set(&card->probation, max(atomic_read(&card->probation), PROBATION));
}

void pagepress_probation_failed(struct pagepress_card *card)
{
	atomic_set(&card->probation, DISTRUST);
}

bool pagepress_probation_wants_proof(struct pagepress_card *card)
{
	if (atomic_read(&card->probation) > 0 && atomic_dec_if_positive(&card->probation) >= 0)
		return true;
	return !((unsigned int)atomic_inc_return(&card->answers) % SAMPLE);
}
