/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The space of the backing device, as a log of segments: accounts alone, which look at no page and
 * give nothing to the device.
 *
 * Life of a segment. Free, it is opened for whoever needs space, who gets extents of it one after
 * the other, and writes each once. The streams of an extent lie byte by byte behind each other; an
 * extent begins and ends with a logical block, so that nothing that rests there is ever written
 * again. Each stream that is installed counts as live until its slot gives it up. Without live
 * streams, and without an extent that somebody is still writing, the segment is free again at once.
 * One that keeps a few is emptied by the collector (backing/collector.c), for which some free
 * segments are set aside: so it can always move what it found before it gives anything back.
 */
#ifndef PAGEPRESS_LOG_H
#define PAGEPRESS_LOG_H

#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#define PAGEPRESS_SEGMENT_BYTES		SZ_256K
#define PAGEPRESS_SPARE_SEGMENTS	2u /* the collector's alone */
#define PAGEPRESS_VICTIMS		128u /* emptied at a time, at most */
#define PAGEPRESS_RUNS			4 /* opened segments with space left, that are remembered */

struct pagepress_segment {
	u32 live;		/* bytes of its streams */
	u32 next;		/* of a free one: the next */
	u32 generation;		/* another one whenever somebody takes an extent there */
	u16 streams;		/* that live; the shortest stream of a page has some twenty bytes */
	u16 held : 14;		/* extents that are being written, and once by the collector */
	u16 victim : 1;		/* the collector empties it */
	u16 stuck : 1;		/* something there could not be moved when it was tried last */
};

/* Bytes of the device, one after the other, within a segment; both are whole blocks. */
struct pagepress_extent {
	u64 address;
	u32 bytes;		/* 0: none */
};

/* What a segment has, as long as its generation is this one. */
struct pagepress_rest {
	u32 generation;
	u32 live;		/* bytes of its streams */
	bool held;		/* somebody writes there, or the collector empties it */
};

struct pagepress_log {
	spinlock_t lock;	/* all below, but count and block; inside a slot's lock */
	struct pagepress_segment *segments;	/* NULL until there is space */
	u32 count;		/* of segments */
	u32 block;		/* bytes of the device's logical block */
	u32 free, first_free, last_free;	/* segments; freed last, taken last */
	u32 stuck;		/* segments */
	struct pagepress_extent runs[PAGEPRESS_RUNS];
	u64 live;		/* bytes of streams */
	u64 released;		/* bytes given up, ever */
	u64 taken, ended;	/* extents, ever */
};

/* What the collector looks for. */
struct pagepress_victims {
	u32 most_live;		/* bytes: emptying a fuller segment gains too little */
	u32 most_streams;	/* of all together, unless one alone has more */
	unsigned int most;	/* segments */
	unsigned int count;
	u32 numbers[PAGEPRESS_VICTIMS];	/* those with the fewest live bytes first */
};

int pagepress_log_create(struct pagepress_log *log, u64 bytes, u32 block);
void pagepress_log_destroy(struct pagepress_log *log);
bool pagepress_log_take(struct pagepress_log *log, u32 least, u32 most, bool collector,
			struct pagepress_extent *extent);
void pagepress_log_trim(struct pagepress_log *log, struct pagepress_extent *extent, u32 used);
void pagepress_log_end(struct pagepress_log *log, const struct pagepress_extent *extent);
void pagepress_log_add(struct pagepress_log *log, u64 address, u32 length);
void pagepress_log_release(struct pagepress_log *log, u64 address, u32 length);
void pagepress_log_find_victims(struct pagepress_log *log, struct pagepress_victims *victims);
void pagepress_log_end_victim(struct pagepress_log *log, u32 number, bool stuck);
void pagepress_log_forgive(struct pagepress_log *log);
struct pagepress_rest pagepress_log_look(struct pagepress_log *log, u64 address);
bool pagepress_log_is_victim(const struct pagepress_log *log, u64 address);
bool pagepress_log_is_written_to(struct pagepress_log *log, u64 *ended);

static inline u32 pagepress_segment_of(u64 address)
{
	return address / PAGEPRESS_SEGMENT_BYTES;
}

/* A hint: whether there is space for a page of others than the collector. */
static inline bool pagepress_log_has_space(const struct pagepress_log *log)
{
	unsigned int index;

	for (index = 0; index < PAGEPRESS_RUNS; index++)
		if (READ_ONCE(log->runs[index].bytes))
			return true;
	return READ_ONCE(log->free) > PAGEPRESS_SPARE_SEGMENTS;
}

/* Bytes that streams can have while the collector keeps its own. */
static inline u64 pagepress_log_capacity(const struct pagepress_log *log)
{
	return (u64)(log->count - PAGEPRESS_SPARE_SEGMENTS) * PAGEPRESS_SEGMENT_BYTES;
}

#endif
