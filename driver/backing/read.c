// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages from the backing device. A device needs about as long for eight neighbours as for one, and
 * the kernel reads ahead what was swapped out together, which lies together. So what a task gathers
 * in its plug is started at once, and those that rest side by side are read by one access. Nothing
 * of that needs memory: each takes in its own buffer what comes after the one before.
 */
#include <linux/blkdev.h>
#include <linux/ktime.h>
#include <linux/list_sort.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include "backing/page_io.h"

#define WEIGHT 8 /* a measurement's part in the average, as a divisor */

/* ---- gathering ---- */

/* The reads of a task's plug. They are in flight, so their disk stays until they are given on. */
struct gathered {
	struct blk_plug_cb callback; /* first: the block layer frees nothing, give_on() does */
	struct list_head reads;
	unsigned int count;
};

static void start_all(struct pagepress_backing *backing, struct list_head *reads)
{
	unsigned long flags;

	/* The work is queued under the lock: without it, page I/Os and their device may be gone. */
	spin_lock_irqsave(&backing->page_io_lock, flags);
	list_splice_tail_init(reads, &backing->starting);
	queue_work(backing->workqueue, &backing->work);
	spin_unlock_irqrestore(&backing->page_io_lock, flags);
}

/* The task's plug has ended, the task sleeps, or they are enough. */
static void give_on(struct blk_plug_cb *callback, bool from_schedule)
{
	struct gathered *gathered = container_of(callback, struct gathered, callback);

	start_all(callback->data, &gathered->reads);
	kfree(gathered);
}

/* False without a plug, or without memory to gather in. */
static bool gather(struct pagepress_page_io *page_io)
{
	struct blk_plug_cb *callback = blk_check_plugged(give_on, page_io->backing,
							 sizeof(struct gathered));
	struct gathered *gathered = container_of(callback, struct gathered, callback);

	if (!callback)
		return false;
	if (!gathered->count)
		INIT_LIST_HEAD(&gathered->reads);
	list_add_tail(&page_io->link, &gathered->reads);
	gathered->count++;
	if (gathered->count == PAGEPRESS_SPAN_PAGES) {
		/* Without reads it must not stay: nothing would keep the disk, and this code. */
		list_del(&callback->list);
		give_on(callback, false);
	}
	return true;
}

/*
 * Reads a page that rests on the backing device; its io ends later. May wait for a page I/O.
 */
void pagepress_page_io_read(const struct pagepress_transfer *transfer)
{
	struct pagepress_backing *backing = transfer->io->disk->backing;
	struct pagepress_page_io *page_io = pagepress_page_io_get(backing, true);
	LIST_HEAD(alone);

	pagepress_io_get(transfer->io);
	page_io->transfer = *transfer;
	page_io->again = false;
	if (gather(page_io))
		return;
	list_add(&page_io->link, &alone);
	start_all(backing, &alone);
}

/* ---- starting ---- */

static u64 end_of(const struct pagepress_page_io *page_io)
{
	return page_io->extent.address + page_io->extent.bytes;
}

/*
 * Where the page rests: what the slot says now counts. False: it has come back to memory meanwhile,
 * and has ended.
 */
bool pagepress_read_place(struct pagepress_page_io *page_io)
{
	struct pagepress_backing *backing = page_io->backing;
	const struct pagepress_content *place = &page_io->place;
	u32 block = backing->block << SECTOR_SHIFT;

	while (!pagepress_store_locate(backing->disk->store, page_io->transfer.slot,
				       &page_io->place)) {
		if (backing->operations->read_memory(&page_io->transfer)) {
			pagepress_page_io_end(page_io);
			return false;
		}
	}
	page_io->extent.address = round_down(place->address, block);
	page_io->extent.bytes = round_up(place->address + place->length, block) -
				page_io->extent.address;
	page_io->window = NULL;
	page_io->started = ktime_get_ns();
	return true;
}

static int by_address(void *unused, const struct list_head *left, const struct list_head *right)
{
	u64 one = list_entry(left, struct pagepress_page_io, link)->place.address;
	u64 other = list_entry(right, struct pagepress_page_io, link)->place.address;

	return one < other ? -1 : one > other;
}

