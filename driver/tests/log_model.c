// SPDX-License-Identifier: GPL-2.0-only
/*
 * The accounts of the backing device's log (backing/log.c) against a plain map of its bytes: streams are written in batches and one by
 * one, freed, overwritten and collected at random, with extents of several writers open at once, writes and reads that fail, and streams
 * that cannot be moved. No byte is ever two streams', none is written again while it is one's, and what is free is found.
 *
 * usage: log_model SEED SEGMENTS BLOCK ROUNDS
 * prints how many segments were collected, and how much of the capacity was filled at best and when it was full, in thousandths
 */
#include <stdio.h>

#include "backing/log.c"

#include "model.h"

#define STREAMS	   6000
#define WRITERS	   4
#define MOST_MOVES 4000

struct stream {
	u64 address;
	u32 length;	/* 0: none */
	bool bad;	/* cannot be read back */
};

static struct pagepress_log log_;
static struct stream streams[STREAMS];
static unsigned char *taken;	/* a byte for each of the device: somebody's stream */
static unsigned char *open_;	/* likewise: an extent's that is being written */
static bool stuck_[1000];	/* segments that could not be emptied, and gave up nothing since */
static u32 times_[1000];	/* that somebody took space in a segment */
static struct {
	u32 generation, times;
	bool known;
} seen_[1000];			/* what a segment was when nobody held it */
static u64 used, collected, best, full, unmovable;

/* All bytes of a range are as `was`, and become `now`. */
static void turn(unsigned char *map, u64 address, u32 bytes, unsigned char was, const char *what)
{
	if (bytes && memchr(map + address, !was, bytes))
		wrong(what);
	memset(map + address, !was, bytes);
}

static bool take(u32 least, u32 most, bool collector, struct pagepress_extent *extent)
{
	if (!pagepress_log_take(&log_, least, most, collector, extent))
		return false;
	if (extent->address % log_.block || extent->bytes % log_.block || extent->bytes < least)
		wrong("an extent is not of whole blocks, or too short");
	if (extent->bytes > max(least + log_.block, most))
		wrong("an extent is too long");
	if (pagepress_segment_of(extent->address) != pagepress_segment_of(extent->address + extent->bytes - 1))
		wrong("an extent crosses segments");
	if (log_.segments[pagepress_segment_of(extent->address)].victim)
		wrong("space is taken in a segment that is being emptied");
	if (memchr(taken + extent->address, 1, extent->bytes))
		wrong("space is taken that is a stream's");
	turn(open_, extent->address, extent->bytes, 0, "space is taken twice");
	times_[pagepress_segment_of(extent->address)]++;
	return true;
}

static void trim(struct pagepress_extent *extent, u32 bytes)
{
	struct pagepress_extent whole = *extent;
	u32 index;

	pagepress_log_trim(&log_, extent, bytes);
	for (index = 0; index < PAGEPRESS_RUNS; index++)
		if (log_.runs[index].address % PAGEPRESS_SEGMENT_BYTES + log_.runs[index].bytes > PAGEPRESS_SEGMENT_BYTES)
			wrong("a run crosses segments");
	turn(open_, whole.address + extent->bytes, whole.bytes - extent->bytes, 1, "trimmed space was nobody's");
}

static void end(struct pagepress_extent *extent)
{
	turn(open_, extent->address, extent->bytes, 1, "ended space was nobody's");
	pagepress_log_end(&log_, extent);
}

static void leave(struct stream *stream)
{
	if (!stream->length)
		return;
	turn(taken, stream->address, stream->length, 1, "a stream's bytes were nobody's");
	used -= stream->length;
	stuck_[pagepress_segment_of(stream->address)] = false;
	pagepress_log_release(&log_, stream->address, stream->length);
	stream->length = 0;
}

static void arrive(struct stream *stream, u64 address, u32 length)
{
	pagepress_log_add(&log_, address, length);
	turn(taken, address, length, 0, "a stream lies on another's bytes");
	used += length;
	stream->address = address;
	stream->length = length;
	stream->bad = !below(3000);
}

static u32 some_length(void)
{
	return below(4) ? 20 + below(4077) : PAGE_SIZE;
}

static int by_address(const void *left, const void *right)
{
	const struct stream *one = *(struct stream *const *)left, *other = *(struct stream *const *)right;

	return one->address < other->address ? -1 : one->address > other->address;
}

/* The collector, with what it packs and has not written yet. */
static struct {
	struct pagepress_extent extent;
	struct stream *moves[MOST_MOVES];
	u32 used, count;
} packed;

