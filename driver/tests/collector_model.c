// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own collector (backing/collector.c) and log on a device in memory that fails to read, to write, and returns other bytes
 * than it was given: slots are written and given up while it works. Whatever it does, each slot finds its own bytes where it says that
 * they rest, unless the device itself has changed them; and what nobody needs comes free. Several writers wait for space of a device that
 * takes its time: none waits for what does not come, and none is refused while a segment, once all that is being written has ended, would
 * be worth emptying.
 *
 * usage: collector_model SEED SEGMENTS ROUNDS
 * prints how many segments were emptied, pages moved, faults met, the most of the capacity that was filled, in thousandths, how often
 * somebody waited, and was refused while the device was well
 */
#include <stdio.h>
#include <sys/types.h>
#include <linux/types.h>

/* ---- what the two files take from the kernel beside arithmetic ---- */

#include "backing_model.h"

#define SECTOR_SIZE (1u << SECTOR_SHIFT)
#define U64_MAX (~0ull)
#define HZ 250
#define WQ_MEM_RECLAIM 0
#define WQ_UNBOUND 0
#define static_assert _Static_assert
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define kvmalloc_array(count, bytes, flags) malloc((count) * (bytes))
#define pr_err_ratelimited(...) do { if (0) printf(__VA_ARGS__); } while (0)
#define memalloc_noreclaim_save() 0u
#define memalloc_noreclaim_restore(flags) ((void)(flags))
#define init_waitqueue_head(queue) ((void)(queue))
#define wake_up_all(queue) ((void)(queue), told())
#define atomic_long_inc(number) (++*(number))
#define atomic_long_read(number) (*(number))
#define INIT_WORK(work, function) ((void)(function))
#define alloc_workqueue(...) ((void *)1)
#define destroy_workqueue(queue) ((void)(queue))
#define queue_work(queue, work) (wanted = true)
#define wait_event_interruptible(queue, what) ({ while (!(what)) go_on(); 0; })
#define cancel_work_sync(work) ((void)(work))
#define time_in_range_open(now, from, to) ((now) >= (from) && (now) < (to))
#define sort(base, count, bytes, compare, swap) qsort(base, count, bytes, compare)

struct gendisk { char disk_name[8]; };

static bool wanted;
static unsigned long jiffies = 1000;
static void go_on(void);
static void told(void);

#include "backing/log.c"
#include "backing/collector.c"

#include "model.h"

#define SLOTS	1500
#define WRITERS 5

struct plain {
	u64 address;
	u32 length;	/* 0: nothing rests there */
	u32 crc;
	bool lost;	/* the device has changed its bytes */
};

static struct plain slots[SLOTS];
static unsigned char *device;
static struct pagepress_disk disk;
static struct pagepress_store store;
static struct gendisk gendisk;
static struct pagepress_backing *backing;
static u64 best;
static u32 failing;	/* one in so many; 0: none */
static u64 faults;
static bool refused;	/* by writeback_limit */
static bool alone;	/* nobody else does anything */
static u32 resumed;	/* times that page I/Os were given back */
static u64 waits, refusals;

/* One page at a time: it waits for space, or the device takes it. */
static struct {
	struct pagepress_extent extent;	/* 0 bytes: none */
	u32 slot, length;
	bool waiting;
} writers[WRITERS];

static bool fails(void)
{
	bool now = failing && !below(failing);

	faults += now;
	return now;
}

/* A stream's bytes follow from its check sum. */
static void make(unsigned char *data, u32 length, u32 crc)
{
	u32 at;

	for (at = 0; at < length; at++)
		data[at] = (crc >> at % 4 * 8) + at / 4;
}

static bool holds(const void *data, u32 length, u32 crc)
{
	static unsigned char want[PAGE_SIZE];

	make(want, length, crc);
	return !memcmp(data, want, length);
}

static bool intact(const void *data, const struct pagepress_content *content)
{
	return holds(data, content->length, content->crc);
}

static void give_up(u32 slot)
{
	if (slots[slot].length)
		pagepress_log_release(&backing->log, slots[slot].address, slots[slot].length);
	slots[slot].length = 0;
}

static void install(u32 slot, u64 address, u32 length)
{
	u32 crc = below(U32_MAX);

	give_up(slot);
	make(device + address, length, crc);
	pagepress_log_add(&backing->log, address, length);
	slots[slot] = (struct plain){ .address = address, .length = length, .crc = crc };
}

