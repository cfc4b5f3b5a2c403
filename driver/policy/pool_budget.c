// SPDX-License-Identifier: GPL-2.0-only
/* The decision of pool_budget.h: arithmetic alone, which tests/pool_budget_model.c runs as well. */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "policy/pool_budget.h"

#define ONE		16	/* of history: a read, a page */
#define SHARE		64	/* of a bucket */
#define READS_KEPT	179	/* from one decision to the next, in 1/256: 0.7 */
#define RETURNS_KEPT	254	/* likewise, for what is known of pages sent to the device */
#define LEAST_READS	64	/* to judge by */
#define STEPS		16	/* from nothing to all that there is to share */
#define STEPS_AT_ONCE	3	/* that the pool shrinks by */
#define ASSUMED		256	/* such a part of memory is taken to have returned at first */
#define LEAST_CHANCE	24	/* in 256, that a page returns */
#define PARTS		65536	/* of pages sent to the device: a few reads of a large pool count */
#define WORTH		3	/* per cent that growing must save */
#define LEAST_MEMORY	1024	/* pages */
#define MOST_NS		100000000ull	/* of a read: keeps sums within 64 bits */

/* A part of what can change hands, which is little of a machine whose kernel has most. */
static u64 step(const struct pagepress_pool_state *state)
{
	return max_t(u64, div_u64(state->shared, STEPS), 1);
}

/*
 * Three quarters of what there is to share: the kernel's own memory is nobody's to give, and
 * programs that have none at all are ended.
 */
static u64 most(u64 shared)
{
	return shared - shared / 4;
}

void pagepress_pool_budget_init(struct pagepress_pool_budget *budget, u64 memory, u64 shared)
{
	memset(budget, 0, sizeof(*budget));
	budget->memory = max_t(u64, memory, LEAST_MEMORY);
	budget->pages = most(shared);
}

/* How much of a bucket lies above a depth so far below its beginning, in 1/SHARE. */
static u64 share_above(s64 pages, u64 width)
{
	return pages <= 0 ? 0 : min_t(u64, SHARE, div64_u64(pages * SHARE, width));
}

/* What the reads of history would have cost with a pool of so many pages. */
static u64 cost_of(const struct pagepress_pool_budget *budget,
		   const struct pagepress_pool_state *state, u64 pages)
{
	u64 pool_ns = min(state->pool_ns, MOST_NS), backing_ns = min(state->backing_ns, MOST_NS);
	u64 width = pagepress_depth_width(budget->memory);
	/* As well as pages compress now. */
	u64 holds = state->used ? div64_u64(pages * state->held, state->used) : pages;
	/* Memory that programs gain, or lose: a pool that is not full gives up only what it has. */
	s64 gained = pages < budget->pages ? (s64)state->used - (s64)pages
					   : (s64)budget->pages - (s64)pages;
	u64 refaults = state->file_refaults * ONE;
	u64 cost = 0;
	unsigned int index;

	if (pages < budget->pages)
		gained = max_t(s64, gained, 0);
	for (index = 0; index < PAGEPRESS_DEPTHS - 1; index++) {
		s64 first = index * width;
		u64 stays = share_above(gained - first, width);
		u64 pooled = share_above(gained + (s64)holds - first, width) - stays;

		cost += div_u64(budget->history[index], SHARE) *
			(pooled * pool_ns + (SHARE - stays - pooled) * backing_ns);
	}
	cost += budget->history[index] * backing_ns;
	/* What programs would lose as well: taken to be wanted as often as what they just lost. */
	if (gained < 0)
		cost += div64_u64(budget->history[0] * -gained, width) * pool_ns;
	/* A page of a file costs a read of a device; which depth its reads have is not known. */
	if (gained < 0)
		refaults += div64_u64(refaults * -gained, budget->memory);
	else
		refaults -= div64_u64(refaults * min_t(u64, gained, budget->memory),
				      budget->memory);
	return cost + refaults * backing_ns;
}

/*
 * Of the pages that were sent to the device, and of which nothing is known yet: those that have had
 * their chance to be read since the decision before. As large a part of them as there were reads
 * for each page of the pool: a burst of writes has yet to meet its readers.
 */
