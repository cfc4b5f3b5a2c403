// SPDX-License-Identifier: GPL-2.0-only
/*
 * A device that holds an image: claimed for reading, let go, and read. It may be slow, wrong or
 * dead: only the work that gives bios to it ever waits for it.
 */
#include <linux/completion.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "origin/origin.h"

/* A stream of a page, and the blocks around it, none larger than a page. */
#define BUFFER_ORDER 1
#define BUFFER_BYTES (PAGE_SIZE << BUFFER_ORDER)

static void bio_completed(struct bio *bio)
{
	struct pagepress_fetch *fetch = container_of(bio, struct pagepress_fetch, bio);
	struct pagepress_origin *origin = fetch->source->origin;
	unsigned long flags;

	/* The work is queued under the lock: without it, device and fetch may be gone. */
	spin_lock_irqsave(&origin->lock, flags);
	list_add_tail(&fetch->link, &origin->completed);
	mod_delayed_work(origin->workqueue, &origin->work, 0);
	spin_unlock_irqrestore(&origin->lock, flags);
}

static void submit(struct pagepress_fetch *fetch)
{
	struct pagepress_source *source = fetch->source;
	u64 first = round_down(fetch->offset, source->block);
	u64 end = round_up(fetch->offset + fetch->length, source->block);

	bio_init(&fetch->bio, source->claim.bdev, &fetch->vector, 1, REQ_OP_READ);
	fetch->bio.bi_iter.bi_sector = first >> SECTOR_SHIFT;
	fetch->bio.bi_end_io = bio_completed;
	__bio_add_page(&fetch->bio, virt_to_page(fetch->buffer), end - first, 0);
	atomic64_add((end - first) >> SECTOR_SHIFT,
		     &source->origin->disk->statistics[source->sectors_in]);
	submit_bio(&fetch->bio);
}

static void make_idle(struct pagepress_fetch *fetch)
{
	list_add(&fetch->link, &fetch->source->idle);
	fetch->source->busy--;
	wake_up(&fetch->source->origin->idle);
}

/* The next that somebody still waits for; NULL: none. */
static struct pagepress_fetch *next_start(struct pagepress_source *source)
{
	struct pagepress_fetch *fetch;

	spin_lock_irq(&source->origin->lock);
	while ((fetch = list_first_entry_or_null(&source->starting, struct pagepress_fetch,
						 link))) {
		list_del_init(&fetch->link);
		if (fetch->read || fetch->done)
			break;
		/* A page may wait for an idle one. */
		make_idle(fetch);
		mod_delayed_work(source->origin->workqueue, &source->origin->work, 0);
	}
	spin_unlock_irq(&source->origin->lock);
	return fetch;
}

static void start_fetches(struct work_struct *work)
{
	struct pagepress_source *source = container_of(work, struct pagepress_source, work);
	unsigned int noreclaim = memalloc_noreclaim_save();
	struct pagepress_fetch *fetch;
	struct blk_plug plug;

	/* Plugged, so that streams that lie side by side become one request. */
	blk_start_plug(&plug);
	while ((fetch = next_start(source)))
		submit(fetch);
	blk_finish_plug(&plug);
	memalloc_noreclaim_restore(noreclaim);
}

/* Under origin->lock. NULL: all are busy. */
struct pagepress_fetch *pagepress_fetch_take(struct pagepress_source *source)
{
	struct pagepress_fetch *fetch =
		list_first_entry_or_null(&source->idle, struct pagepress_fetch, link);

	if (!fetch)
		return NULL;
	list_del_init(&fetch->link);
	fetch->read = NULL;
	fetch->done = NULL;
	source->busy++;
	return fetch;
}

/* Under origin->lock, with read or done set. A stream's place is on the device: see image.c. */
void pagepress_fetch_start(struct pagepress_fetch *fetch, u64 offset, unsigned int length,
			   u64 timeout_ms)
{
	fetch->offset = offset;
	fetch->length = length;
	fetch->deadline = jiffies + msecs_to_jiffies(timeout_ms);
	list_add_tail(&fetch->link, &fetch->source->starting);
	queue_work(fetch->source->workqueue, &fetch->source->work);
}

/* What was fetched is of no more use. Takes origin->lock. */
void pagepress_fetch_put(struct pagepress_fetch *fetch)
{
	spin_lock_irq(&fetch->source->origin->lock);
	make_idle(fetch);
	spin_unlock_irq(&fetch->source->origin->lock);
}

const void *pagepress_fetch_data(const struct pagepress_fetch *fetch)
{
	return fetch->buffer + (fetch->offset & (fetch->source->block - 1));
}

static int get_piece(struct pagepress_source *source, u64 offset, void *data, unsigned int bytes,
		     u64 timeout_ms)
{
	struct pagepress_origin *origin = source->origin;
	DECLARE_COMPLETION_ONSTACK(done);
	struct pagepress_fetch *fetch;
	bool late = false;
	long left;
	int error;

	spin_lock_irq(&origin->lock);
	fetch = pagepress_fetch_take(source);
	if (fetch) {
		fetch->done = &done;
		pagepress_fetch_start(fetch, offset, bytes, timeout_ms);
	}
	spin_unlock_irq(&origin->lock);
	if (!fetch)
		return -EBUSY;
	left = wait_for_completion_killable_timeout(&done, msecs_to_jiffies(timeout_ms));
	if (left <= 0) {
		spin_lock_irq(&origin->lock);
		late = !completion_done(&done);
		fetch->done = NULL;
		spin_unlock_irq(&origin->lock);
	}
	if (late)
		return left ? -EINTR : -ETIMEDOUT;
	error = blk_status_to_errno(fetch->bio.bi_status);
	if (!error)
		memcpy(data, pagepress_fetch_data(fetch), bytes);
	pagepress_fetch_put(fetch);
	return error;
}

