// SPDX-License-Identifier: GPL-2.0-only
/* The space of the backing device: which of it is free, and which segments are nearly. */
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "backing/log.h"

#define NONE U32_MAX

/* Fewer bytes may be too few for the next page: not worth remembering. */
#define LEAST_RUN PAGE_SIZE

static u64 start_of(u32 number)
{
	return (u64)number * PAGEPRESS_SEGMENT_BYTES;
}

static void put_free(struct pagepress_log *log, u32 number)
{
	log->segments[number].next = NONE;
	if (log->free++)
		log->segments[log->last_free].next = number;
	else
		log->first_free = number;
	log->last_free = number;
}

/*
 * bytes: of the device, of which whole segments are used. -ENOSPC when the collector's own would be
 * all, -ENOMEM without memory.
 */
int pagepress_log_create(struct pagepress_log *log, u64 bytes, u32 block)
{
	u64 count = min_t(u64, bytes / PAGEPRESS_SEGMENT_BYTES, NONE);
	u32 number;

	memset(log, 0, sizeof(*log));
	spin_lock_init(&log->lock);
	if (count <= PAGEPRESS_SPARE_SEGMENTS)
		return -ENOSPC;
	/* As for the slot table: an error is the answer, not a complaint, or somebody's end. */
	log->segments = kvcalloc(count, sizeof(*log->segments),
				 GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (!log->segments)
		return -ENOMEM;
	log->count = count;
	log->block = block;
	for (number = 0; number < count; number++)
		put_free(log, number);
	return 0;
}

void pagepress_log_destroy(struct pagepress_log *log)
{
	kvfree(log->segments);
	log->segments = NULL;
}

/* ---- runs ---- */

static bool has_run(const struct pagepress_log *log, u32 number)
{
	unsigned int index;

	for (index = 0; index < PAGEPRESS_RUNS; index++)
		if (log->runs[index].bytes &&
		    pagepress_segment_of(log->runs[index].address) == number)
			return true;
	return false;
}

/* Remembers space that may be taken, and forgets the smallest for it. */
static void keep_run(struct pagepress_log *log, u64 address, u32 bytes)
{
	struct pagepress_extent *smallest = &log->runs[0];
	unsigned int index;

	for (index = 0; index < PAGEPRESS_RUNS; index++) {
		struct pagepress_extent *run = &log->runs[index];

		if (run->bytes && run->address == address + bytes &&
		    pagepress_segment_of(run->address) == pagepress_segment_of(address)) {
			run->address = address;
			run->bytes += bytes;
			return;
		}
		if (run->bytes < smallest->bytes)
			smallest = run;
	}
	if (bytes >= LEAST_RUN && bytes > smallest->bytes)
		*smallest = (struct pagepress_extent){ .address = address, .bytes = bytes };
}

/* The smallest run of at least so many bytes, or with largest the largest; NULL: none. */
static struct pagepress_extent *find_run(struct pagepress_log *log, u32 least, bool largest)
{
	struct pagepress_extent *found = NULL;
	unsigned int index;

	for (index = 0; index < PAGEPRESS_RUNS; index++) {
		struct pagepress_extent *run = &log->runs[index];

		if (run->bytes < least)
			continue;
		if (!found || (largest ? run->bytes > found->bytes : run->bytes < found->bytes))
			found = run;
	}
	return found;
}

/* ---- extents ---- */

/* Nothing lives there and nobody writes there: it is free, with all that was left of it. */
static void settle(struct pagepress_log *log, u32 number)
{
	const struct pagepress_segment *segment = &log->segments[number];
	unsigned int index;

	if (segment->live || segment->held)
		return;
	for (index = 0; index < PAGEPRESS_RUNS; index++)
		if (pagepress_segment_of(log->runs[index].address) == number)
			log->runs[index].bytes = 0;
	put_free(log, number);
}

/*
 * Takes contiguous space: most bytes if it can, never fewer than least, which a segment has. Small
 * leftovers first; a fresh segment before an extent of less than half of what was asked for, so
 * that writes stay large as long as there are free ones. collector: may take of what is set aside.
 * pagepress_log_end() must follow.
 */
bool pagepress_log_take(struct pagepress_log *log, u32 least, u32 most, bool collector,
			struct pagepress_extent *extent)
{
	u32 kept = collector ? 0 : PAGEPRESS_SPARE_SEGMENTS;
	struct pagepress_extent fresh = {};
	struct pagepress_extent *run;

	least = round_up(least, log->block);
	most = max(least, round_down(most, log->block));
	spin_lock(&log->lock);
	run = find_run(log, max(least, most / 2), false);
	if (!run && log->free > kept) {
		fresh.address = start_of(log->first_free);
		fresh.bytes = PAGEPRESS_SEGMENT_BYTES;
		log->first_free = log->segments[log->first_free].next;
		log->free--;
		run = &fresh;
	}
	if (!run)
		run = find_run(log, least, true);
	if (run) {
		const struct pagepress_extent whole = *run;

		extent->address = whole.address;
		extent->bytes = min(whole.bytes, most);
		log->segments[pagepress_segment_of(whole.address)].held++;
		log->segments[pagepress_segment_of(whole.address)].generation++;
		log->taken++;
		run->bytes = 0;
		keep_run(log, whole.address + extent->bytes, whole.bytes - extent->bytes);
	}
	spin_unlock(&log->lock);
	return run;
}

/* Of an extent only the first bytes will be written: what is taken next may follow them. */
void pagepress_log_trim(struct pagepress_log *log, struct pagepress_extent *extent, u32 used)
{
	u32 kept = round_up(used, log->block);

	spin_lock(&log->lock);
	if (kept < extent->bytes)
		keep_run(log, extent->address + kept, extent->bytes - kept);
	extent->bytes = kept;
	spin_unlock(&log->lock);
}

/* The extent is written, or has failed to be; the streams that count are added. */
void pagepress_log_end(struct pagepress_log *log, const struct pagepress_extent *extent)
{
	u32 number = pagepress_segment_of(extent->address);

	spin_lock(&log->lock);
	log->segments[number].held--;
	log->ended++;
	settle(log, number);
	spin_unlock(&log->lock);
}

/* ---- streams ---- */

/* Before a slot says that its stream is there; under the hold of its extent. */
void pagepress_log_add(struct pagepress_log *log, u64 address, u32 length)
{
	struct pagepress_segment *segment = &log->segments[pagepress_segment_of(address)];

	spin_lock(&log->lock);
	segment->live += length;
	segment->streams++;
	log->live += length;
	spin_unlock(&log->lock);
}

/*
 * Of the segment of that address. What was read there while nobody held it is what streams that
 * live there have, as long as the generation stays.
 */
struct pagepress_rest pagepress_log_look(struct pagepress_log *log, u64 address)
{
	const struct pagepress_segment *segment = &log->segments[pagepress_segment_of(address)];
	struct pagepress_rest rest;

	spin_lock(&log->lock);
	rest.generation = segment->generation;
	rest.live = segment->live;
	rest.held = segment->held;
	spin_unlock(&log->lock);
	return rest;
}

static void set_stuck(struct pagepress_log *log, struct pagepress_segment *segment, bool stuck)
{
	if (stuck && !segment->stuck)
		log->stuck++;
	else if (!stuck && segment->stuck)
		log->stuck--;
	segment->stuck = stuck;
}

/* No slot says so any more. Sleeps not, and may run under a slot's lock. */
void pagepress_log_release(struct pagepress_log *log, u64 address, u32 length)
{
	u32 number = pagepress_segment_of(address);
	struct pagepress_segment *segment = &log->segments[number];

	spin_lock(&log->lock);
	segment->live -= length;
	segment->streams--;
	set_stuck(log, segment, false);
	log->live -= length;
	log->released += length;
	settle(log, number);
	spin_unlock(&log->lock);
}

/* ---- what the collector asks ---- */

static bool may_empty(const struct pagepress_log *log, u32 number, u32 most_live)
{
	const struct pagepress_segment *segment = &log->segments[number];

	return segment->live && segment->live <= most_live && !segment->held && !segment->stuck &&
	       !has_run(log, number);
}

/* Has number among those with the fewest live bytes, sorted, if it is one of them. */
static void consider(const struct pagepress_log *log, struct pagepress_victims *victims, u32 number)
{
	u32 live = READ_ONCE(log->segments[number].live);
	unsigned int at = victims->count;

	if (!live || live > victims->most_live)
		return;
	if (at == victims->most) {
		if (live >= READ_ONCE(log->segments[victims->numbers[at - 1]].live))
			return;
		at--;
	} else {
		victims->count++;
	}
	for (; at && READ_ONCE(log->segments[victims->numbers[at - 1]].live) > live; at--)
		victims->numbers[at] = victims->numbers[at - 1];
	victims->numbers[at] = number;
}

/*
 * Finds those that are emptied with the least work, and holds each until
 * pagepress_log_end_victim(): nothing is written there. May sleep; looks without the lock first, as
 * there may be millions.
 */
void pagepress_log_find_victims(struct pagepress_log *log, struct pagepress_victims *victims)
{
	unsigned int index, kept = 0;
	u32 number, streams = 0;

	victims->count = 0;
	for (number = 0; number < log->count; number++) {
		if (!(number % 4096))
			cond_resched();
		/* Of those that cannot be, none may take the place of one that can. */
		if (may_empty(log, number, victims->most_live))
			consider(log, victims, number);
	}
	spin_lock(&log->lock);
	for (index = 0; index < victims->count; index++) {
		number = victims->numbers[index];
		if (!may_empty(log, number, victims->most_live))
			continue;
		if (kept && streams + log->segments[number].streams > victims->most_streams)
			break;
		streams += log->segments[number].streams;
		log->segments[number].held++;
		log->segments[number].victim = true;
		victims->numbers[kept++] = number;
	}
	victims->count = kept;
	spin_unlock(&log->lock);
}

/* stuck: leave it alone until something there is given up, or pagepress_log_forgive(). */
void pagepress_log_end_victim(struct pagepress_log *log, u32 number, bool stuck)
{
	struct pagepress_segment *segment = &log->segments[number];

	spin_lock(&log->lock);
	segment->held--;
	segment->victim = false;
	set_stuck(log, segment, stuck && segment->live);
	settle(log, number);
	spin_unlock(&log->lock);
}

/* Those that are stuck may be tried again. May sleep; looks without the lock first, as above. */
void pagepress_log_forgive(struct pagepress_log *log)
{
	u32 number;

	for (number = 0; number < log->count; number++) {
		if (!(number % 4096))
			cond_resched();
		if (!log->segments[number].stuck)
			continue;
		spin_lock(&log->lock);
		set_stuck(log, &log->segments[number], false);
		spin_unlock(&log->lock);
	}
}

/* A hint for the collector; address may be no address at all. */
bool pagepress_log_is_victim(const struct pagepress_log *log, u64 address)
{
	return address < (u64)log->count * PAGEPRESS_SEGMENT_BYTES &&
	       log->segments[pagepress_segment_of(address)].victim;
}

/*
 * Whether an extent is being written, of which nobody knows yet what it leaves; *ended: how many
 * have been.
 */
bool pagepress_log_is_written_to(struct pagepress_log *log, u64 *ended)
{
	bool written_to;

	spin_lock(&log->lock);
	written_to = log->taken != log->ended;
	*ended = log->ended;
	spin_unlock(&log->lock);
	return written_to;
}
