/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files below /sys/block/pagepressN/ share. A write-back holds init_lock while its device
 * answers, perhaps for ever: they take it so that who waits for it can be killed.
 */
#ifndef PAGEPRESS_SYSFS_H
#define PAGEPRESS_SYSFS_H

#include <linux/sysfs.h>

#include "page/disk.h"
#include "page/numbers.h"

/* A file whose value is one of an enumeration: index says which. */
struct pagepress_indexed_attribute {
	struct device_attribute attribute;
	unsigned int index;
};

static inline unsigned int pagepress_attribute_index(struct device_attribute *attribute)
{
	return container_of(attribute, struct pagepress_indexed_attribute, attribute)->index;
}

static inline struct pagepress_disk *pagepress_disk_of(struct device *device)
{
	return dev_to_disk(device)->private_data;
}

static inline u64 pagepress_statistic(struct pagepress_disk *disk, enum pagepress_statistic index)
{
	return atomic64_read(&disk->statistics[index]);
}

extern const struct attribute_group pagepress_zram_group;      /* zram_sysfs.c */
extern const struct attribute_group pagepress_writeback_group; /* writeback_sysfs.c */
extern const struct attribute_group pagepress_recompress_group; /* recompress_sysfs.c */
extern const struct attribute_group pagepress_policy_group;    /* policy_sysfs.c */
extern const struct attribute_group pagepress_origin_group;    /* origin_sysfs.c */
extern const struct attribute_group pagepress_figures_group;   /* figures_sysfs.c */
extern const struct attribute_group pagepress_card_group;      /* card_sysfs.c */

#endif
