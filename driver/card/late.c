// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands that a card has not answered when a page may no longer wait for it: their owners do the
 * page without it. The command and its memory stay the card's until it answers or is stopped; what
 * it answers then is not looked at. While it owes an answer it gets no new commands. A timer of
 * high resolution looks for them: ticks of the kernel's clock would double the wait.
 */
#include <linux/sched/mm.h>

#include "card/card.h"
#include "card/compat.h"

#define SLOW 16 /* times what its answers have taken lately */
#define LEAST 4 /* the part of card_wait_ms that a page waits at least, as a divisor */
#define WEIGHT 8 /* an answer's part in the average, as a divisor */

/* What becomes late meanwhile is done together. */
#define BETWEEN_LOOKS_NS (NSEC_PER_MSEC / 4)

/* Late writes that a read which becomes late meanwhile waits for: a millisecond or less. */
#define WRITES_AT_A_TIME 8

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
static void look_soon(struct pagepress_queue *queue)
{
	queue_work(pagepress_late_workqueue, &queue->late);
}

static enum hrtimer_restart expired(struct hrtimer *timer)
{
	look_soon(container_of(timer, struct pagepress_queue, late_timer));
	return HRTIMER_NORESTART;
}

/* Reclaim may be waiting for these very pages: the pool must get memory without reclaim. */
void pagepress_late_redo(struct list_head *list)
{
	unsigned int noreclaim = memalloc_noreclaim_save();
	struct pagepress_request *request, *next;

	list_for_each_entry_safe(request, next, list, link)
		request->owner->redo(request);
	memalloc_noreclaim_restore(noreclaim);
}

/* Under queue->lock: moves so many at most to list. Returns when the next will be late; 0: now. */
static u64 take_late(struct pagepress_queue *queue, u8 opcode, u64 now, unsigned int most,
		     struct list_head *list)
{
	unsigned int index, taken = 0;
	u64 next = U64_MAX;

	for (index = 0; index < queue->request_count; index++) {
		struct pagepress_request *request = &queue->requests[index];

		if (request->state != PAGEPRESS_REQUEST_ON_CARD || request->opcode != opcode)
			continue;
		if (request->late_at > now) {
			next = min(next, request->late_at);
			continue;
		}
		if (taken == most)
			return 0;
		taken++;
		request->state = PAGEPRESS_REQUEST_TAKEN_BACK;
		atomic_inc(&queue->card->owed);
		atomic64_inc(&pagepress_card_late);
		list_add_tail(&request->link, list);
	}
	return next;
}

/*
 * Has the pages done whose commands are late, those that somebody waits for first, and a few of the
 * others at a time, as a read may become late meanwhile. The rest is looked for when it will be. No
 * card is to blame for what it was not told of, so it is told first: a task that gathers pages may
 * do much else before its plug ends, or lose its CPU; nor for what it has answered, while an
 * interrupt got lost, or whoever was to end the page has lost his CPU.
 */
static void take_back(struct pagepress_queue *queue)
{
	LIST_HEAD(taken);
	u64 now, next;

	pagepress_queue_reap(queue, WRITES_AT_A_TIME);
	pagepress_queue_ring(queue, false);
	now = ktime_get_ns();
	spin_lock(&queue->lock);
	queue->late_at = 0;
	next = take_late(queue, PAGEPRESS_OPCODE_DECOMPRESS, now, UINT_MAX, &taken);
	next = min(next, take_late(queue, PAGEPRESS_OPCODE_COMPRESS, now, WRITES_AT_A_TIME,
				   &taken));
	if (!list_empty(&queue->answered))
		next = 0;
	if (next && next != U64_MAX)
		pagepress_late_arm(queue, max(next, now + BETWEEN_LOOKS_NS));
	spin_unlock(&queue->lock);
	if (!list_empty(&taken))
		pagepress_engines_changed(); /* it owes answers: nobody waits for its room */
	pagepress_late_redo(&taken);
	if (!next)
		look_soon(queue);
}

static void look(struct work_struct *work)
{
	take_back(container_of(work, struct pagepress_queue, late));
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