static u64 ripened(const struct pagepress_pool_budget *budget,
		   const struct pagepress_pool_state *state)
{
	unsigned int index;
	u64 reads = 0;

	for (index = 0; index < PAGEPRESS_DEPTHS; index++)
		reads += state->reads[index];
	if (reads >= state->held)
		return budget->young;
	return budget->young * div64_u64(reads * PARTS, state->held) / PARTS;
}

/* What is known of pages that were sent to the device: how many in 256 are read again. */
static u64 chance_of_return(struct pagepress_pool_budget *budget,
			    const struct pagepress_pool_state *state)
{
	/* So many are taken to have returned before anything is known. */
	u64 assumed = div_u64(budget->memory, ASSUMED) * ONE;
	u64 ripe = ripened(budget, state);

	budget->gone = budget->gone * RETURNS_KEPT / 256 + ripe;
	budget->young += state->written_back * ONE - ripe;
	/* They come back later than they went; those that are read more than once do not count. */
	budget->back = min(budget->back * RETURNS_KEPT / 256 + state->read_back * ONE,
			   budget->gone);
	/* However few came back: those that are sent next are others. */
	return max_t(u64, LEAST_CHANCE,
		     div64_u64((budget->back + assumed) * 256, budget->gone + assumed));
}

/* What bringing the pages back may cost that a smaller budget sends away. */
static u64 loss_of(const struct pagepress_pool_state *state, u64 pages, u64 chance)
{
	u64 sent = state->used > pages ?
		   div64_u64(state->held * (state->used - pages), state->used) : 0;

	return (sent * min(state->backing_ns, MOST_NS) * ONE >> 8) * chance;
}

/* By as many steps as what the best budget would have saved pays for. */
static void shrink(struct pagepress_pool_budget *budget, const struct pagepress_pool_state *state,
		   const struct pagepress_pool_decision *decision, u64 chance)
{
	u64 from = min(state->used, budget->pages), pages = from;
	unsigned int taken;

	/* History is several decisions long: what one of them saves is its newest part. */
	budget->saving += div_u64(decision->cost - decision->best_cost, 256) * (256 - READS_KEPT);
	for (taken = 0; taken < STEPS_AT_ONCE && pages > decision->best; taken++) {
		u64 next = max(pages - min(pages, step(state)), decision->best);

		if (loss_of(state, next, chance) > budget->saving)
			break;
		pages = next;
	}
	if (pages == from)
		return;
	budget->saving -= loss_of(state, pages, chance);
	budget->pages = pages;
}

/* Looks at every budget there may be: grows to the best at once, shrinks towards it. */
struct pagepress_pool_decision
pagepress_pool_budget_decide(struct pagepress_pool_budget *budget,
			     const struct pagepress_pool_state *state)
{
	u64 chance = chance_of_return(budget, state), largest = most(state->shared);
	struct pagepress_pool_decision decision = {};
	u64 reads = 0, pages = 0;
	unsigned int index;

	for (index = 0; index < PAGEPRESS_DEPTHS; index++) {
		budget->history[index] = budget->history[index] * READS_KEPT / 256 +
					 (u64)state->reads[index] * ONE;
		reads += budget->history[index];
	}
	budget->pages = min(budget->pages, largest);
	decision.best = budget->pages;
	if (reads < LEAST_READS * ONE)
		return decision;
	decision.cost = cost_of(budget, state, budget->pages);
	decision.best_cost = decision.cost;
	for (;;) {
		u64 cost = cost_of(budget, state, pages);

		if (cost < decision.best_cost) {
			decision.best_cost = cost;
			decision.best = pages;
		}
		if (pages == largest)
			break;
		pages = min(pages + step(state), largest);
	}
	if (decision.best <= budget->pages) {
		shrink(budget, state, &decision, chance);
	} else {
		budget->saving = 0;
		if (decision.best_cost < decision.cost - div_u64(decision.cost, 100) * WORTH)
			budget->pages = decision.best;
	}
	return decision;
}
