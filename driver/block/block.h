/* SPDX-License-Identifier: GPL-2.0-only */
/* The block layer's side: disks that come and go, and bios. */
#ifndef PAGEPRESS_BLOCK_H
#define PAGEPRESS_BLOCK_H

#include "page/transfer.h"

#define PAGEPRESS_MAX_DISKS		32
#define PAGEPRESS_AGAIN_MS		20 /* between two looks at what must go and is in use */

/* disk.c */
struct pagepress_disk *pagepress_disk_create(int major, int index, u64 size,
					     const struct attribute_group **groups);
int pagepress_disk_remove(struct pagepress_disk *disk);
int pagepress_disk_resize(struct pagepress_disk *disk, u64 size);
int pagepress_disk_set_origin(struct pagepress_disk *disk, const char *path);
int pagepress_disk_set_backing(struct pagepress_disk *disk, const char *path);
int pagepress_disk_reset(struct pagepress_disk *disk);

/* disks.c */
int pagepress_disks_init(unsigned int count, u64 size, const struct attribute_group **groups);
void pagepress_disks_exit(void);
extern bool pagepress_disks_are_shut; /* looked at under a disk's open_mutex */
bool pagepress_disks_shut(void);
void pagepress_disks_unshut(void);

/* hibernation.c */
int pagepress_hibernation_init(void);
void pagepress_hibernation_exit(void);

/* bio.c */
int pagepress_io_init(void);
void pagepress_io_exit(void);
void pagepress_submit_bio(struct bio *bio);
void pagepress_swap_slot_free_notify(struct block_device *bdev, unsigned long slot);

#endif
