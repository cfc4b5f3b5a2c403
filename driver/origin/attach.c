// SPDX-License-Identifier: GPL-2.0-only
/*
 * Origin and lookaside device come and go. A device that does not answer cannot be let go, as it
 * may still write to our memory: it stays ours, unused, until it has answered. As long as one is
 * the module stays.
 */
#include <crypto/hash.h>
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "origin/origin.h"

#define ORIGIN_TIMEOUT_MS 30000
#define LOOKASIDE_TIMEOUT_MS 1000

void pagepress_origin_init(struct pagepress_origin *origin, struct pagepress_disk *disk)
{
	origin->disk = disk;
	origin->timeout_ms = ORIGIN_TIMEOUT_MS;
	origin->lookaside_timeout_ms = LOOKASIDE_TIMEOUT_MS;
	mutex_init(&origin->attach_lock);
	spin_lock_init(&origin->lock);
	INIT_LIST_HEAD(&origin->fresh);
	INIT_LIST_HEAD(&origin->waiting);
	INIT_LIST_HEAD(&origin->completed);
	init_waitqueue_head(&origin->idle);
}

/*
 * attach_lock, which may be held for a slow device's time. -ERESTARTSYS: after a suspend the wait
 * goes on.
 */
int pagepress_origin_lock(struct pagepress_origin *origin)
{
	return mutex_lock_interruptible(&origin->attach_lock) ? -ERESTARTSYS : 0;
}

/* Under attach_lock. -EBUSY: it has not answered; then it is attached, and not used. */
static int let_lookaside_go(struct pagepress_origin *origin)
{
	struct pagepress_source *lookaside = origin->lookaside;
	struct pagepress_place *places = origin->places;
	int error;

	if (!lookaside)
		return 0;
	spin_lock_irq(&origin->lock);
	origin->lookaside_used = false;
	spin_unlock_irq(&origin->lock);
	/* Pages that it was asked for have gone on by then. */
	error = pagepress_source_wait_idle(lookaside, origin->lookaside_timeout_ms);
	if (error)
		return error;
	spin_lock_irq(&origin->lock);
	origin->lookaside = NULL;
	origin->places = NULL;
	origin->lookaside_contents = 0;
	origin->lookaside_faults = 0;
	spin_unlock_irq(&origin->lock);
	pagepress_source_close(lookaside);
	kvfree(places);
	return 0;
}

/*
 * Under attach_lock, while nobody has the disk open. -EBUSY: a device has not answered. Then an
 * origin that is attached stays so, and one that was refused still holds its device.
 */
static int let_origin_go(struct pagepress_origin *origin)
{
	struct pagepress_source *source = origin->source;
	int error = 0;

	if (!origin->workqueue)
		return 0;
	/* The origin first: in vain, the disk goes on as before, with its lookaside image. */
	if (source)
		error = pagepress_source_wait_idle(source, origin->timeout_ms);
	if (!error)
		error = let_lookaside_go(origin);
	if (error)
		return error;
	if (source) {
		origin->pages = 0;
		spin_lock_irq(&origin->lock);
		origin->source = NULL;
		spin_unlock_irq(&origin->lock);
		pagepress_source_close(source);
	}
	pagepress_origin_stop(origin);
	kvfree(origin->entries);
	kvfree(origin->map);
	kvfree(origin->freed);
	origin->entries = NULL;
	origin->map = NULL;
	origin->freed = NULL;
	module_put(THIS_MODULE);
	return 0;
}

static int attach_origin(struct pagepress_origin *origin, const char *path)
{
	struct pagepress_image_header header;
	struct pagepress_source *source;
	int error;

	source = pagepress_source_open(origin, path, "origin_dev", PAGEPRESS_ORIGIN_SECTORS_IN);
	if (IS_ERR(source))
		return PTR_ERR(source);
	spin_lock_irq(&origin->lock);
	origin->source = source;
	spin_unlock_irq(&origin->lock);
	error = pagepress_image_read_header(source, origin->timeout_ms, &header);
	if (!error)
		error = pagepress_image_load(origin, &header);
	if (error)
		return error;
	origin->freed = kvcalloc(BITS_TO_LONGS((unsigned long)source->pages), sizeof(long),
				 PAGEPRESS_IMAGE_MEMORY);
	if (!origin->freed)
		return -ENOMEM;
	origin->pages = source->pages;
	pr_info("%s: origin_dev %s, %u pages, %u contents\n", origin->disk->gendisk->disk_name,
		path, source->pages, source->entries);
	return 0;
}

static void say_no_memory(struct pagepress_origin *origin, const char *role, const char *path)
{
	pr_err("%s: no memory for the index of %s %s\n", origin->disk->gendisk->disk_name, role,
	       path);
}

/*
 * While nobody has the disk open, and nobody can. path names any block device. -EBUSY while
 * another is attached, or one that was refused still has reads; -ERESTARTSYS; else an errno that
 * the log explains.
 */
