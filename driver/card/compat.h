/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels differ in what cards need; as page/compat.h, which is for those who know pages. */
#ifndef PAGEPRESS_CARD_COMPAT_H
#define PAGEPRESS_CARD_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#include "kernel_features.h"

#ifdef PAGEPRESS_HAS_ERROR_REPORTING
#include <linux/aer.h>
#endif

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

/*
 * Whether the card itself tells the port above of errors (AER), where the kernel leaves that to
 * drivers and the card can. Those that the port finds are reported in any case.
 */
static inline void pagepress_report_errors(struct pci_dev *device, bool report)
{
#ifdef PAGEPRESS_HAS_ERROR_REPORTING
	if (report)
		pci_enable_pcie_error_reporting(device);
	else
		pci_disable_pcie_error_reporting(device);
#endif
}

/* A platform driver's remove(): the one that returns nothing, or that of older kernels. */
#ifdef PAGEPRESS_HAS_PLATFORM_REMOVE_IS_VOID
#define PAGEPRESS_PLATFORM_REMOVE(newer, older)	(newer)
#else
#define PAGEPRESS_PLATFORM_REMOVE(newer, older)	(older)
#endif

#endif
