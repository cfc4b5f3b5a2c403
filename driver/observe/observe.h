/* SPDX-License-Identifier: GPL-2.0-only */
/* What of the files that show the driver is made at load. */
#ifndef PAGEPRESS_OBSERVE_H
#define PAGEPRESS_OBSERVE_H

struct attribute_group;

/* debugfs.c */
void pagepress_debugfs_init(void);
void pagepress_debugfs_exit(void);

/* management_sysfs.c, queue_sysfs.c: of a card's device */
extern const struct attribute_group pagepress_management_group;
extern const struct attribute_group *pagepress_device_groups[];
void pagepress_queue_sysfs_init(void);

/* sysfs.c: of a disk */
extern const struct attribute_group *pagepress_disk_groups[];

#endif