int pagepress_origin_attach(struct pagepress_origin *origin, const char *path)
{
	int error = pagepress_origin_lock(origin);

	if (error)
		return error;
	error = origin->pages ? -EBUSY : let_origin_go(origin);
	if (error)
		goto unlock;
	if (!origin->root_known) {
		pr_err("%s: origin_dev needs origin_root first: the root hash that pagepressctl image info shows\n",
		       origin->disk->gendisk->disk_name);
		error = -EINVAL;
		goto unlock;
	}
	error = pagepress_origin_start(origin);
	if (!error) {
		__module_get(THIS_MODULE);
		error = attach_origin(origin, path);
		/* In vain, it goes with the next command that needs it gone. */
		if (error)
			let_origin_go(origin);
	}
	if (error == -ENOMEM)
		say_no_memory(origin, "origin_dev", path);
unlock:
	mutex_unlock(&origin->attach_lock);
	return error;
}

/*
 * While nobody has the disk open, and nobody can: so that detaching need not wait. -EBUSY: a
 * device still has reads; -ERESTARTSYS.
 */
int pagepress_origin_wait_idle(struct pagepress_origin *origin)
{
	int error = pagepress_origin_lock(origin);

	if (error)
		return error;
	if (origin->source)
		error = pagepress_source_wait_idle(origin->source, origin->timeout_ms);
	if (!error && origin->lookaside)
		error = pagepress_source_wait_idle(origin->lookaside, origin->lookaside_timeout_ms);
	mutex_unlock(&origin->attach_lock);
	return error;
}

/*
 * After pagepress_origin_wait_idle(), still while nobody has the disk open: waits for nobody.
 * -EBUSY: somebody attaches a lookaside image, or has since, or one that was refused has reads.
 */
int pagepress_origin_detach(struct pagepress_origin *origin)
{
	int error;

	if (!mutex_trylock(&origin->attach_lock))
		return -EBUSY;
	if ((origin->source && !pagepress_source_is_idle(origin->source)) ||
	    (origin->lookaside && !pagepress_source_is_idle(origin->lookaside)))
		error = -EBUSY;
	else
		error = let_origin_go(origin);
	mutex_unlock(&origin->attach_lock);
	return error;
}

/*
 * While nobody has the disk open, and nobody can. 0: an origin is attached, or there is none.
 * -EBUSY: one was refused and still has reads; -ERESTARTSYS.
 */
int pagepress_origin_settle(struct pagepress_origin *origin)
{
	int error = pagepress_origin_lock(origin);

	if (error)
		return error;
	error = origin->pages ? 0 : let_origin_go(origin);
	mutex_unlock(&origin->attach_lock);
	return error;
}

static int attach_lookaside(struct pagepress_origin *origin, const char *path)
{
	struct pagepress_image_header header;
	struct pagepress_source *lookaside;
	struct pagepress_place *places;
	unsigned long found;
	int error;

	lookaside = pagepress_source_open(origin, path, "lookaside_dev",
					  PAGEPRESS_LOOKASIDE_SECTORS_IN);
	if (IS_ERR(lookaside))
		return PTR_ERR(lookaside);
	spin_lock_irq(&origin->lock);
	origin->lookaside = lookaside;
	spin_unlock_irq(&origin->lock);
	error = pagepress_image_read_header(lookaside, origin->lookaside_timeout_ms, &header);
	if (error)
		return error;
	error = pagepress_image_match(origin, lookaside, &places, &found);
	if (error)
		return error;
	spin_lock_irq(&origin->lock);
	origin->places = places;
	origin->lookaside_contents = found;
	origin->lookaside_faults = 0;
	origin->lookaside_used = true;
	spin_unlock_irq(&origin->lock);
	pr_info("%s: lookaside_dev %s has %lu of the origin's %u contents\n",
		origin->disk->gendisk->disk_name, path, found, origin->source->entries);
	return 0;
}

/* At any time. -ENODEV without an origin, -EBUSY while another is attached; -ERESTARTSYS. */
int pagepress_lookaside_attach(struct pagepress_origin *origin, const char *path)
{
	int error = pagepress_origin_lock(origin);

	if (error)
		return error;
	if (!origin->pages) {
		error = -ENODEV;
	} else if (origin->lookaside) {
		error = -EBUSY;
	} else {
		error = attach_lookaside(origin, path);
		if (error)
			let_lookaside_go(origin);
		if (error == -ENOMEM)
			say_no_memory(origin, "lookaside_dev", path);
	}
	mutex_unlock(&origin->attach_lock);
	return error;
}

/* At any time; pages go on from the origin. -EBUSY: the device still has reads; -ERESTARTSYS. */
int pagepress_lookaside_detach(struct pagepress_origin *origin)
{
	int error = pagepress_origin_lock(origin);

	if (error)
		return error;
	error = let_lookaside_go(origin);
	mutex_unlock(&origin->attach_lock);
	return error;
}

/* Slots from first to end, end excluded, are discarded. May run under any lock for a single one. */
void pagepress_origin_forget(struct pagepress_disk *disk, unsigned long first, unsigned long end)
{
	struct pagepress_origin *origin = disk->origin;
	bool single = end - first == 1;

	for (end = min(end, origin->pages); first < end; first++) {
		set_bit(first, origin->freed);
		if (!single && !(first % 65536))
			cond_resched();
	}
}

/* While nobody has the disk open: whether slots that were an origin's read as zeros since. */
bool pagepress_origin_is_hidden(struct pagepress_origin *origin)
{
	return origin->pages && !bitmap_empty(origin->freed, origin->pages);
}

/* The disk begins anew: all its pages come from the origin, if there is one. */
void pagepress_origin_renew(struct pagepress_origin *origin)
{
	if (origin->pages)
		bitmap_zero(origin->freed, origin->pages);
}
