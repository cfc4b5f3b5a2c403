/* SPDX-License-Identifier: GPL-2.0-only */
/* What of the files that show the driver is made at load. */
#ifndef PAGEPRESS_OBSERVE_H
#define PAGEPRESS_OBSERVE_H

struct attribute_group;

/* debugfs.c */
void pagepress_debugfs_init(void);
void pagepress_debugfs_exit(void);

/* management_sysfs.c: of a card's PCI device */
extern const struct attribute_group *pagepress_management_groups[];

/* sysfs.c: of a disk */
extern const struct attribute_group *pagepress_disk_groups[];

#endif
