// SPDX-License-Identifier: GPL-2.0-only
/* The folders below /sys/block/pagepressN/; docs/sysfs-block-pagepress has them file by file. */
#include "observe/observe.h"
#include "observe/sysfs.h"

const struct attribute_group *pagepress_disk_groups[] = {
	&pagepress_zram_group,
	&pagepress_writeback_group,
	&pagepress_recompress_group,
	&pagepress_policy_group,
	&pagepress_origin_group,
	&pagepress_figures_group,
	&pagepress_card_group,
	NULL,
};
