// SPDX-License-Identifier: GPL-2.0-only
/*
 * pool_budget=auto: every second the pool's budget is decided anew (pool_budget.h) and becomes the
 * store's limit, as long as mem_limit is not less; the cleaner then has the oldest pages leave.
 */
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/vmstat.h>

#include "backing/backing.h"
#include "path/path.h"
#include "policy/compat.h"
#include "policy/policy.h"
#include "store/store.h"

#define PERIOD	     HZ
#define LEAST_PAGES  1024 /* of a budget: what is not the pool's grows by less in a second */
#define SLOWLY	     16 /* at most such a part of the pool is to leave in a second */
#define POOL_NS	     10000 /* of a read from the pool and */
#define BACKING_NS   100000 /* of one from the device, until one was measured */

static u64 wanted_pages(const struct pagepress_policy *policy)
{
	return max_t(u64, policy->budget.pages, LEAST_PAGES);
}

/*
 * What the pool may have now, pages. A budget below what is used is come to step by step, so that
 * writers find room meanwhile.
 */
static u64 allowed(struct pagepress_policy *policy)
{
	u64 wanted = wanted_pages(policy);
	u64 used = pagepress_store_pages_pooled(policy->disk->store);

	policy->allowed = max(wanted, min(policy->allowed, used + used / SLOWLY));
	return policy->allowed;
}

/* What of the limit is not the pool's changes as pages come and go. Under init_lock, and lock. */
static void set_limit(struct pagepress_policy *policy)
{
	struct pagepress_disk *disk = policy->disk;
	u64 limit = disk->mem_limit;

	if (policy->active) {
		u64 pages = allowed(policy) + pagepress_store_pages_beside(disk->store);

		limit = min_not_zero(limit, pages << PAGE_SHIFT);
	}
	pagepress_store_set_limit(disk->store, limit);
	if (disk->backing)
		pagepress_cleaner_kick(disk->backing);
}

static u64 since(u64 *before, u64 now)
{
	u64 passed = now - *before;

	*before = now;
	return passed;
}

static u64 counted(struct pagepress_disk *disk, enum pagepress_statistic statistic)
{
	return atomic64_read(&disk->statistics[statistic]);
}

static u64 pool_ns(void)
{
	u64 card = pagepress_read_policy_average(true), cpu = pagepress_read_policy_average(false);

	return min_not_zero(card, cpu) ?: POOL_NS;
}

/* Memory that pool, programs and files have between them, or nobody has, pages. */
static u64 shared_pages(struct pagepress_policy *policy)
{
	u64 pages = pagepress_store_pages_pooled(policy->disk->store) +
		    global_zone_page_state(NR_FREE_PAGES);
	enum lru_list list;

	for (list = LRU_BASE; list < LRU_UNEVICTABLE; list++)
		pages += global_node_page_state(NR_LRU_BASE + list);
	return pages;
}

static void gather(struct pagepress_policy *policy, struct pagepress_pool_state *state)
{
	struct pagepress_disk *disk = policy->disk;
	struct pagepress_store *store = disk->store;
	u64 away = pagepress_gauge(store, PAGEPRESS_SAME_PAGES) +
		   pagepress_gauge(store, PAGEPRESS_BACKED_PAGES);
	u64 stored = pagepress_gauge(store, PAGEPRESS_PAGES_STORED);

	*state = (struct pagepress_pool_state){
		.used = pagepress_store_pages_pooled(store),
		.held = stored - min(away, stored),
		.shared = shared_pages(policy),
		.written_back = since(&policy->written_back,
				      counted(disk, PAGEPRESS_BACKING_PAGES_OUT) +
				      counted(disk, PAGEPRESS_FORWARDED_PAGES)),
		.read_back = since(&policy->read_back, counted(disk, PAGEPRESS_BACKING_PAGES_IN)),
		.file_refaults = since(&policy->file_refaults,
				       global_node_page_state(WORKINGSET_REFAULT_FILE)),
		.pool_ns = pool_ns(),
		.backing_ns = READ_ONCE(disk->backing->read_ns) ?: BACKING_NS,
	};
	pagepress_depths_take(store, state->reads);
}

static void decide(struct pagepress_policy *policy)
{
	struct pagepress_pool_state state;
	u64 before = policy->budget.pages;

	gather(policy, &state);
	policy->last = pagepress_pool_budget_decide(&policy->budget, &state);
	policy->counts.decisions += !!policy->last.cost;
	policy->counts.grown += policy->budget.pages > before;
	policy->counts.shrunk += policy->budget.pages < before;
}

