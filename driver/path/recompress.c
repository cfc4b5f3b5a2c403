// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that nobody has touched for long are compressed once more, to the cold format: when
 * somebody asks for it, in his own process and at his own cost, and by themselves those that are
 * old. A few at a time, so that writes and reads find room in the rings, and lanes.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "path/cold_batch.h"
#include "path/path.h"

#define MOST_LOOKED_AT	65536 /* slots, in one turn */
#define MOST_BUSY_TICKS HZ /* that no ring has room, one after the other */

#define TICK	    (HZ / 4) /* of the work, while others use the rings */
#define AFTER_FAULT (10 * HZ) /* its rest without a card, without memory, or after a wrong answer */
#define TICK_TURNS  64 /* most of them before others get their turn */

/* Over the whole table. */
struct pass {
	struct pagepress_cold_batch batch;
	u64 left;			/* pages that may still become cold */
	unsigned long next;		/* slot to look at */
	bool searched;			/* the last one has been */
	unsigned int busy_ticks;
};

/* Looks for slots that are selected: before a card is asked, as it may take a while. */
static void search(struct pass *pass, unsigned int most)
{
	struct pagepress_cold_batch *batch = &pass->batch;
	struct pagepress_store *store = batch->disk->store;
	unsigned long end = min(batch->selection->end, store->slot_count);
	unsigned long last = min(end, pass->next + MOST_LOOKED_AT);
	u32 now = pagepress_store_now(), accessed;

	batch->tried = 0;
	batch->found = 0;
	while (batch->found < most && pass->next < last) {
		pass->next = pagepress_store_next(store, pass->next);
		if (pass->next < end && pagepress_store_selected(store, pass->next,
								 batch->selection, now, &accessed))
			batch->slots[batch->found++] = pass->next;
		if (!(++pass->next % 4096))
			cond_resched();
	}
	pass->searched = pass->next >= end;
}

/* Under init_lock. 1: there is more to do; 0: no; else an errno. */
static int turn(struct pass *pass)
{
	struct pagepress_cold_batch *batch = &pass->batch;
	unsigned int most = pagepress_cold_batch_most();
	int error;

	if (!batch->disk->size)
		return -EINVAL;
	if (!pass->left)
		return 0;
	if (!most)
		return -EOPNOTSUPP;
	if (batch->tried == batch->found)
		search(pass, min_t(u64, pass->left, most));
	error = pagepress_cold_batch_try(batch);
	pass->left -= batch->became_cold;
	if (error)
		return error;
	if (batch->tried == batch->found || batch->count)
		pass->busy_ticks = 0;
	else if (++pass->busy_ticks > MOST_BUSY_TICKS)
		return -EBUSY;
	return !pass->searched || batch->tried < batch->found;
}

/* As below. Others want init_lock too: a few pages at a time. */
static int run(struct pass *pass)
{
	struct pagepress_disk *disk = pass->batch.disk;
	int status = 1;

	while (status > 0) {
		if (down_read_killable(&disk->init_lock))
			return -EINTR;
		status = turn(pass);
		up_read(&disk->init_lock);
		if (status > 0 && signal_pending(current))
			status = -EINTR;
		if (status > 0 && pass->busy_ticks)
			schedule_timeout_interruptible(1);
		cond_resched();
	}
	return status;
}

/* NULL is allowed. */
static void free_pass(struct pass *pass)
{
	if (!pass)
		return;
	pagepress_cold_batch_destroy(&pass->batch);
	kfree(pass);
}

/* NULL without memory. */
static struct pass *allocate_pass(struct pagepress_disk *disk,
				  const struct pagepress_selection *selection)
{
	struct pass *pass = kzalloc(sizeof(*pass), GFP_KERNEL);

	if (!pass || pagepress_cold_batch_create(&pass->batch)) {
		kfree(pass);
		return NULL;
	}
	pass->batch.disk = disk;
	pass->batch.selection = selection;
	pass->next = selection->first;
	return pass;
}

