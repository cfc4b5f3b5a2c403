// SPDX-License-Identifier: GPL-2.0-only
/* Files of what is decided by itself; docs/pool-budget.md says how. */
#include <linux/math64.h>

#include "observe/sysfs.h"
#include "policy/policy.h"

static ssize_t pool_budget_show(struct device *device, struct device_attribute *attribute,
				char *buffer)
{
	return sysfs_emit(buffer, "%s\n",
			  READ_ONCE(pagepress_disk_of(device)->policy->automatic) ? "auto" : "off");
}

static ssize_t pool_budget_store(struct device *device, struct device_attribute *attribute,
				 const char *buffer, size_t length)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	bool automatic = sysfs_streq(buffer, "auto");

	if (!automatic && !sysfs_streq(buffer, "off"))
		return -EINVAL;
	if (down_write_killable(&disk->init_lock))
		return -EINTR;
	pagepress_policy_set(disk->policy, automatic);
	up_write(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_RW(pool_budget);

/* Bytes; costs in microseconds, which lie in a sixteenth of a nanosecond there. */
static ssize_t pool_budget_stat_show(struct device *device, struct device_attribute *attribute,
				     char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	struct pagepress_policy *policy = disk->policy;
	const struct pagepress_budget_counts *counts = &policy->counts;
	ssize_t length;

	if (down_read_killable(&disk->init_lock))
		return -EINTR;
	mutex_lock(&policy->lock);
	length = sysfs_emit(buffer, "%8llu %8llu %8llu %8llu %8llu %8llu %8llu %8llu %8llu\n",
			    policy->active ? policy->budget.pages << PAGE_SHIFT : 0,
			    policy->last.best << PAGE_SHIFT, counts->decisions, counts->grown,
			    counts->shrunk, div_u64(policy->last.cost, 16000),
			    div_u64(policy->last.best_cost, 16000), counts->shrinker_calls,
			    counts->shrinker_pages);
	mutex_unlock(&policy->lock);
	up_read(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_RO(pool_budget_stat);

static struct attribute *policy_attributes[] = {
	&dev_attr_pool_budget.attr,
	&dev_attr_pool_budget_stat.attr,
	NULL
};

const struct attribute_group pagepress_policy_group = { .attrs = policy_attributes };
