// SPDX-License-Identifier: GPL-2.0-only
/*
 * One page that nobody has written since the origin was attached: looked for in the lookaside
 * image by its hash, then read from the origin, proven by the hash, or an error. One work does it
 * all but giving bios to devices; it waits for none of them, so that every read has ended by its
 * deadlines.
 */
#include <crypto/hash.h>
#include <linux/completion.h>
#include <linux/ratelimit.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "origin/origin.h"
#include "store/codec.h"

#define RESERVED_READS 64
#define MOST_AT_ONCE 64

struct pagepress_origin_read {
	struct list_head link;		/* fresh or waiting */
	struct pagepress_transfer transfer;
	u32 entry;
	unsigned long deadline;		/* jiffies; while waiting */
	bool no_lookaside;		/* it was asked */
};

static void end(struct pagepress_origin *origin, struct pagepress_origin_read *read)
{
	struct pagepress_io *io = read->transfer.io;

	mempool_free(read, origin->reads);
	pagepress_io_put(io);
}

static void fail(struct pagepress_origin *origin, struct pagepress_origin_read *read,
		 blk_status_t status, const char *why)
{
	pagepress_count(origin->disk, PAGEPRESS_ORIGIN_ERRORS);
	pr_err_ratelimited("%s: slot %lu: I/O error: %s origin_dev %s\n",
			   origin->disk->gendisk->disk_name, read->transfer.slot, why,
			   origin->source->path);
	pagepress_transfer_failed(&read->transfer, status);
	end(origin, read);
}

/* Fills the page if data, a stream or the page itself, is what the entry's hash stands for. */
static bool accept(struct pagepress_origin *origin, struct pagepress_origin_read *read,
		   const void *data, unsigned int length)
{
	struct pagepress_codec *codec = pagepress_codec_get();
	u8 hash[PAGEPRESS_IMAGE_HASH];
	bool good = true;

	if (!length) {
		memset(codec->plain, 0, PAGE_SIZE);
	} else if (length == PAGE_SIZE) {
		memcpy(codec->plain, data, PAGE_SIZE);
	} else {
		memcpy(codec->stream, data, length);
		good = !pagepress_codec_decompress(codec, length, false);
	}
	good = good &&
	       !crypto_shash_tfm_digest(origin->sha256, codec->plain, PAGE_SIZE, hash) &&
	       !memcmp(hash, origin->entries[read->entry].hash, sizeof(hash));
	if (good)
		pagepress_transfer_fill(&read->transfer, codec->plain);
	pagepress_codec_put(codec);
	return good;
}

/* Under origin->lock: the read is on its way to a device, or waits for an idle fetch. */
static void route(struct pagepress_origin *origin, struct pagepress_origin_read *read)
{
	const struct pagepress_image_entry *entry = &origin->entries[read->entry];
	struct pagepress_fetch *fetch = NULL;

	if (origin->lookaside_used && !read->no_lookaside && origin->places[read->entry].length)
		fetch = pagepress_fetch_take(origin->lookaside);
	if (fetch) {
		const struct pagepress_place *place = &origin->places[read->entry];

		fetch->read = read;
		read->no_lookaside = true;
		pagepress_fetch_start(fetch, (u64)place->sector * PAGEPRESS_IMAGE_SECTOR,
				      place->length, origin->lookaside_timeout_ms);
		return;
	}
	fetch = pagepress_fetch_take(origin->source);
	if (!fetch) {
		read->deadline = jiffies + msecs_to_jiffies(origin->timeout_ms);
		list_add_tail(&read->link, &origin->waiting);
		return;
	}
	fetch->read = read;
	pagepress_fetch_start(fetch, (u64)le32_to_cpu(entry->sector) * PAGEPRESS_IMAGE_SECTOR,
			      le32_to_cpu(entry->length), origin->timeout_ms);
}

/* The lookaside image, or its device, has failed for one page. */
static void lookaside_failed(struct pagepress_origin *origin, const char *what)
{
	const char *name = origin->disk->gendisk->disk_name;
	bool given_up;

	pagepress_count(origin->disk, PAGEPRESS_LOOKASIDE_FAULTS);
	spin_lock_irq(&origin->lock);
	origin->lookaside_faults++;
	given_up = origin->lookaside_faults >= PAGEPRESS_MOST_LOOKASIDE_FAULTS &&
		   origin->lookaside_used;
	if (given_up)
		origin->lookaside_used = false;
	spin_unlock_irq(&origin->lock);
	pr_warn_ratelimited("%s: lookaside_dev: %s; origin_dev is asked\n", name, what);
	if (given_up)
		pr_warn("%s: lookaside_dev is given up after %u faults\n", name,
			PAGEPRESS_MOST_LOOKASIDE_FAULTS);
}