/*
 * Has pages selected become cold, `most` of them at most. -EAGAIN while somebody else does so,
 * -EINVAL without a size, -EOPNOTSUPP without a card that has the cold format, -EBUSY when such
 * cards had no room for a second, -ENOMEM, -ENOSPC past mem_limit, -ERESTARTSYS by a signal, which
 * a suspend sends, too, or -EINTR with a limit, as it would begin anew. What has become cold stays
 * so.
 */
int pagepress_recompress(struct pagepress_disk *disk, const struct pagepress_selection *selection,
			 u64 most)
{
	struct pass *pass = allocate_pass(disk, selection);
	unsigned int noio;
	int status;

	if (!pass)
		return -ENOMEM;
	if (!mutex_trylock(&disk->recompression->lock)) {
		free_pass(pass);
		return -EAGAIN;
	}
	pass->left = most;
	noio = memalloc_noio_save();
	status = run(pass);
	memalloc_noio_restore(noio);
	mutex_unlock(&disk->recompression->lock);
	free_pass(pass);
	return status == -EINTR && most == U64_MAX ? -ERESTARTSYS : status;
}

/* ---- by itself ---- */

/*
 * Goes on where the last one ended, and not further than others can wait. Returns when to come
 * back, jiffies; 0: not by itself. At most half of a CPU's time.
 */
static unsigned long go_on(struct pagepress_recompression *own, struct pass *pass, u64 seconds)
{
	struct pagepress_cold_batch *batch = &pass->batch;
	unsigned long begun = jiffies;
	unsigned int turns;
	int status = 1;

	pass->next = own->next;
	for (turns = 0; turns < TICK_TURNS && status > 0 && !pass->busy_ticks && !batch->failed;
	     turns++) {
		down_read(&own->disk->init_lock);
		status = turn(pass);
		up_read(&own->disk->init_lock);
		cond_resched();
	}
	own->next = batch->tried < batch->found ? batch->slots[batch->tried] : pass->next;
	if (status == -EINVAL)
		return 0;
	if (status < 0 || batch->failed)
		return AFTER_FAULT;
	if (pass->busy_ticks)
		return TICK;
	if (status > 0)
		return max(jiffies - begun, 1ul);
	own->next = 0;
	return clamp_t(u64, seconds * HZ / 16, TICK, 60 * HZ);
}

static void recompress_old(struct work_struct *work)
{
	struct pagepress_recompression *own = container_of(to_delayed_work(work),
							   struct pagepress_recompression, work);
	u64 seconds = READ_ONCE(own->age);
	const struct pagepress_selection old = {
		.end = ULONG_MAX,
		.age = pagepress_age(seconds),
		.warm = true,
	};
	unsigned long delay = AFTER_FAULT;
	unsigned int noio;
	struct pass *pass;

	if (!seconds)
		return;
	/* Between two looks its memory is free for others. */
	pass = allocate_pass(own->disk, &old);
	if (pass && mutex_trylock(&own->lock)) {
		pass->left = U64_MAX;
		noio = memalloc_noio_save();
		delay = go_on(own, pass, seconds);
		memalloc_noio_restore(noio);
		mutex_unlock(&own->lock);
	}
	free_pass(pass);
	/* Freezable: no card is asked while the machine is suspended. */
	if (delay)
		queue_delayed_work(system_freezable_wq, &own->work, delay);
}

void pagepress_recompression_init(struct pagepress_disk *disk)
{
	disk->recompression->disk = disk;
	mutex_init(&disk->recompression->lock);
	INIT_DELAYED_WORK(&disk->recompression->work, recompress_old);
}

/* There is an age, or a size: look at it now. */
void pagepress_recompression_kick(struct pagepress_disk *disk)
{
	if (READ_ONCE(disk->recompression->age))
		mod_delayed_work(system_freezable_wq, &disk->recompression->work, 0);
}