static bool flush(bool fails)
{
	u64 at = packed.extent.address;
	u32 index;

	trim(&packed.extent, packed.used);
	for (index = 0; !fails && index < packed.count; index++) {
		struct stream *stream = packed.moves[index], old = *stream;

		/* Given up meanwhile, or not. */
		if (!below(20)) {
			leave(stream);
		} else {
			arrive(stream, at, old.length);
			stream->bad = old.bad;
			turn(taken, old.address, old.length, 1, "a moved stream's bytes were nobody's");
			used -= old.length;
			pagepress_log_release(&log_, old.address, old.length);
		}
		at += old.length;
	}
	end(&packed.extent);
	packed.count = 0;
	packed.used = 0;
	packed.extent.bytes = 0;
	return !fails;
}

/* As collector.c does; false when nothing could be gained. */
static bool collect(void)
{
	static struct stream *moves[STREAMS];
	u32 index, count, next, done = 0;
	struct pagepress_victims victims = {
		.most_live = PAGEPRESS_SEGMENT_BYTES / 32 * 31, .most_streams = MOST_MOVES, .most = 16,
	};
	u32 *numbers = victims.numbers;
	bool fails = !below(10), written = true;
	struct pagepress_extent other;

	pagepress_log_find_victims(&log_, &victims);
	for (index = 0; index < victims.count; index++) {
		bool stuck = false;

		if (stuck_[numbers[index]])
			wrong("what cannot be emptied is tried again");
		/* Somebody else's extent, before it is read. */
		if (take(PAGE_SIZE, PAGEPRESS_SEGMENT_BYTES >> below(8), false, &other))
			end(&other);
		for (count = next = 0; next < STREAMS; next++)
			if (streams[next].length && pagepress_segment_of(streams[next].address) == numbers[index]) {
				moves[count++] = &streams[next];
				stuck |= streams[next].bad;
			}
		if (count && log_.segments[numbers[index]].streams != count)
			wrong("streams are miscounted");
		qsort(moves, count, sizeof(*moves), by_address);
		unmovable += stuck;
		for (next = 0; !stuck && written && next < count; next++) {
			if (packed.extent.bytes && packed.used + moves[next]->length > packed.extent.bytes) {
				written = flush(fails && !below(3));
				/* What was packed before is moved: only this one's begin may lie there. */
				for (; written && done < index; done++)
					pagepress_log_end_victim(&log_, numbers[done], false), collected++;
			}
			if (!written)
				break;
			if (!packed.extent.bytes &&
			    !take(moves[next]->length, PAGEPRESS_SEGMENT_BYTES, true, &packed.extent))
				wrong("the collector finds no space");
			packed.moves[packed.count++] = moves[next];
			packed.used += moves[next]->length;
		}
		if (stuck) {
			stuck_[numbers[index]] = true;
			/* Ended by itself, in the place of one that waits for its write. */
			pagepress_log_end_victim(&log_, numbers[index], true);
			memmove(&numbers[index], &numbers[index + 1], (victims.count - index - 1) * sizeof(u32));
			victims.count--;
			index--;
		}
	}
	if (packed.extent.bytes)
		written = flush(fails);
	for (; done < victims.count; done++, collected += written)
		pagepress_log_end_victim(&log_, numbers[done], false);
	return victims.count && written;
}

/* Writes streams into an extent, as many as fit, or one; some are freed before they are there. */
static bool write_some(bool batch, u32 *failed)
{
	u32 length = some_length(), slot, total = 0;
	struct pagepress_extent extent;
	u64 at;

	if (!take(batch ? PAGE_SIZE : length, batch ? PAGEPRESS_SEGMENT_BYTES >> below(3) : length, false, &extent))
		return false;
	*failed = !below(30);
	at = extent.address;
	while (total + length <= extent.bytes) {
		slot = below(STREAMS);
		total += length;
		if (!*failed && below(50)) {
			leave(&streams[slot]);
			arrive(&streams[slot], at, length);
		}
		at += length;
		length = some_length();
		if (!batch || !below(200))
			break;
	}
	trim(&extent, total);
	end(&extent);
	return true;
}