/* Into next's buffer goes what the device has from `from` on, up to next's last block. */
static void take_part(struct pagepress_page_io *leader, struct pagepress_page_io *next, u64 from)
{
	void *data;

	/* Streams share blocks: such a one lies in the buffer of the one before, see share(). */
	next->from = min(next->extent.address, from);
	data = next->buffer + (from - next->from);
	if (end_of(next) > from)
		__bio_add_page(&leader->bio, virt_to_page(data), end_of(next) - from,
			       offset_in_page(data));
}

/* Whether next lies behind last, so near that its buffer takes what is between as well. */
static bool follows(const struct pagepress_page_io *last, const struct pagepress_page_io *next)
{
	return next->place.address >= last->place.address + last->place.length &&
	       end_of(next) - min(next->extent.address, end_of(last)) <= PAGEPRESS_PAGE_IO_BYTES;
}

/* The leader, and as many of those behind it as lie there: sorted by address. */
static u32 add_span(struct pagepress_page_io *leader, struct list_head *behind)
{
	struct pagepress_page_io *last = leader, *next;
	unsigned int count;

	take_part(leader, leader, leader->extent.address);
	for (count = 1; count < PAGEPRESS_SPAN_PAGES && !list_empty(behind); count++) {
		next = list_first_entry(behind, struct pagepress_page_io, link);
		if (!follows(last, next))
			break;
		take_part(leader, next, end_of(last));
		list_move_tail(&next->link, &leader->span);
		last = next;
	}
	return end_of(last) - leader->extent.address;
}

static void start_access(struct pagepress_page_io *leader, u32 bytes)
{
	struct pagepress_disk *disk = leader->backing->disk;

	atomic64_add(bytes >> SECTOR_SHIFT, &disk->statistics[PAGEPRESS_BACKING_SECTORS_IN]);
	pagepress_count(disk, PAGEPRESS_BACKING_READS);
	pagepress_page_io_submit(leader);
}

static void start_span(struct pagepress_page_io *leader, struct list_head *behind)
{
	bio_init(&leader->bio, leader->backing->bdev, leader->vectors, ARRAY_SIZE(leader->vectors),
		 REQ_OP_READ);
	INIT_LIST_HEAD(&leader->span);
	start_access(leader, add_span(leader, behind));
}

/* Reads all that lies around the page; those that follow it there find the window. */
static bool start_window(struct pagepress_page_io *leader)
{
	struct pagepress_window *window = pagepress_window_open(leader->backing, &leader->place,
								 leader);

	if (!window)
		return false;
	leader->window = window;
	bio_init(&leader->bio, leader->backing->bdev, leader->vectors, ARRAY_SIZE(leader->vectors),
		 REQ_OP_READ);
	__bio_add_page(&leader->bio, virt_to_page(window->data), window->bytes,
		       offset_in_page(window->data));
	INIT_LIST_HEAD(&leader->span);
	leader->extent.address = window->address;
	pagepress_count(leader->backing->disk, PAGEPRESS_BACKING_WINDOWS);
	start_access(leader, window->bytes);
	return true;
}

static void start_anew(struct pagepress_page_io *page_io)
{
	LIST_HEAD(none);

	if (pagepress_read_place(page_io))
		start_span(page_io, &none);
}

/* ---- finishing ---- */

static DEFINE_RATELIMIT_STATE(failed_reads, DEFAULT_RATELIMIT_INTERVAL, DEFAULT_RATELIMIT_BURST);

#define UNANSWERED "I/O error: cannot be read from"
#define WRONG	   "I/O error: not the page that was written came from"

static void measured(struct pagepress_backing *backing, u64 nanoseconds)
{
	u64 before = backing->read_ns;

	if (before)
		nanoseconds = before - before / WEIGHT + nanoseconds / WEIGHT;
	WRITE_ONCE(backing->read_ns, max_t(u64, nanoseconds, 1));
}

/* Whether the slot still rests where the page was read: then nobody has written there since. */
static bool still_there(const struct pagepress_page_io *page_io)
{
	struct pagepress_store *store = page_io->backing->disk->store;
	struct pagepress_content now;

	return pagepress_store_locate(store, page_io->transfer.slot, &now) &&
	       now.address == page_io->place.address && now.length == page_io->place.length &&
	       now.crc == page_io->place.crc && now.cold == page_io->place.cold;
}

