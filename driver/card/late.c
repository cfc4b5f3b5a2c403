// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that a card has not answered when a page may no longer wait for it: their owners do the
 * page without it. The command and its memory stay the card's until it answers or is stopped; what
 * it answers then is not looked at. While it owes an answer it gets no new commands. A timer of
 * high resolution looks for them: ticks of the kernel's clock would double the wait.
 */
#include "card/card.h"
#include "card/compat.h"

#define SLOW 16 /* times what its answers have taken lately */
#define LEAST 4 /* the part of card_wait_ms that a page waits at least, as a divisor */
#define WEIGHT 8 /* an answer's part in the average, as a divisor */

unsigned int pagepress_card_wait_ms = 8;
atomic64_t pagepress_card_late;

static unsigned int kind(u8 opcode)
{
	return opcode == PAGEPRESS_OPCODE_COMPRESS;
}

/* An answer has come, late or not. Without a lock: two queues may lose a measurement. */
void pagepress_late_measured(struct pagepress_card *card, u8 opcode, u64 nanoseconds)
{
	u64 *average = &card->answer_ns[kind(opcode)];
	u64 before = READ_ONCE(*average);

	if (before)
		nanoseconds = before - before / WEIGHT + nanoseconds / WEIGHT;
	WRITE_ONCE(*average, nanoseconds);
}

/* How long a page may wait for the answer to such a command. */
u64 pagepress_late_after(struct pagepress_card *card, u8 opcode)
{
	u64 longest = (u64)READ_ONCE(pagepress_card_wait_ms) * NSEC_PER_MSEC;
	u64 average = READ_ONCE(card->answer_ns[kind(opcode)]);

	if (!average)
		return longest;
	return clamp_t(u64, average * SLOW, longest / LEAST, longest);
}

/* A command is late from `at` on, ktime_get_ns(): look then. Under queue->lock. */
void pagepress_late_arm(struct pagepress_queue *queue, u64 at)
{
	if (queue->late_at && queue->late_at <= at)
		return;
	queue->late_at = at;
	hrtimer_start(&queue->late_timer, ns_to_ktime(at), HRTIMER_MODE_ABS);
}

/* Pages are done in process context, and each queue's on a CPU of its own. */
void pagepress_late_look(struct pagepress_queue *queue)
{
	queue_work(pagepress_late_workqueue, &queue->late);
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	pagepress_late_look(container_of(timer, struct pagepress_queue, late_timer));
	return HRTIMER_NORESTART;
}

static void look(struct work_struct *work)
{
	pagepress_queue_take_back(container_of(work, struct pagepress_queue, late));
}

void pagepress_late_init(struct pagepress_queue *queue)
{
	pagepress_timer_setup(&queue->late_timer, expired);
	INIT_WORK(&queue->late, look);
}

static void cancel(struct pagepress_queue *queue)
{
	unsigned int pass;

	/* A work that ran may have set the timer: once more, as that finds nothing left. */
	for (pass = 0; pass < 2; pass++) {
		hrtimer_cancel(&queue->late_timer);
		cancel_work_sync(&queue->late);
	}
	queue->late_at = 0;
}

/* As pagepress_recovery_cancel. */
void pagepress_late_cancel(struct pagepress_card *card)
{
	unsigned int number;

	for (number = 0; number < card->queue_count; number++)
		cancel(&card->queues[number]);
}
