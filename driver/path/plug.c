// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a task gathers in its plug, for one queue: one doorbell for all of it, and writes that end
 * when reclaim can use it.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/slab.h>

#include "card/card.h"
#include "path/path.h"

#define DOORBELL 16 /* submissions that may wait for one doorbell */

/* Only the task itself touches it: no lock. */
struct batch {
	struct blk_plug_cb callback; /* first: the block layer frees nothing, end_batch does */
	struct pagepress_queue *queue; /* NULL while new */
	struct list_head held; /* writes, by pagepress_io.held, oldest first */
};

/* Plugs that are to call us. At unload no disk is open, but a task may not have ended its plug. */
static atomic_t batches;
static DECLARE_WAIT_QUEUE_HEAD(no_batches);

static void let_go(struct pagepress_io *io)
{
	list_del_init(&io->held);
	pagepress_io_put(io);
}

static void end_batch(struct blk_plug_cb *callback, bool from_schedule)
{
	struct batch *batch = container_of(callback, struct batch, callback);
	struct pagepress_card *card = batch->queue->card;
	struct pagepress_io *io, *next;

	pagepress_queue_ring(batch->queue, false);
	list_for_each_entry_safe(io, next, &batch->held, held)
		let_go(io);
	kref_put(&card->references, pagepress_card_release);
	kfree(batch);
	if (atomic_dec_and_test(&batches))
		wake_up_all(&no_batches);
}

/* Until each has called. What is left of its last call, the kernel's grace periods wait for. */
void pagepress_plugs_exit(void)
{
	wait_event(no_batches, !atomic_read(&batches));
}

/*
 * NULL without a plug. The queue stays for the callback even if its card leaves meanwhile: the
 * callback counts as a reference.
 */
static struct batch *batch_of(struct pagepress_queue *queue)
{
	struct blk_plug_cb *callback = blk_check_plugged(end_batch, queue, sizeof(struct batch));
	struct batch *batch = container_of(callback, struct batch, callback);

	if (!callback)
		return NULL;
	if (!batch->queue) {
		batch->queue = queue;
		INIT_LIST_HEAD(&batch->held);
		kref_get(&queue->card->references);
		atomic_inc(&batches);
	}
	return batch;
}

/*
 * Whether all of the bio's pages are on their list. Swap of newer kernels puts several folios into
 * one bio, which reclaim puts back one after the other.
 */
static bool on_list(struct bio *bio)
{
	struct bvec_iter iter;
	struct bio_vec segment;

	bio_for_each_segment(segment, bio, iter)
		if (!folio_test_lru(page_folio(segment.bv_page)))
			return false;
	return true;
}

/*
 * Reclaim takes pages off their list, writes them out and puts them back. One whose write has ended
 * by then goes to the young end of the list, clean, and stays in memory while reclaim writes out
 * others in its place; and cards are that quick. So a write ends when its page is on its list
 * again, or with the plug at the latest: then the kernel moves the page to the old end, where
 * reclaim takes it next. Once a bio: looking at all its pages for each of them would cost more
 * than all the rest here.
 */
static void hold(struct batch *batch, struct pagepress_io *io)
{
	struct pagepress_io *oldest, *next;

	if (!list_empty(&io->held))
		return;
	list_for_each_entry_safe(oldest, next, &batch->held, held) {
		if (!on_list(oldest->bio))
			break;
		let_go(oldest);
	}
	pagepress_io_get(io);
	list_add_tail(&io->held, &batch->held);
}

/*
 * A page of io has been submitted to queue: one doorbell for all that the task's plug gathers, at
 * once without a plug. The caller has a hold on io and on the queue's card.
 */
void pagepress_batch_add(struct pagepress_queue *queue, struct pagepress_io *io)
{
	struct batch *batch = batch_of(queue);

	if (batch && op_is_write(bio_op(io->bio)))
		hold(batch, io);
	if (!batch || pagepress_queue_waiting(queue) >= DOORBELL)
		pagepress_queue_ring(queue, false);
}
