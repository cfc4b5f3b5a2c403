/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files below /sys/block/pagepressN/ share. */
#ifndef PAGEPRESS_SYSFS_H
#define PAGEPRESS_SYSFS_H

#include <linux/sysfs.h>

#include "pagepress.h"

/* A file whose value is one of an enumeration: index says which. */
struct pagepress_indexed_attribute {
	struct device_attribute attribute;
	unsigned int index;
};

static inline unsigned int pagepress_attribute_index(struct device_attribute *attribute)
{
	return container_of(attribute, struct pagepress_indexed_attribute, attribute)->index;
}

static inline u64 pagepress_statistic(struct pagepress_disk *disk, enum pagepress_statistic index)
{
	return atomic64_read(&disk->statistics[index]);
}

/* Bytes as people write them, with K, M or G; nothing may follow. Returns 0 or -EINVAL. */
static inline int pagepress_parse_bytes(const char *text, u64 *bytes)
{
	char *end;

	*bytes = memparse(text, &end);
	return end == text || !sysfs_streq(end, "") ? -EINVAL : 0;
}

extern const struct attribute_group pagepress_zram_group;      /* zram_sysfs.c */
extern const struct attribute_group pagepress_writeback_group; /* writeback_sysfs.c */
extern const struct attribute_group pagepress_figures_group;   /* figures_sysfs.c */
extern const struct attribute_group pagepress_card_group;      /* card_sysfs.c */

#endif
