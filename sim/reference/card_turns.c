/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose turn it is among the card model's queues, by their weights: in a round each queue that has a command has one turn, and a
 * queue of weight w takes part in the first w rounds of a cycle. The hardware does this for each kind of command apart; the model
 * carries out one command at a time, so its queues share it by all their commands.
 */
#include "card_state.h"

int card_take_turn(struct card_model *card, uint64_t waiting)
{
	struct card_turns *turns = &card->turns;

	if (!waiting)
		return -1;
	while (!(turns->due & waiting)) {
		uint64_t further = 0;

		for (unsigned int index = 0; index < card->options.queue_pairs; index++)
			if (card->queues[index].weight > turns->round)
				further |= UINT64_C(1) << index;
		turns->round = further & waiting ? turns->round + 1 : 1;
		turns->due = further & waiting ? further : UINT64_MAX;
	}
	for (unsigned int index = 0;; index++) {
		uint64_t bit = UINT64_C(1) << index;

		if (turns->due & waiting & bit) {
			turns->due &= ~bit;
			return (int)index;
		}
	}
}
