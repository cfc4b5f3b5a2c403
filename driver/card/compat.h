/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels differ in what cards need; as page/compat.h, which is for those who know pages. */
#ifndef PAGEPRESS_CARD_COMPAT_H
#define PAGEPRESS_CARD_COMPAT_H

#include <linux/hrtimer.h>

#include "kernel_features.h"

/* A timer for moments of ktime_get(); `expired` runs in its interrupt. */
static inline void pagepress_timer_setup(struct hrtimer *timer,
					 enum hrtimer_restart (*expired)(struct hrtimer *timer))
{
#ifdef PAGEPRESS_HAS_HRTIMER_SETUP
	hrtimer_setup(timer, expired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = expired;
#endif
}

#endif