/* ---- writers of a page each ---- */

/* Nothing that could be had: else somebody was told so too early. */
static void refuse(void)
{
	const struct pagepress_log *log = &backing->log;
	u64 bound = pagepress_log_capacity(log) / 32 * 31 - max(pagepress_log_capacity(log) / 1024, 2 * PAGE_SIZE);
	u32 index;

	if (log->stuck || (backing->collector.resting <= jiffies && jiffies < backing->collector.resting + REST))
		return;
	for (index = 0; index < WRITERS; index++)
		if (writers[index].extent.bytes)
			wrong("a page is refused though others are still being written");
	if (log->live <= bound)
		wrong("a page is refused though emptying segments gives space");
	refusals++;
}

/* As page_io.c does. */
static void try(u32 index)
{
	u32 bytes = round_up(writers[index].length, backing->log.block);

	writers[index].waiting = true;
	if (pagepress_log_take(&backing->log, bytes, bytes, false, &writers[index].extent)) {
		writers[index].waiting = false;
		/* Nothing that rests may be there. */
		memset(device + writers[index].extent.address, 0xdb, bytes);
	} else if (!pagepress_collector_kick(backing)) {
		writers[index].waiting = false;
		refuse();
	}
}

static void begin(u32 index)
{
	if (alone || writers[index].waiting || writers[index].extent.bytes)
		return;
	writers[index].slot = below(SLOTS);
	writers[index].length = below(4) ? 20 + below(4077) : PAGE_SIZE;
	try(index);
	waits += writers[index].waiting;
}

/* The device has taken the page, or not; something newer may have its slot. */
static void end(u32 index)
{
	struct pagepress_extent extent = writers[index].extent;

	if (!extent.bytes)
		return;
	if (below(20))
		install(writers[index].slot, extent.address, writers[index].length);
	writers[index].extent.bytes = 0;
	pagepress_collector_extent_ended(backing, &extent);
}

/* Whoever waits tries again, now or when this has been told. */
static void told(void)
{
	u32 index;

	for (index = 0; index < WRITERS; index++)
		if (writers[index].waiting)
			try(index);
}

static bool anybody(bool waits_for_space)
{
	u32 index;

	for (index = 0; index < WRITERS; index++)
		if (waits_for_space ? writers[index].waiting : writers[index].extent.bytes)
			return true;
	return false;
}

static void run_collector(void);

/* While somebody waits: the collector works, or the device ends what it was given. */
static void go_on(void)
{
	if (wanted && (below(3) || !anybody(false)))
		run_collector();
	else if (anybody(false))
		end(below(WRITERS));
	else
		wrong("somebody waits for what does not come");
}

static void write_slots(bool batch)
{
	struct pagepress_extent extent;
	u32 length = 20 + below(4077), used = 0, index;
	u64 address;

	for (index = below(2 * WRITERS); index < WRITERS; index++)
		begin(index);
	while (!pagepress_log_take(&backing->log, PAGE_SIZE, batch ? PAGEPRESS_SEGMENT_BYTES : PAGE_SIZE, false, &extent)) {
		waits++;
		if (pagepress_collector_wait(backing)) {
			refuse();
			return;
		}
	}
	for (address = extent.address; used + length <= extent.bytes; used += length, address += length, length = 20 + below(4077)) {
		install(below(SLOTS), address, length);
		if (!batch && used)
			break;
	}
	pagepress_log_trim(&backing->log, &extent, used + length > extent.bytes ? used : used + length);
	pagepress_collector_extent_ended(backing, &extent);
	for (index = 0; index < WRITERS; index++)
		if (!below(3))
			end(index);
	/* By and by all that waits has got on. */
	while (!below(8) && anybody(true))
		go_on();
}

/* Others go on at any moment: they give up, and take what comes free. */
static void others(void)
{
	u32 count = below(4), index;

	if (alone)
		return;
	while (count--)
		give_up(below(SLOTS));
	for (index = 0; index < WRITERS; index++)
		if (!below(6))
			end(index);
		else if (!below(6))
			begin(index);
	if (below(2)) {
		struct pagepress_extent extent;

		if (pagepress_log_take(&backing->log, PAGE_SIZE, PAGEPRESS_SEGMENT_BYTES, false, &extent)) {
			const struct pagepress_collector *collector = &backing->collector;
			u32 slot = collector->count ? collector->moves[below(collector->count)].slot : below(SLOTS);

			/* Scribbled over: nothing that rests may be there. And a slot is overwritten. */
			memset(device + extent.address, 0xdb, extent.bytes);
			install(slot, extent.address, 20 + below(4077));
			pagepress_collector_extent_ended(backing, &extent);
		}
	}
}

