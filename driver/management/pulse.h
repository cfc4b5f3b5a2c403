/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a card's heartbeat says of its firmware, and how long it is waited for. Restarts nothing;
 * knows neither window nor log.
 *
 * Time is the card's own, as UPTIME has it, so that a card that is slow, as a simulated one beside
 * its own pages, gets as much of it as any other. Of the host's there is a limit as well, and a
 * card whose time stands is not waited for.
 */
#ifndef PAGEPRESS_PULSE_H
#define PAGEPRESS_PULSE_H

#include <linux/types.h>

/* What one look at the window finds. */
struct pagepress_sign {
	u32 stage;
	u32 heartbeat;
	u32 uptime;		/* milliseconds */
};

struct pagepress_moment {
	unsigned long host;	/* jiffies */
	u32 card;		/* UPTIME */
};

struct pagepress_pulse {
	struct pagepress_sign last;
	struct pagepress_moment beaten;	/* the heartbeat moved, or a boot began or ended */
	struct pagepress_moment booted;	/* the last boot began ... */
	u32 booted_at_beat;		/* ... and HEARTBEAT then */
	unsigned long ticked;		/* jiffies: the card's own time moved, or a boot began */
	bool steady;			/* it has beaten, and since then was neither overdue ... */
	unsigned long steady_since;	/* ... nor booted; jiffies */
};

enum pagepress_verdict {
	PAGEPRESS_PULSE_BEATS,
	PAGEPRESS_PULSE_BOOTS,		/* by itself: since this look */
	PAGEPRESS_PULSE_AWAITED,	/* nothing is due yet */
	PAGEPRESS_PULSE_OVERDUE,
};

/* Nothing is known of what was before. */
void pagepress_pulse_begin(struct pagepress_pulse *pulse, const struct pagepress_sign *sign,
			   unsigned long now);
/* It has just been booted. */
void pagepress_pulse_boot(struct pagepress_pulse *pulse, u32 uptime, u32 heartbeat,
			  unsigned long now);
/* It has beaten for a minute without a gap. */
bool pagepress_pulse_is_well(const struct pagepress_pulse *pulse, unsigned long now);
enum pagepress_verdict pagepress_pulse_look(struct pagepress_pulse *pulse,
					    const struct pagepress_sign *sign, unsigned long now);

#endif
