// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that nobody has touched for long are compressed once more, to the cold format, when
 * somebody asks for it: in his own process and at his own cost, a few pages at a time, so that
 * writes and reads find room in the rings, and lanes.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "path/cold_batch.h"
#include "path/path.h"

#define MOST_LOOKED_AT	65536 /* slots, in one turn */
#define MOST_BUSY_TICKS HZ /* that no ring has room, one after the other */

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
		down_read(&disk->init_lock);
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

static void free_pass(struct pass *pass)
{
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
 * cards had no room for a second, -ENOMEM, -ENOSPC past mem_limit, -EINTR by a signal. What has
 * become cold stays so.
 */
int pagepress_recompress(struct pagepress_disk *disk, const struct pagepress_selection *selection,
			 u64 most)
{
	struct pass *pass = allocate_pass(disk, selection);
	unsigned int noio;
	int status;

	if (!pass)
		return -ENOMEM;
	if (!mutex_trylock(&disk->recompression)) {
		free_pass(pass);
		return -EAGAIN;
	}
	pass->left = most;
	noio = memalloc_noio_save();
	status = run(pass);
	memalloc_noio_restore(noio);
	mutex_unlock(&disk->recompression);
	free_pass(pass);
	return status;
}