static void check(void)
{
	u32 slot;
	u64 live = 0;

	for (slot = 0; slot < SLOTS; slot++) {
		live += slots[slot].length;
		if (slots[slot].length && !slots[slot].lost &&
		    !holds(device + slots[slot].address, slots[slot].length, slots[slot].crc))
			wrong("a slot's bytes are not its own");
	}
	if (live != backing->log.live)
		wrong("live bytes are miscounted");
	best = max(best, live * 1000 / pagepress_log_capacity(&backing->log));
}

static void run_collector(void)
{
	u32 number, lost;
	u64 before, complaints, searches;
	bool has_space;
	long turns;

	while (wanted) {
		wanted = false;
		for (number = 0, lost = 0; number < SLOTS; number++)
			lost += slots[number].length && slots[number].lost;
		before = faults;
		resumed = 0;
		turns = backing->collector.turns;
		searches = atomic64_read(&disk.statistics[PAGEPRESS_BACKING_SEARCHES]);
		has_space = pagepress_log_has_space(&backing->log);
		complaints = atomic64_read(&disk.statistics[PAGEPRESS_BACKING_ERRORS]);
		run(&backing->collector.work);
		check();
		if (!resumed || backing->collector.turns == turns)
			wrong("whoever waits is not told");
		if (has_space && (u64)atomic64_read(&disk.statistics[PAGEPRESS_BACKING_SEARCHES]) != searches)
			wrong("it searches though there is space");
		if (faults == before && !lost && (u64)atomic64_read(&disk.statistics[PAGEPRESS_BACKING_ERRORS]) != complaints)
			wrong("it complains of a device that is well");
		if (backing->log.free < PAGEPRESS_SPARE_SEGMENTS)
			wrong("what is set aside is gone");
		for (number = 0; number < backing->log.count; number++)
			if (backing->log.segments[number].victim)
				wrong("a segment is still held");
	}
}

/* The device fails all reads while its space runs out, then is well: all of it is to be had again, though nobody gives anything up. */
static void fail_for_a_while(void)
{
	u32 slot, full, turns = 0;

	alone = true;
	for (full = 0; full < 3; full += !pagepress_log_has_space(&backing->log))
		write_slots(true);
	for (slot = 0; slot < SLOTS; slot += 2)
		give_up(slot);
	failing = 1;
	while (!pagepress_log_has_space(&backing->log) && pagepress_collector_kick(backing)) {
		run_collector();
		if (turns++ > backing->log.count)
			wrong("a device that fails is read without rest");
	}
	failing = 0;
	if (!backing->log.stuck)
		wrong("no segment was found that cannot be read");
	if (!pagepress_log_has_space(&backing->log)) {
		jiffies += 11 * HZ;
		if (!pagepress_collector_kick(backing))
			wrong("a fault that has passed is not forgiven");
		while (!pagepress_log_has_space(&backing->log) && pagepress_collector_kick(backing))
			run_collector();
		if (!pagepress_log_has_space(&backing->log))
			wrong("a fault that has passed costs space for ever");
	}
	alone = false;
}

/* ---- what they call ---- */

int pagepress_buffer_create(struct pagepress_buffer *buffer)
{
	buffer->data = malloc(PAGEPRESS_SEGMENT_BYTES);
	return 0;
}

void pagepress_buffer_destroy(struct pagepress_buffer *buffer)
{
	free(buffer->data);
}

int pagepress_buffer_write(struct pagepress_backing *to, struct pagepress_buffer *buffer, const struct pagepress_extent *extent, u32 used)
{
	u32 part = fails() ? below(used) : used;

	(void)to;
	if (refused)
		wrong("what writeback_limit does not allow is written");
	memcpy(device + extent->address, buffer->data, part);
	others();
	return part == used ? 0 : -EIO;
}

