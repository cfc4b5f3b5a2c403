// SPDX-License-Identifier: GPL-2.0-only
#include <linux/jiffies.h>

#include "management/pulse.h"
#include "pagepress_management.h"

/* Milliseconds of the card's own time, and how long of the host's whatever the card says. */
#define SILENT_AFTER 1500 /* it beats a hundred times a second */
#define SILENT_AT_MOST (60 * HZ)
#define BOOTED_AFTER 10000 /* a slow core checks a signature for half a second */
#define BOOT_AT_MOST (300 * HZ)
#define STANDS_AFTER (10 * HZ) /* the card's own time does not move */
#define WELL_AFTER (60 * HZ) /* of beating */

static struct pagepress_moment moment(u32 uptime, unsigned long now)
{
	return (struct pagepress_moment){ .host = now, .card = uptime };
}

void pagepress_pulse_boot(struct pagepress_pulse *pulse, u32 uptime, u32 heartbeat,
			  unsigned long now)
{
	/* What it did since the last look was before. */
	pulse->last.heartbeat = heartbeat;
	pulse->last.uptime = uptime;
	pulse->beaten = moment(uptime, now);
	pulse->booted = moment(uptime, now);
	pulse->booted_at_beat = heartbeat;
	pulse->ticked = now;
	pulse->steady = false;
}

void pagepress_pulse_begin(struct pagepress_pulse *pulse, const struct pagepress_sign *sign,
			   unsigned long now)
{
	pulse->last = *sign;
	pagepress_pulse_boot(pulse, sign->uptime, sign->heartbeat, now);
}

static bool passed(const struct pagepress_moment *since, u32 uptime, s32 milliseconds,
		   unsigned long now, unsigned long at_most)
{
	return (s32)(uptime - since->card) >= milliseconds ||
	       time_after_eq(now, since->host + at_most);
}

/* A beat, or the end of a boot. */
static bool overdue(const struct pagepress_pulse *pulse, unsigned long now)
{
	const struct pagepress_sign *sign = &pulse->last;

	if (sign->stage == PAGEPRESS_STAGE_FAILED ||
	    time_after_eq(now, pulse->ticked + STANDS_AFTER))
		return true;
	if (sign->stage == PAGEPRESS_STAGE_RUNNING)
		return passed(&pulse->beaten, sign->uptime, SILENT_AFTER, now, SILENT_AT_MOST);
	return passed(&pulse->booted, sign->uptime, BOOTED_AFTER, now, BOOT_AT_MOST);
}

enum pagepress_verdict pagepress_pulse_look(struct pagepress_pulse *pulse,
					    const struct pagepress_sign *sign, unsigned long now)
{
	struct pagepress_sign before = pulse->last;

	pulse->last = *sign;
	if (sign->uptime != before.uptime)
		pulse->ticked = now;
	if (sign->stage == PAGEPRESS_STAGE_RUNNING && sign->heartbeat != before.heartbeat) {
		pulse->beaten = moment(sign->uptime, now);
		if (!pulse->steady)
			pulse->steady_since = now;
		pulse->steady = true;
		return PAGEPRESS_PULSE_BEATS;
	}
	/*
	 * It boots anew, by its own watchdog or because it was asked to. One that has not beaten
	 * since the boot before has its time already.
	 */
	if (before.stage == PAGEPRESS_STAGE_RUNNING && sign->stage < PAGEPRESS_STAGE_RUNNING &&
	    sign->heartbeat != pulse->booted_at_beat) {
		pagepress_pulse_boot(pulse, sign->uptime, sign->heartbeat, now);
		return PAGEPRESS_PULSE_BOOTS;
	}
	/* The boot is over, however long it took; the first beat is due. */
	if (before.stage < PAGEPRESS_STAGE_RUNNING && sign->stage == PAGEPRESS_STAGE_RUNNING)
		pulse->beaten = moment(sign->uptime, now);
	if (!overdue(pulse, now))
		return PAGEPRESS_PULSE_AWAITED;
	pulse->steady = false;
	return PAGEPRESS_PULSE_OVERDUE;
}

bool pagepress_pulse_is_well(const struct pagepress_pulse *pulse, unsigned long now)
{
	return pulse->steady && time_after_eq(now, pulse->steady_since + WELL_AFTER);
}
