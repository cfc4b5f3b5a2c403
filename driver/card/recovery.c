// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card that fails: how it is noticed, and whether it may come back. The disks never notice but in
 * speed.
 */
#include <linux/jiffies.h>

#include "card/card.h"

#define WATCH_MS       250  /* between two looks while commands are in flight */
#define COUNTERS_EVERY HZ
#define LONGEST_SHIFT  16 /* of rejoin_ms */
#define HEALTHY_AFTER  (60 * HZ) /* of work: earlier failures no longer count */

unsigned int pagepress_timeout_ms = 10000;
unsigned int pagepress_rejoin_ms = 1000;
unsigned int pagepress_rejoin_limit = 5;
atomic64_t pagepress_card_timeouts;
atomic64_t pagepress_card_resets;

/* From any context, any number of times; only the first counts, for which it is true. */
bool pagepress_card_fail(struct pagepress_card *card, const char *format, ...)
{
	struct va_format why;
	va_list arguments;

	if (cmpxchg(&card->state, PAGEPRESS_CARD_READY, PAGEPRESS_CARD_DEAD) !=
	    PAGEPRESS_CARD_READY)
		return false;
	va_start(arguments, format);
	why.fmt = format;
	why.va = &arguments;
	dev_err(card->device, "card failed: %pV; its pages are done in software\n", &why);
	va_end(arguments);
	queue_work(pagepress_workqueue, &card->recover);
	return true;
}

/* Whether a register reads as one of a card that is not there any more. */
static bool gone(struct pagepress_card *card, u32 value)
{
	if (value != PAGEPRESS_ALL_ONES)
		return false;
	pagepress_card_fail(card, "it no longer answers (registers read all ones)");
	return true;
}

/* Whether the card itself says that something is wrong. It may go between any two reads. */
void pagepress_card_check(struct pagepress_card *card)
{
	u32 value = pagepress_read(card, PAGEPRESS_REGISTER_STATUS);
	unsigned int number;

	if (gone(card, value))
		return;
	if (value & PAGEPRESS_STATUS_FATAL_MASK) {
		value = pagepress_read(card, PAGEPRESS_REGISTER_FATAL_CAUSE);
		if (!gone(card, value))
			pagepress_card_fail(card, "it stopped by itself, FATAL_CAUSE %u", value);
		return;
	}
	for (number = 0; number < card->queue_count; number++) {
		value = pagepress_queue_read(&card->queues[number],
					     PAGEPRESS_REGISTER_QUEUE_STATUS);
		if (gone(card, value))
			return;
		if (value & PAGEPRESS_QUEUE_STATUS_ERROR_MASK)
			pagepress_card_fail(card, "queue %u stopped by itself, QUEUE_STATUS %#x",
					    number, value);
	}
}

static void rejoin(struct work_struct *work)
{
	struct pagepress_card *card = container_of(to_delayed_work(work), struct pagepress_card,
						   rejoin);

	mutex_lock(&card->lock);
	if (card->state == PAGEPRESS_CARD_DEAD) {
		if (pagepress_card_restart(card))
			pagepress_card_rejoin_later(card);
		else
			dev_info(card->device, "card ready again after %u failure(s)\n",
				 card->failures);
	}
	mutex_unlock(&card->lock);
}

/* Under card->lock. */
void pagepress_card_rejoin_later(struct pagepress_card *card)
{
	unsigned int shift = min_t(unsigned int, card->failures, LONGEST_SHIFT);
	u64 delay = (u64)READ_ONCE(pagepress_rejoin_ms) << shift;

	if (card->failures++ >= READ_ONCE(pagepress_rejoin_limit)) {
		dev_err(card->device,
			"card failed %u times in a row: left in peace until it is reset or rescanned\n",
			card->failures);
		return;
	}
	delay = min_t(u64, delay, UINT_MAX / 2);
	dev_info(card->device, "trying the card again in %llu ms\n", delay);
	queue_delayed_work(pagepress_workqueue, &card->rejoin, msecs_to_jiffies(delay));
}

/*
 * By its last answer: that nobody asked it for an hour, or how long its failure took to be noticed,
 * says nothing for a card.
 */
static bool was_healthy(struct pagepress_card *card)
{
	return time_after64((u64)atomic64_read(&card->worked_at),
			    card->ready_since + HEALTHY_AFTER);
}

static void recover(struct work_struct *work)
{
	struct pagepress_card *card = container_of(work, struct pagepress_card, recover);

	mutex_lock(&card->lock);
	if (card->state == PAGEPRESS_CARD_DEAD) {
		atomic64_inc(&pagepress_card_resets);
		if (was_healthy(card))
			card->failures = 0;
		pagepress_card_stop(card);
		pagepress_card_rejoin_later(card);
	}
	mutex_unlock(&card->lock);
}

static void watch(struct work_struct *work)
{
	struct pagepress_card *card = container_of(to_delayed_work(work), struct pagepress_card,
						   watchdog);
	bool busy = false, overdue = false;
	unsigned int number;

	/* Before looking: a command submitted from here on arms the watchdog again itself. */
	clear_bit(0, &card->watchdog_armed);
	smp_mb__after_atomic(); /* pairs with test_and_set_bit in pagepress_watchdog_arm */

	pagepress_card_check(card);
	if (time_after64(get_jiffies_64(), card->counters_read + COUNTERS_EVERY)) {
		pagepress_card_read_counters(card);
		card->counters_read = get_jiffies_64();
	}
	for (number = 0; number < card->queue_count; number++) {
		/* An interrupt that got lost costs a moment, not the card. */
		pagepress_queue_reap(&card->queues[number], card->queues[number].request_count);
		overdue |= pagepress_queue_overdue(&card->queues[number], &busy);
	}
	if (overdue && pagepress_card_fail(card, "a command took more than %u ms",
					   READ_ONCE(pagepress_timeout_ms)))
		atomic64_inc(&pagepress_card_timeouts);
	if (busy && READ_ONCE(card->state) == PAGEPRESS_CARD_READY)
		pagepress_watchdog_arm(card);
}

void pagepress_watchdog_arm(struct pagepress_card *card)
{
	unsigned int interval = min(READ_ONCE(pagepress_timeout_ms) / 2, (unsigned int)WATCH_MS);

	if (!test_bit(0, &card->watchdog_armed) && !test_and_set_bit(0, &card->watchdog_armed))
		queue_delayed_work(pagepress_workqueue, &card->watchdog,
				   msecs_to_jiffies(interval));
}

void pagepress_recovery_init(struct pagepress_card *card)
{
	INIT_DELAYED_WORK(&card->watchdog, watch);
	INIT_WORK(&card->recover, recover);
	INIT_DELAYED_WORK(&card->rejoin, rejoin);
}

/* The card is STOPPED, so none of these starts another; not under card->lock. */
void pagepress_recovery_cancel(struct pagepress_card *card)
{
	cancel_delayed_work_sync(&card->watchdog);
	/* Cancelled before it ran, it has not said so itself, and would never be armed again. */
	clear_bit(0, &card->watchdog_armed);
	pagepress_late_cancel(card);
	cancel_work_sync(&card->recover);
	cancel_delayed_work_sync(&card->rejoin);
}