/* Takes the lock, as the page may be at its end before a device is asked. */
static void begin(struct pagepress_origin *origin, struct pagepress_origin_read *read)
{
	if (!origin->entries[read->entry].length) {
		if (accept(origin, read, NULL, 0)) {
			pagepress_count(origin->disk, PAGEPRESS_DIRECT_PAGES_IN);
			end(origin, read);
		} else {
			fail(origin, read, BLK_STS_IOERR, "the index is wrong that came from");
		}
		return;
	}
	spin_lock_irq(&origin->lock);
	route(origin, read);
	spin_unlock_irq(&origin->lock);
}

static void judge(struct pagepress_origin *origin, struct pagepress_fetch *fetch,
		  struct pagepress_origin_read *read)
{
	bool from_origin = fetch->source == origin->source;
	blk_status_t status = fetch->bio.bi_status;
	bool good = !status && accept(origin, read, pagepress_fetch_data(fetch), fetch->length);

	pagepress_fetch_put(fetch);
	if (good) {
		pagepress_count(origin->disk, from_origin ? PAGEPRESS_ORIGIN_PAGES_IN
							  : PAGEPRESS_LOOKASIDE_PAGES_IN);
		end(origin, read);
	} else if (from_origin) {
		fail(origin, read, BLK_STS_IOERR,
		     status ? "cannot be read from"
			    : "it is not the page that was packed that came from");
	} else {
		lookaside_failed(origin, status ? "cannot be read"
						: "holds another page than its index says");
		begin(origin, read);
	}
}

/* Jiffies until then, or less if *soonest is. False: it has come. */
static bool still_to_come(unsigned long deadline, unsigned long *soonest)
{
	unsigned long now = jiffies;

	if (time_after_eq(now, deadline))
		return false;
	*soonest = min(*soonest, deadline - now);
	return true;
}

/* Takes from a device what it has not answered in time. */
static void gather_late(struct pagepress_source *source, struct list_head *late,
			unsigned long *soonest)
{
	unsigned int index;

	for (index = 0; source && index < PAGEPRESS_FETCHES; index++) {
		struct pagepress_fetch *fetch = &source->fetches[index];

		if (fetch->read && !still_to_come(fetch->deadline, soonest)) {
			list_add_tail(&fetch->read->link, late);
			fetch->read = NULL;
		}
	}
}

static void end_late(struct pagepress_origin *origin)
{
	struct pagepress_origin_read *read, *following;
	unsigned long soonest = MAX_JIFFY_OFFSET;
	LIST_HEAD(late_lookaside);
	LIST_HEAD(late);

	spin_lock_irq(&origin->lock);
	gather_late(origin->lookaside, &late_lookaside, &soonest);
	spin_unlock_irq(&origin->lock);
	list_for_each_entry_safe(read, following, &late_lookaside, link) {
		lookaside_failed(origin, "does not answer in time");
		begin(origin, read);
	}

	spin_lock_irq(&origin->lock);
	gather_late(origin->source, &late, &soonest);
	list_for_each_entry_safe(read, following, &origin->waiting, link)
		if (!still_to_come(read->deadline, &soonest))
			list_move_tail(&read->link, &late);
	/* Whoever has brought something meanwhile wants to be looked at sooner. */
	if (soonest != MAX_JIFFY_OFFSET)
		queue_delayed_work(origin->workqueue, &origin->work, soonest);
	spin_unlock_irq(&origin->lock);
	list_for_each_entry_safe(read, following, &late, link)
		fail(origin, read, BLK_STS_TIMEOUT, "does not come in time from");
}

/* The next completed fetch, and in *read who waits for it. */
static struct pagepress_fetch *next_completed(struct pagepress_origin *origin,
					      struct pagepress_origin_read **read)
{
	struct completion *done = NULL;
	struct pagepress_fetch *fetch;

	spin_lock_irq(&origin->lock);
	do {
		fetch = list_first_entry_or_null(&origin->completed, struct pagepress_fetch, link);
		if (!fetch)
			break;
		list_del_init(&fetch->link);
		*read = fetch->read;
		fetch->read = NULL;
		done = fetch->done;
		fetch->done = NULL;
		if (done) /* Its waiter puts it back. */
			complete(done);
	} while (done);
	spin_unlock_irq(&origin->lock);
	return fetch;
}