/* Who has read a segment that nobody held is told when somebody takes space there. */
static void look(u32 number)
{
	u64 start = (u64)number * PAGEPRESS_SEGMENT_BYTES;
	struct pagepress_rest rest = pagepress_log_look(&log_, start);

	if (seen_[number].known && rest.generation == seen_[number].generation && times_[number] != seen_[number].times)
		wrong("space was taken of a segment that seems to be as it was");
	seen_[number].known = !rest.held;
	seen_[number].generation = rest.generation;
	seen_[number].times = times_[number];
	if (!rest.held && memchr(open_ + start, 1, PAGEPRESS_SEGMENT_BYTES))
		wrong("a segment is written to that nobody seems to hold");
}

static void check(void)
{
	u32 number, index, free = 0;
	u64 live = 0;

	for (number = 0; number < log_.count; number++) {
		const struct pagepress_segment *segment = &log_.segments[number];

		look(number);
		live += segment->live;
		free += !segment->live && !segment->held;
	}
	if (live != used || log_.live != used)
		wrong("live bytes are miscounted");
	if (free != log_.free)
		wrong("free segments are miscounted");
	for (index = 0; index < PAGEPRESS_RUNS; index++)
		if (log_.runs[index].bytes && (memchr(taken + log_.runs[index].address, 1, log_.runs[index].bytes) ||
					       memchr(open_ + log_.runs[index].address, 1, log_.runs[index].bytes)))
			wrong("a run is not free");
}

/* Until there is no space; then a part leaves, and there is again. */
static void fill(u32 share)
{
	u64 capacity = pagepress_log_capacity(&log_);
	u32 failed = 0, patience = 0, slot;

	while (patience < 20) {
		struct pagepress_extent others[WRITERS];
		u32 count = 0, index;

		/* Others are writing all the while. */
		while (count < WRITERS && !below(3) && take(PAGE_SIZE, PAGE_SIZE << below(4), false, &others[count]))
			count++;
		if (!write_some(below(4), &failed) && !collect())
			patience++;
		if (!below(100))
			collect();
		for (index = 0; index < count; index++)
			if (below(2))
				trim(&others[index], below(2) ? 0 : below(PAGE_SIZE));
		for (index = 0; index < count; index++)
			end(&others[index]);
		best = max(best, used * 1000 / capacity);
		if (!below(50))
			check();
	}
	full += used * 1000 / capacity;
	for (slot = 0; slot < STREAMS; slot++)
		if (streams[slot].bad || below(100) < share)
			leave(&streams[slot]);
}

/* Leftovers on both sides of a border between segments stay two. */
static void keep_borders(void)
{
	struct pagepress_extent first, second, third;

	if (!take(PAGE_SIZE, PAGEPRESS_SEGMENT_BYTES, false, &first) || !take(PAGE_SIZE, PAGE_SIZE, false, &second) ||
	    !take(PAGE_SIZE, PAGE_SIZE, false, &third))
		wrong("a fresh device has no space");
	trim(&second, 0);
	trim(&first, PAGEPRESS_SEGMENT_BYTES - PAGE_SIZE);
	end(&first);
	end(&second);
	end(&third);
	check();
}

int main(int count, char **words)
{
	u64 bytes;
	u32 round, rounds, slot;

	if (count != 5) {
		fprintf(stderr, "usage: log_model SEED SEGMENTS BLOCK ROUNDS\n");
		return 2;
	}
	random_state = strtoull(words[1], NULL, 10);
	bytes = strtoull(words[2], NULL, 10) * PAGEPRESS_SEGMENT_BYTES;
	rounds = strtoul(words[4], NULL, 10);
	assert(bytes / PAGEPRESS_SEGMENT_BYTES <= sizeof(stuck_));
	taken = calloc(1, bytes);
	open_ = calloc(1, bytes);
	assert(taken && open_);
	assert(pagepress_log_create(&log_, PAGEPRESS_SPARE_SEGMENTS * PAGEPRESS_SEGMENT_BYTES, 512) == -ENOSPC);
	assert(!pagepress_log_create(&log_, bytes + 5, strtoul(words[3], NULL, 10)));
	keep_borders();
	for (round = 0; round < rounds; round++) {
		fill(round % 7 ? 1 + below(60) : 100);
		check();
		if (round % 7 == 0 && (used || log_.free != log_.count))
			wrong("when nothing lives, not all is free");
	}
	for (slot = 0; slot < STREAMS; slot++)
		leave(&streams[slot]);
	check();
	if (log_.free != log_.count)
		wrong("when all have left, not all is free");
	pagepress_log_destroy(&log_);
	free(taken);
	free(open_);
	printf("%llu %llu %llu %llu\n", collected, best, full / rounds, unmovable);
	return 0;
}
