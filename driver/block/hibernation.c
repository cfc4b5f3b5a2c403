// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hibernation is refused while a disk is in use, and no disk comes into use during it. What a disk
 * holds lies in memory: an image written to it would be gone with the power, and the kernel takes
 * the first swap it finds for its image.
 */
#include <linux/notifier.h>
#include <linux/suspend.h>

#include "block/block.h"

static int notify(struct notifier_block *block, unsigned long event, void *unused)
{
	if (event == PM_POST_HIBERNATION)
		pagepress_disks_unshut();
	if (event != PM_HIBERNATION_PREPARE || pagepress_disks_shut())
		return NOTIFY_DONE;
	pr_err("hibernation refused: a disk is in use, and an image written to it would be lost with the power; swapoff or unmount it first\n");
	return notifier_from_errno(-EBUSY);
}

static struct notifier_block notifier = { .notifier_call = notify };

int pagepress_hibernation_init(void)
{
	return register_pm_notifier(&notifier);
}

void pagepress_hibernation_exit(void)
{
	unregister_pm_notifier(&notifier);
}