static struct pagepress_origin_read *next_read(struct pagepress_origin *origin)
{
	struct pagepress_origin_read *read;

	spin_lock_irq(&origin->lock);
	read = list_first_entry_or_null(&origin->waiting, struct pagepress_origin_read, link);
	if (!read || list_empty(&origin->source->idle))
		read = list_first_entry_or_null(&origin->fresh, struct pagepress_origin_read, link);
	if (read)
		list_del_init(&read->link);
	spin_unlock_irq(&origin->lock);
	return read;
}

static void run(struct work_struct *work)
{
	struct pagepress_origin *origin = container_of(to_delayed_work(work),
						       struct pagepress_origin, work);
	unsigned int noreclaim = memalloc_noreclaim_save();
	struct pagepress_origin_read *read;
	struct pagepress_fetch *fetch;
	unsigned int left;
	bool again = false;

	/* Some of each: however many come, deadlines are looked at again and again. */
	for (left = MOST_AT_ONCE; left && (fetch = next_completed(origin, &read)); left--) {
		if (read)
			judge(origin, fetch, read);
		else
			pagepress_fetch_put(fetch);
		cond_resched();
	}
	if (!left)
		again = true;
	for (left = MOST_AT_ONCE; left && (read = next_read(origin)); left--) {
		begin(origin, read);
		cond_resched();
	}
	end_late(origin);
	if (!left || again)
		mod_delayed_work(origin->workqueue, &origin->work, 0);
	memalloc_noreclaim_restore(noreclaim);
}

/* For a device that is about to be read. -ENOMEM; -ENOENT without the kernel's SHA-256. */
int pagepress_origin_start(struct pagepress_origin *origin)
{
	origin->sha256 = crypto_alloc_shash("sha256", 0, 0);
	if (IS_ERR(origin->sha256)) {
		int error = PTR_ERR(origin->sha256);

		pr_err("%s: this kernel has no SHA-256 (CONFIG_CRYPTO_SHA256, error %d)\n",
		       origin->disk->gendisk->disk_name, error);
		origin->sha256 = NULL;
		return error;
	}
	INIT_DELAYED_WORK(&origin->work, run);
	origin->reads = mempool_create_kmalloc_pool(RESERVED_READS,
						    sizeof(struct pagepress_origin_read));
	if (!origin->reads)
		goto free_hash;
	origin->workqueue = alloc_workqueue("%s-origin", WQ_MEM_RECLAIM | WQ_UNBOUND, 1,
					    origin->disk->gendisk->disk_name);
	if (!origin->workqueue)
		goto destroy_reads;
	return 0;

destroy_reads:
	mempool_destroy(origin->reads);
	origin->reads = NULL;
free_hash:
	crypto_free_shash(origin->sha256);
	origin->sha256 = NULL;
	return -ENOMEM;
}

/* When no device has a fetch any more. */
void pagepress_origin_stop(struct pagepress_origin *origin)
{
	cancel_delayed_work_sync(&origin->work);
	destroy_workqueue(origin->workqueue);
	mempool_destroy(origin->reads);
	crypto_free_shash(origin->sha256);
	origin->workqueue = NULL;
	origin->reads = NULL;
	origin->sha256 = NULL;
}

/*
 * Whether a page comes from the origin whose slot was found empty, without a writer in flight: then
 * no write of it has succeeded, unless it was discarded since.
 */
bool pagepress_origin_holds(struct pagepress_disk *disk, unsigned long slot)
{
	struct pagepress_origin *origin = disk->origin;

	if (slot >= origin->pages)
		return false;
	smp_rmb(); /* after a discard, which sets the bit before its slot's chunk goes */
	return !test_bit(slot, origin->freed);
}

/*
 * Its io ends later, by the deadlines at the latest. May wait for a read to end, which they do
 * without the caller.
 */
void pagepress_origin_read(const struct pagepress_transfer *transfer)
{
	struct pagepress_origin *origin = transfer->io->disk->origin;
	struct pagepress_origin_read *read = mempool_alloc(origin->reads, GFP_NOIO);

	pagepress_io_get(transfer->io);
	read->transfer = *transfer;
	read->entry = le32_to_cpu(origin->map[transfer->slot]);
	read->no_lookaside = false;
	spin_lock_irq(&origin->lock);
	list_add_tail(&read->link, &origin->fresh);
	mod_delayed_work(origin->workqueue, &origin->work, 0);
	spin_unlock_irq(&origin->lock);
}
