// SPDX-License-Identifier: GPL-2.0-only
/* The pool of cards that everybody draws from: cards join and leave, their users stay. */
#include <linux/rcupdate.h>
#include <linux/sysfs.h>
#include <linux/wait.h>

#include "card/card.h"

bool pagepress_card_allowed = true;
unsigned int pagepress_full_wait_us;

static DEFINE_MUTEX(members_lock); /* joining, leaving, and whoever sleeps while looking */
static struct pagepress_card __rcu *members[PAGEPRESS_MAX_CARDS];
/* What cards that left had counted; under members_lock. */
static u64 retired[PAGEPRESS_COUNTER_COUNT];

/*
 * Woken when a request becomes free, or a card owes answers. One for all cards: it must outlive the
 * card whose request it was.
 */
static DECLARE_WAIT_QUEUE_HEAD(changed);

static struct pagepress_card *member(unsigned int index)
{
	return rcu_dereference_protected(members[index], lockdep_is_held(&members_lock));
}

void pagepress_engines_join(struct pagepress_card *card)
{
	unsigned int index;

	mutex_lock(&members_lock);
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++) {
		if (!member(index)) {
			rcu_assign_pointer(members[index], card);
			break;
		}
	}
	mutex_unlock(&members_lock);
	if (index == PAGEPRESS_MAX_CARDS)
		dev_warn(card->device, "more than %u cards: this one stays idle\n",
			 PAGEPRESS_MAX_CARDS);
}

/* Afterwards no claim finds the card; requests claimed before are still out. */
void pagepress_engines_leave(struct pagepress_card *card)
{
	unsigned int index, counter;

	mutex_lock(&members_lock);
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++) {
		if (member(index) != card)
			continue;
		RCU_INIT_POINTER(members[index], NULL);
		for (counter = 0; counter < PAGEPRESS_COUNTER_COUNT; counter++)
			retired[counter] += pagepress_card_counter(card, counter);
	}
	mutex_unlock(&members_lock);
	synchronize_rcu();
}

/* A request of the first card with room, cards of this NUMA node first. */
static struct pagepress_request *try_claim(u8 opcode, const struct pagepress_owner *owner,
					   bool *ready)
{
	struct pagepress_request *request = NULL;
	unsigned int index, pass, number;

	*ready = false;
	rcu_read_lock();
	for (pass = 0; pass < 2 && !request; pass++) {
		for (index = 0; index < PAGEPRESS_MAX_CARDS && !request; index++) {
			struct pagepress_card *card = rcu_dereference(members[index]);
			bool near;

			if (!card || READ_ONCE(card->state) != PAGEPRESS_CARD_READY ||
			    atomic_read(&card->owed))
				continue;
			near = dev_to_node(card->device) == NUMA_NO_NODE ||
			       dev_to_node(card->device) == numa_node_id();
			if (near == !!pass)
				continue;
			*ready = true;
			number = raw_smp_processor_id() % card->queue_count;
			request = pagepress_queue_claim(&card->queues[number], opcode, owner);
		}
	}
	rcu_read_unlock();
	return request;
}

/* NULL: no card, or none with room. Never sleeps. */
struct pagepress_request *
pagepress_engines_claim_now(u8 opcode, const struct pagepress_owner *owner)
{
	bool ready;

	return try_claim(opcode, owner, &ready);
}

static bool knows_cold(struct pagepress_card *card, u32 tables)
{
	return card && READ_ONCE(card->state) == PAGEPRESS_CARD_READY &&
	       READ_ONCE(card->cold_tables) == tables;
}

/*
 * For a page that nobody waits for, to be compressed to the cold format by these tables: NULL
 * unless a card that has them owes no answer, and has half of a ring free. Never sleeps.
 */
struct pagepress_request *
pagepress_engines_claim_cold(u32 tables, const struct pagepress_owner *owner)
{
	struct pagepress_request *request = NULL;
	unsigned int index;

	rcu_read_lock();
	for (index = 0; index < PAGEPRESS_MAX_CARDS && !request; index++) {
		struct pagepress_card *card = rcu_dereference(members[index]);
		struct pagepress_queue *queue;

		if (!knows_cold(card, tables) || atomic_read(&card->owed))
			continue;
		queue = &card->queues[raw_smp_processor_id() % card->queue_count];
		if (READ_ONCE(queue->free_count) < queue->depth / 2)
			continue;
		request = pagepress_queue_claim(queue, PAGEPRESS_OPCODE_COMPRESS, owner);
	}
	rcu_read_unlock();
	if (request)
		request->format = PAGEPRESS_FORMAT_COLD;
	return request;
}

