// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who decompresses a page that is read: the only place that decides it. Batches go to a card. A
 * page that a task waits for goes to whoever has lately been faster at this. The slower one is
 * tried now and then, for one read in 32 at most and a thirty-second of the time at most.
 */
#include <linux/ktime.h>

#include "path/path.h"

#define SELDOM 32 /* of reads, and of time, what probes may take as a divisor */
#define WEIGHT 8 /* a measurement's part in the average, as a divisor */

unsigned int pagepress_read_path = PAGEPRESS_READ_AUTO;

/*
 * What all disks and cards share. Written without a lock: what gets lost between two CPUs is one
 * measurement, or one probe more or less.
 */
static u64 average[2]; /* nanoseconds, by who: false this CPU, true a card; 0: never measured */
static u64 next_probe; /* ktime_get_ns() */
static unsigned int since_probe; /* reads */

u64 pagepress_read_policy_average(bool card)
{
	return READ_ONCE(average[card]);
}

/*
 * A stream that a task waited for was decompressed, or a card failed to, after so long. The slower
 * one is measured seldom: what is known of it is old, and the new measurement stands for itself.
 */
void pagepress_read_policy_measured(struct pagepress_disk *disk, bool card, u64 nanoseconds)
{
	u64 before = READ_ONCE(average[card]), other = READ_ONCE(average[!card]);

	pagepress_count(disk, card ? PAGEPRESS_SINGLE_READS_BY_CARD
				   : PAGEPRESS_SINGLE_READS_BY_CPU);
	if (before && (!other || before <= other))
		nanoseconds = before - before / WEIGHT + nanoseconds / WEIGHT;
	WRITE_ONCE(average[card], max_t(u64, nanoseconds, 1));
}

static bool card_is_next(struct pagepress_disk *disk)
{
	u64 card = READ_ONCE(average[true]), cpu = READ_ONCE(average[false]), now;
	bool faster = card <= cpu;

	WRITE_ONCE(since_probe, READ_ONCE(since_probe) + 1);
	if (READ_ONCE(since_probe) < SELDOM)
		return faster;
	now = ktime_get_ns();
	if (now < READ_ONCE(next_probe))
		return faster;
	WRITE_ONCE(since_probe, 0);
	WRITE_ONCE(next_probe, now + max(card, cpu) * SELDOM);
	pagepress_count(disk, PAGEPRESS_SINGLE_READ_PROBES);
	return !faster;
}

/* Whether a card is to be asked for a page of this bio. */
bool pagepress_read_policy_card(const struct pagepress_io *io)
{
	switch (READ_ONCE(pagepress_read_path)) {
	case PAGEPRESS_READ_CARD:
		return true;
	case PAGEPRESS_READ_CPU:
		return false;
	default:
		return !io->waited_for || card_is_next(io->disk);
	}
}
