/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides how much memory a disk's pool may have, and moves nothing itself. */
#ifndef PAGEPRESS_POLICY_H
#define PAGEPRESS_POLICY_H

#include <linux/workqueue.h>

#include "page/disk.h"
#include "policy/pool_budget.h"

/* What was decided since the disk has its size. */
struct pagepress_budget_counts {
	u64 decisions;			/* enough pages were read to judge by */
	u64 grown, shrunk;
	u64 shrinker_calls, shrinker_pages;	/* memory was short while the pool had too much */
};

/* Of one disk. All but the work under init_lock, and what the work changes under lock too. */
struct pagepress_policy {
	struct pagepress_disk *disk;
	struct delayed_work work;	/* looks at it every second */
	bool automatic;			/* outlives what is stored, as mem_limit does */
	struct mutex lock;		/* inside init_lock */
	bool active;			/* it decides: there are pages, and a device */
	struct pagepress_depths depths;
	struct pagepress_pool_budget budget;
	u64 allowed;			/* pages now, on the way to a smaller budget */
	struct pagepress_pool_decision last;
	struct pagepress_budget_counts counts;
	struct shrinker *shrinker;	/* none where memory for it was missing */
	u64 written_back, read_back, file_refaults;	/* counted when it was looked at last */
};

void pagepress_policy_init(struct pagepress_policy *policy, struct pagepress_disk *disk);
void pagepress_policy_destroy(struct pagepress_policy *policy);
void pagepress_policy_set(struct pagepress_policy *policy, bool automatic);
void pagepress_policy_start(struct pagepress_policy *policy);
void pagepress_policy_stop(struct pagepress_policy *policy);
void pagepress_policy_limit(struct pagepress_policy *policy);

#endif