/* Compressors of the card with the fewest, of those ready that have these tables; 0: none. */
unsigned int pagepress_engines_cold_lanes(u32 tables)
{
	unsigned int index, fewest = 0;

	rcu_read_lock();
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++) {
		struct pagepress_card *card = rcu_dereference(members[index]);

		if (knows_cold(card, tables))
			fewest = min_not_zero(fewest, pagepress_card_compressors(card));
	}
	rcu_read_unlock();
	return fewest;
}

/*
 * NULL: no card, or none with room: then this CPU does the page now. Waits for room only if
 * full_wait_us says so, and no longer than that; sleeping flushes the task's plug, so the card
 * knows of everything that stands in the way.
 */
struct pagepress_request *
pagepress_engines_claim(u8 opcode, const struct pagepress_owner *owner)
{
	unsigned int patience = READ_ONCE(pagepress_full_wait_us);
	bool ready;
	struct pagepress_request *request = try_claim(opcode, owner, &ready);

	if (!request && ready && patience)
		wait_event_timeout(changed,
				   (request = try_claim(opcode, owner, &ready)) || !ready,
				   usecs_to_jiffies(patience));
	return request;
}

/* Whoever waits for room looks again. */
void pagepress_engines_changed(void)
{
	if (wq_has_sleeper(&changed))
		wake_up_all(&changed);
}

/*
 * Ends a hold on card, which may be gone when this returns: so it is not touched after the
 * decrement.
 */
void pagepress_card_let_go(struct pagepress_card *card)
{
	atomic_dec(&card->outstanding);
	pagepress_engines_changed();
}

/*
 * No longer than CPUs take to finish what they hold: the queues are stopped, nobody waits for the
 * card.
 */
void pagepress_engines_wait_idle(struct pagepress_card *card)
{
	wake_up_all(&changed);
	wait_event(changed, !atomic_read(&card->outstanding));
}

const char *pagepress_engines_state(void)
{
	static const char *const names[] = {
		[PAGEPRESS_CARD_READY] = "ready",
		[PAGEPRESS_CARD_STARTING] = "starting",
		[PAGEPRESS_CARD_DEAD] = "dead",
		[PAGEPRESS_CARD_STOPPED] = "stopped",
	};
	static const enum pagepress_card_state best_first[] = {
		PAGEPRESS_CARD_READY,
		PAGEPRESS_CARD_STARTING,
		PAGEPRESS_CARD_DEAD,
		PAGEPRESS_CARD_STOPPED,
	};
	const char *state = pagepress_card_allowed ? "none" : "forbidden";
	unsigned int rank = ARRAY_SIZE(best_first), index, at;

	mutex_lock(&members_lock);
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++) {
		struct pagepress_card *card = member(index);

		for (at = 0; card && at < rank; at++) {
			if (READ_ONCE(card->state) == best_first[at]) {
				rank = at;
				state = names[best_first[at]];
			}
		}
	}
	mutex_unlock(&members_lock);
	return state;
}

/* The hardware's own count, of all cards seen since load. */
u64 pagepress_engines_counter(unsigned int counter)
{
	unsigned int index;
	u64 sum;

	mutex_lock(&members_lock);
	sum = retired[counter];
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++)
		if (member(index))
			sum += pagepress_card_counter(member(index), counter);
	mutex_unlock(&members_lock);
	return sum;
}

unsigned int pagepress_engines_sum(unsigned int (*value)(struct pagepress_card *card))
{
	unsigned int index, sum = 0;

	mutex_lock(&members_lock);
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++)
		if (member(index))
			sum += value(member(index));
	mutex_unlock(&members_lock);
	return sum;
}

/* Of the first card; 0 with none. */
u32 pagepress_engines_first(u32 (*value)(struct pagepress_card *card))
{
	unsigned int index;
	u32 first = 0;

	mutex_lock(&members_lock);
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++) {
		if (member(index)) {
			first = value(member(index));
			break;
		}
	}
	mutex_unlock(&members_lock);
	return first;
}

/* May sleep; no card leaves meanwhile. */
void pagepress_engines_each(void (*show)(struct pagepress_card *card, void *data), void *data)
{
	unsigned int index;

	mutex_lock(&members_lock);
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++)
		if (member(index))
			show(member(index), data);
	mutex_unlock(&members_lock);
}

int pagepress_engines_addresses(char *buffer)
{
	unsigned int index;
	int length = 0;

	mutex_lock(&members_lock);
	for (index = 0; index < PAGEPRESS_MAX_CARDS; index++)
		if (member(index))
			length += sysfs_emit_at(buffer, length, "%s\n",
						dev_name(member(index)->device));
	mutex_unlock(&members_lock);
	return length;
}
