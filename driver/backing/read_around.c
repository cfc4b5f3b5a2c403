// SPDX-License-Identifier: GPL-2.0-only
/* The decision of read_around.h: arithmetic alone, which tests/read_around_model.c runs as well. */
#include <linux/minmax.h>

#include "backing/read_around.h"

#define FEW	16	/* tries before anything is known of a load */
#define MANY	64	/* then those before count for half */
#define SELDOM	32	/* one access in so many tries what did not pay */
#define STEP	32	/* such a part of itself a usual time moves, towards each that is seen */
#define MOST_NS	1000000000ull	/* keeps products within 64 bits */

static bool pays(const struct pagepress_read_around *state)
{
	u64 costs = state->around_ns - min(state->around_ns, state->alone_ns);

	return state->saved * state->alone_ns > state->brought * costs;
}

/* live: bytes there, of all, that somebody may want. True: the access brings all of them. */
bool pagepress_read_around_decide(struct pagepress_read_around *state, u32 live, u32 all)
{
	if (live < all / 2)
		return false;
	if (state->brought >= FEW && !pays(state) && ++state->refused < SELDOM)
		return false;
	state->refused = 0;
	if (++state->brought >= MANY) {
		state->brought /= 2;
		state->saved /= 2;
	}
	return true;
}

/*
 * Half of the accesses take less: neither those whose place the arm is at already nor those that
 * wait for others say what one costs.
 */
static void note(u64 *usual, u64 ns)
{
	if (!*usual)
		*usual = min_t(u64, max_t(u64, ns, STEP), MOST_NS);
	else if (ns > *usual)
		*usual = min_t(u64, *usual + *usual / STEP, MOST_NS);
	else
		*usual = max_t(u64, *usual - *usual / STEP, STEP);
}

void pagepress_read_around_measured(struct pagepress_read_around *state, bool around, u64 ns)
{
	note(around ? &state->around_ns : &state->alone_ns, ns);
}

/* What one access would have brought had come with an earlier one. */
void pagepress_read_around_saved(struct pagepress_read_around *state)
{
	state->saved++;
}