static void look(struct work_struct *work)
{
	struct pagepress_policy *policy = container_of(to_delayed_work(work),
						       struct pagepress_policy, work);
	struct pagepress_disk *disk = policy->disk;

	down_read(&disk->init_lock);
	mutex_lock(&policy->lock);
	if (policy->active) {
		decide(policy);
		pagepress_depths_measure(disk->store);
		set_limit(policy);
		queue_delayed_work(system_freezable_wq, &policy->work, PERIOD);
	}
	mutex_unlock(&policy->lock);
	up_read(&disk->init_lock);
}

/* mem_limit has changed. Under init_lock, for writing. */
void pagepress_policy_limit(struct pagepress_policy *policy)
{
	mutex_lock(&policy->lock);
	set_limit(policy);
	mutex_unlock(&policy->lock);
}

/* Under init_lock, for writing, and lock. */
static void start(struct pagepress_policy *policy)
{
	struct pagepress_disk *disk = policy->disk;
	struct pagepress_pool_state ignored;

	pagepress_pool_budget_init(&policy->budget, totalram_pages(), shared_pages(policy));
	pagepress_depths_start(disk->store, &policy->depths, policy->budget.memory);
	policy->allowed = U64_MAX;
	policy->last = (struct pagepress_pool_decision){};
	policy->counts = (struct pagepress_budget_counts){};
	gather(policy, &ignored); /* what was before does not count */
	policy->active = true;
	queue_delayed_work(system_freezable_wq, &policy->work, PERIOD);
}

/* ---- when memory is short ---- */

/*
 * The kernel asks everybody who has memory to spare. The pool has what its budget does not give it
 * any more: the next step to the budget is taken at once. More would undo what was decided, as such
 * calls come all the time while programs swap.
 *
 * In reclaim, so locks are only tried: whoever has them may be waiting for it.
 */
static bool hold(struct pagepress_policy *policy)
{
	if (!down_read_trylock(&policy->disk->init_lock))
		return false;
	if (mutex_trylock(&policy->lock))
		return true;
	up_read(&policy->disk->init_lock);
	return false;
}

static void release(struct pagepress_policy *policy)
{
	mutex_unlock(&policy->lock);
	up_read(&policy->disk->init_lock);
}

/* Pages that the pool has beyond its budget. Held. */
static u64 surplus(const struct pagepress_policy *policy)
{
	u64 used;

	if (!policy->active)
		return 0;
	used = pagepress_store_pages_pooled(policy->disk->store);
	return used - min(used, wanted_pages(policy));
}

static unsigned long count_surplus(struct shrinker *shrinker, struct shrink_control *control)
{
	struct pagepress_policy *policy = pagepress_shrinker_owner(shrinker);
	unsigned long pages;

	if (!hold(policy))
		return 0;
	pages = surplus(policy);
	release(policy);
	return pages;
}

/* The cleaner has them leave, later: here is no place to wait for a device. */
static unsigned long give_up(struct shrinker *shrinker, struct shrink_control *control)
{
	struct pagepress_policy *policy = pagepress_shrinker_owner(shrinker);
	unsigned long pages;

	if (!hold(policy))
		return SHRINK_STOP;
	pages = min_t(u64, surplus(policy), control->nr_to_scan);
	if (pages) {
		policy->counts.shrinker_calls++;
		policy->counts.shrinker_pages += pages;
		set_limit(policy);
	}
	release(policy);
	return pages ?: SHRINK_STOP;
}

/* ---- its life ---- */

/* The disk has a size. Under init_lock, for writing. */
void pagepress_policy_start(struct pagepress_policy *policy)
{
	mutex_lock(&policy->lock);
	if (policy->automatic && policy->disk->backing)
		start(policy);
	set_limit(policy);
	mutex_unlock(&policy->lock);
}

/* The disk loses its size, then its store. Under init_lock, for writing, or nobody has it. */
void pagepress_policy_stop(struct pagepress_policy *policy)
{
	mutex_lock(&policy->lock);
	if (policy->active)
		pagepress_depths_stop(policy->disk->store);
	policy->active = false;
	mutex_unlock(&policy->lock);
}

/* At any time. Under init_lock, for writing. */
void pagepress_policy_set(struct pagepress_policy *policy, bool automatic)
{
	if (policy->automatic == automatic)
		return;
	pagepress_policy_stop(policy);
	policy->automatic = automatic;
	if (automatic && !policy->shrinker)
		policy->shrinker = pagepress_shrinker_create(count_surplus, give_up, policy);
	if (policy->disk->size)
		pagepress_policy_start(policy);
}

void pagepress_policy_init(struct pagepress_policy *policy, struct pagepress_disk *disk)
{
	policy->disk = disk;
	mutex_init(&policy->lock);
	INIT_DELAYED_WORK(&policy->work, look);
}

/* Of a disk that nobody has. */
void pagepress_policy_destroy(struct pagepress_policy *policy)
{
	pagepress_policy_stop(policy);
	pagepress_shrinker_destroy(policy->shrinker);
	cancel_delayed_work_sync(&policy->work);
}