/*
 * Reads for an administrator's command; may take memory's time and the device's, piece by piece
 * until timeout_ms: -ETIMEDOUT, or -EINTR when the task is killed. Beyond the device: -ENODATA.
 */
int pagepress_source_get(struct pagepress_source *source, u64 offset, void *data, size_t bytes,
			 u64 timeout_ms)
{
	unsigned int piece;
	int error = 0;

	if (offset > source->bytes || bytes > source->bytes - offset)
		return -ENODATA;
	for (; bytes && !error; bytes -= piece) {
		piece = min_t(size_t, bytes, BUFFER_BYTES - (offset & (source->block - 1)));
		error = get_piece(source, offset, data, piece, timeout_ms);
		data += piece;
		offset += piece;
		cond_resched();
	}
	return error;
}

static void free_buffers(struct pagepress_source *source)
{
	unsigned int index;

	for (index = 0; index < PAGEPRESS_FETCHES; index++)
		free_pages((unsigned long)source->fetches[index].buffer, BUFFER_ORDER);
	kfree(source->fetches);
}

static bool make_buffers(struct pagepress_source *source)
{
	unsigned int index;

	source->fetches = kcalloc(PAGEPRESS_FETCHES, sizeof(*source->fetches), GFP_KERNEL);
	if (!source->fetches)
		return false;
	for (index = 0; index < PAGEPRESS_FETCHES; index++) {
		struct pagepress_fetch *fetch = &source->fetches[index];

		fetch->source = source;
		fetch->buffer = (void *)__get_free_pages(GFP_KERNEL | __GFP_COMP, BUFFER_ORDER);
		if (!fetch->buffer) {
			free_buffers(source);
			return false;
		}
		list_add_tail(&fetch->link, &source->idle);
	}
	return true;
}

/* Sleeps, and says in the log what is wrong. An image is not looked for yet. */
struct pagepress_source *pagepress_source_open(struct pagepress_origin *origin, const char *path,
					       const char *role,
					       enum pagepress_statistic sectors_in)
{
	struct pagepress_source *source = kzalloc(sizeof(*source), GFP_KERNEL);
	const char *name = origin->disk->gendisk->disk_name;
	int error = -ENOMEM;

	if (!source)
		return ERR_PTR(-ENOMEM);
	source->origin = origin;
	source->role = role;
	source->sectors_in = sectors_in;
	INIT_LIST_HEAD(&source->idle);
	INIT_LIST_HEAD(&source->starting);
	INIT_WORK(&source->work, start_fetches);
	source->path = kstrdup(path, GFP_KERNEL);
	if (!source->path)
		goto free_source;
	error = pagepress_claim_device(&source->claim, path, source, false);
	if (error) {
		pr_err("%s: cannot claim %s %s (error %d): a block device that nobody uses is needed\n",
		       name, role, path, error);
		goto free_path;
	}
	source->block = bdev_logical_block_size(source->claim.bdev);
	source->bytes = (u64)bdev_nr_sectors(source->claim.bdev) << SECTOR_SHIFT;
	error = -EINVAL;
	if (source->block > PAGE_SIZE) {
		pr_err("%s: %s %s is of no use: its blocks are larger than a page\n", name, role,
		       path);
		goto unclaim;
	}
	error = -ENOMEM;
	if (!make_buffers(source))
		goto unclaim;
	/* Of its own, with a rescuer: one device that answers nobody holds up no other. */
	source->workqueue = alloc_workqueue("%s-%s", WQ_MEM_RECLAIM | WQ_UNBOUND, 1, name, role);
	if (!source->workqueue)
		goto free_buffers;
	return source;

free_buffers:
	free_buffers(source);
unclaim:
	pagepress_unclaim_device(&source->claim);
free_path:
	kfree(source->path);
free_source:
	kfree(source);
	return ERR_PTR(error);
}

/* At any time; for good only when no read is sent to it any more. */
bool pagepress_source_is_idle(struct pagepress_source *source)
{
	bool idle;

	spin_lock_irq(&source->origin->lock);
	idle = !source->busy;
	spin_unlock_irq(&source->origin->lock);
	return idle;
}

/*
 * When no read is sent to it any more. -EBUSY while the device still has fetches after timeout_ms,
 * or when the task is killed: the memory they write to must stay.
 */
int pagepress_source_wait_idle(struct pagepress_source *source, u64 timeout_ms)
{
	if (wait_event_killable_timeout(source->origin->idle,
					pagepress_source_is_idle(source),
					msecs_to_jiffies(timeout_ms)) > 0)
		return 0;
	pr_err("%s: %s %s still has reads that it does not answer: it cannot be let go\n",
	       source->origin->disk->gendisk->disk_name, source->role, source->path);
	return -EBUSY;
}

/* Idle, and unknown to the work. */
void pagepress_source_close(struct pagepress_source *source)
{
	destroy_workqueue(source->workqueue);
	free_buffers(source);
	pagepress_unclaim_device(&source->claim);
	kfree(source->path);
	kfree(source);
}