static bool restore(const struct pagepress_page_io *page_io)
{
	const struct pagepress_content *place = &page_io->place;
	const struct pagepress_window *window = page_io->window;
	const void *data = window ? window->data + (place->address - window->address) :
				    page_io->buffer + (place->address - page_io->from);

	return page_io->backing->operations->restore(&page_io->transfer, data, place);
}

/*
 * Its stream may have been away and be back where it was, with others there meanwhile: so what is
 * not the page is read once more before it counts as an error. An access for several, or a window,
 * says nothing of one: each is read alone then, and twice.
 */
static void finish(struct pagepress_page_io *page_io, bool answered, bool alone)
{
	bool good;

	if (!still_there(page_io)) {
		start_anew(page_io);
		return;
	}
	good = answered && restore(page_io);
	if (!good && !(alone && page_io->again)) {
		if (page_io->window)
			pagepress_window_forget(page_io->window);
		page_io->again = alone;
		start_anew(page_io);
		return;
	}
	if (good) {
		pagepress_count(page_io->backing->disk, PAGEPRESS_BACKING_PAGES_IN);
		measured(page_io->backing, ktime_get_ns() - page_io->started);
	} else {
		pagepress_page_io_complain(page_io, &failed_reads, answered ? WRONG : UNANSWERED);
		pagepress_transfer_failed(&page_io->transfer, BLK_STS_IOERR);
	}
	pagepress_page_io_end(page_io);
}

/* False: no window has the page. */
static bool take_from_window(struct pagepress_page_io *page_io)
{
	struct pagepress_window *window = pagepress_window_find(page_io->backing, &page_io->place);

	if (!window)
		return false;
	page_io->window = window;
	pagepress_count(page_io->backing->disk, PAGEPRESS_BACKING_WINDOW_PAGES);
	if (window->leader)
		list_add_tail(&page_io->link, &window->leader->span);
	else
		finish(page_io, true, false);
	return true;
}

/*
 * Page I/Os of a device that have their places. What lay around pays when all that is wanted at
 * once is there: else an access is made anyway, which might have brought the rest.
 */
void pagepress_read_start(struct pagepress_backing *backing, struct list_head *reads)
{
	bool saved = !list_empty(reads);
	struct pagepress_page_io *leader;

	backing->windows.turn++;
	list_sort(NULL, reads, by_address);
	while (!list_empty(reads)) {
		leader = list_first_entry(reads, struct pagepress_page_io, link);
		list_del(&leader->link);
		if (take_from_window(leader))
			continue;
		saved = false;
		if (!start_window(leader))
			start_span(leader, reads);
	}
	if (saved)
		pagepress_read_around_saved(&backing->windows.policy);
}

/* Each gets the block in which the one before ends, if it begins there. */
static void share(struct pagepress_page_io *leader)
{
	const struct pagepress_page_io *last = leader;
	struct pagepress_page_io *next;

	list_for_each_entry(next, &leader->span, link) {
		if (next->from < end_of(last))
			memcpy(next->buffer, last->buffer + (next->from - last->from),
			       end_of(last) - next->from);
		last = next;
	}
}

/* What it took by itself: an arm does one thing at a time, so not what it waited for others. */
static void note_access(struct pagepress_windows *windows, const struct pagepress_page_io *leader)
{
	u64 began = max(leader->started, windows->answered);

	if (leader->answered > began)
		pagepress_read_around_measured(&windows->policy, leader->window,
					       leader->answered - began);
	windows->answered = leader->answered;
}

/* The device has answered for all of the leader's span. */
void pagepress_read_finish(struct pagepress_page_io *leader)
{
	bool answered = !leader->bio.bi_status;
	bool alone = list_empty(&leader->span) && !leader->window;
	struct pagepress_page_io *page_io;
	LIST_HEAD(span);

	note_access(&leader->backing->windows, leader);
	if (leader->window)
		pagepress_window_filled(leader->window, answered);
	else
		share(leader);
	list_splice(&leader->span, &span);
	list_add(&leader->link, &span);
	while (!list_empty(&span)) {
		page_io = list_first_entry(&span, struct pagepress_page_io, link);
		list_del(&page_io->link);
		finish(page_io, answered, alone);
		cond_resched();
	}
}