/* Failing it also changes a byte on its way, or for ever. */
int pagepress_buffer_read(struct pagepress_backing *from, struct pagepress_buffer *buffer, u64 address)
{
	u32 slot;

	(void)from;
	others();
	if (fails())
		return -EIO;
	if (fails()) {
		slot = below(SLOTS);
		if (slots[slot].length && !slots[slot].lost) {
			device[slots[slot].address] ^= 1;
			slots[slot].lost = true;
		}
	}
	memcpy(buffer->data, device + address, PAGEPRESS_SEGMENT_BYTES);
	if (fails())
		memset(buffer->data + below(PAGEPRESS_SEGMENT_BYTES - 512), 0x11, 512);
	others();
	return 0;
}

unsigned long pagepress_store_next(struct pagepress_store *of, unsigned long slot)
{
	return min(slot, of->slot_count);
}

bool pagepress_store_peek_address(struct pagepress_store *of, unsigned long slot, u64 *address)
{
	(void)of;
	*address = slots[slot].length ? slots[slot].address : below(U32_MAX) * 97ull;
	return slots[slot].length || !below(20); /* a hint */
}

bool pagepress_store_rests(struct pagepress_store *of, unsigned long slot, struct pagepress_content *content)
{
	(void)of;
	content->address = slots[slot].address;
	content->length = slots[slot].length;
	content->crc = slots[slot].crc;
	return content->length;
}

bool pagepress_store_move_backed(struct pagepress_store *of, unsigned long slot, const struct pagepress_content *content, u64 to)
{
	u64 old = slots[slot].address;

	(void)of;
	if (!slots[slot].length || old != content->address || slots[slot].length != content->length || slots[slot].crc != content->crc)
		return false;
	slots[slot].address = to;
	pagepress_log_release(&backing->log, old, slots[slot].length);
	return true;
}

bool pagepress_backing_spend(struct pagepress_backing *of, unsigned int sectors)
{
	(void)of;
	(void)sectors;
	refused = fails();
	return !refused;
}

void pagepress_page_io_resume(struct pagepress_backing *of)
{
	(void)of;
	resumed++;
}

int main(int count, char **words)
{
	static const struct pagepress_backing_operations operations = { .intact = intact };
	u32 round, rounds, slot;
	u64 bytes;

	if (count != 4) {
		fprintf(stderr, "usage: collector_model SEED SEGMENTS ROUNDS\n");
		return 2;
	}
	random_state = strtoull(words[1], NULL, 10);
	bytes = strtoull(words[2], NULL, 10) * PAGEPRESS_SEGMENT_BYTES;
	rounds = strtoul(words[3], NULL, 10);
	device = calloc(1, bytes);
	backing = calloc(1, sizeof(*backing));
	backing->disk = &disk;
	backing->operations = &operations;
	disk.store = &store;
	disk.gendisk = &gendisk;
	store.slot_count = SLOTS;
	assert(!pagepress_log_create(&backing->log, bytes, 512) && !pagepress_collector_create(backing));
	backing->collector.capacity = SLOTS;
	backing->collector.moves = kvmalloc_array(SLOTS, sizeof(*backing->collector.moves), GFP_KERNEL);
	assert(backing->collector.moves);
	pagepress_collector_start(backing);
	fail_for_a_while();
	for (round = 0; round < rounds; round++) {
		/* The device is well at first. */
		failing = round < rounds / 3 || round % 2 ? 0 : 5 + below(100);
		jiffies += below(2 * HZ);
		write_slots(below(4));
		if (!below(100)) {
			u32 share = 1 + below(3);

			for (slot = 0; slot < SLOTS; slot++)
				if (slots[slot].lost || !below(share))
					give_up(slot);
			/* Somebody still asks for what has come free. */
			if (pagepress_collector_kick(backing))
				run_collector();
		}
	}
	while (anybody(true) || anybody(false))
		go_on();
	check();
	for (slot = 0; slot < SLOTS; slot++)
		give_up(slot);
	if (backing->log.free != backing->log.count)
		wrong("when all have left, not all is free");
	printf("%llu %llu %llu %llu %llu %llu\n", (u64)atomic64_read(&disk.statistics[PAGEPRESS_COLLECTED_SEGMENTS]),
	       (u64)atomic64_read(&disk.statistics[PAGEPRESS_COLLECTED_PAGES]), faults, best, waits, refusals);
	pagepress_collector_stop(backing);
	pagepress_collector_destroy(backing);
	pagepress_log_destroy(&backing->log);
	free(backing);
	free(device);
	return 0;
}
