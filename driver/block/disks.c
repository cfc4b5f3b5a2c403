// SPDX-License-Identifier: GPL-2.0-only
/* All disks: made at load, added and removed while the module is loaded, as zram's are. */
#include <linux/bitmap.h>
#include <linux/blkdev.h>
#include <linux/delay.h>
#include <linux/device.h>
#include <linux/mm.h>
#include <linux/mutex.h>

#include "block/block.h"
#include "page/compat.h"
#include "page/numbers.h"

static int major;
static const struct attribute_group **disk_groups; /* a disk's files in sysfs */
static DEFINE_MUTEX(disks_lock); /* the tables below */
static struct pagepress_disk *disks[PAGEPRESS_MAX_DISKS];
/* Disks that are being removed: by somebody who waits for their devices, not under disks_lock. */
static DECLARE_BITMAP(going, PAGEPRESS_MAX_DISKS);
bool pagepress_disks_are_shut;

/* The lowest free number becomes /dev/pagepressN; the number, or an errno. */
static int add(u64 size)
{
	struct pagepress_disk *disk;
	int index;

	lockdep_assert_held(&disks_lock);
	for (index = 0; index < PAGEPRESS_MAX_DISKS && disks[index]; index++)
		;
	if (index == PAGEPRESS_MAX_DISKS)
		return -ENOSPC;
	disk = pagepress_disk_create(major, index, size, disk_groups);
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disks[index] = disk;
	return index;
}

/* Reading makes a disk of no size and says its number. */
PAGEPRESS_CLASS_SHOW(hot_add)
{
	int index;

	if (mutex_lock_killable(&disks_lock))
		return -EINTR;
	index = add(0);
	mutex_unlock(&disks_lock);
	return index < 0 ? index : sysfs_emit(buffer, "%d\n", index);
}
static struct class_attribute class_attr_hot_add = __ATTR(hot_add, 0400, hot_add_show, NULL);

static int begin_removal(u64 index)
{
	int error = 0;

	if (mutex_lock_killable(&disks_lock))
		return -EINTR;
	if (index >= PAGEPRESS_MAX_DISKS || !disks[index])
		error = -ENODEV;
	else if (__test_and_set_bit(index, going))
		error = -EBUSY;
	mutex_unlock(&disks_lock);
	return error;
}

static void end_removal(unsigned int index, bool removed)
{
	mutex_lock(&disks_lock);
	if (removed)
		disks[index] = NULL;
	__clear_bit(index, going);
	mutex_unlock(&disks_lock);
}

/*
 * Writing a number removes that disk: -ENODEV without it, -EBUSY while it is open or somebody else
 * removes it, -EINTR when killed while its backing device does not answer.
 */
PAGEPRESS_CLASS_STORE(hot_remove)
{
	static const struct pagepress_range any = { 0, U64_MAX };
	u64 index;
	int error = pagepress_parse_number(buffer, &any, &index);

	if (!error)
		error = begin_removal(index);
	if (error)
		return error;
	error = pagepress_disk_remove(disks[index]);
	end_removal(index, !error);
	return error ? error : length;
}
static CLASS_ATTR_WO(hot_remove);

static struct attribute *control_attrs[] = {
	&class_attr_hot_add.attr,
	&class_attr_hot_remove.attr,
	NULL,
};
ATTRIBUTE_GROUPS(control);

static struct class control = {
	.name = PAGEPRESS_NAME "-control",
	.class_groups = control_groups,
};

/* Whoever is just about to open or close it has it in use, too: a close may wait for a device. */
static bool in_use(struct pagepress_disk *disk)
{
	bool open;

	if (!mutex_trylock(&disk->gendisk->open_mutex))
		return true;
	open = disk_openers(disk->gendisk);
	mutex_unlock(&disk->gendisk->open_mutex);
	return open;
}

/*
 * Nobody opens any disk until pagepress_disks_unshut(). False, and they are as before, while
 * somebody has one open (a file system, swap, a program), or adds or removes one. Waits for nobody.
 */
bool pagepress_disks_shut(void)
{
	bool shut;
	unsigned int index;

	if (!mutex_trylock(&disks_lock))
		return false;
	/* Seen by whoever takes an open_mutex after us; whoever had it before us is counted. */
	WRITE_ONCE(pagepress_disks_are_shut, true);
	shut = bitmap_empty(going, PAGEPRESS_MAX_DISKS);
	for (index = 0; shut && index < PAGEPRESS_MAX_DISKS; index++)
		shut = !disks[index] || !in_use(disks[index]);
	WRITE_ONCE(pagepress_disks_are_shut, shut);
	mutex_unlock(&disks_lock);
	return shut;
}

void pagepress_disks_unshut(void)
{
	WRITE_ONCE(pagepress_disks_are_shut, false);
}

/*
 * Openers hold the module, but one that fails to load goes all the same, with all that they call:
 * so it waits for them. At unload there are none, but somebody may just be attaching an origin.
 */
static void destroy(struct pagepress_disk *disk)
{
	bool said = false;

	while (pagepress_disk_remove(disk)) {
		if (!said)
			pr_notice("%s: in use: the driver cannot go before it is closed\n",
				  disk->gendisk->disk_name);
		said = true;
		msleep(PAGEPRESS_AGAIN_MS);
	}
}

static void destroy_all(void)
{
	unsigned int index;

	for (index = 0; index < PAGEPRESS_MAX_DISKS; index++) {
		if (disks[index])
			destroy(disks[index]);
		disks[index] = NULL;
	}
	unregister_blkdev(major, PAGEPRESS_NAME);
}

/* groups: each disk's files in sysfs; they stay. */
int pagepress_disks_init(unsigned int count, u64 size, const struct attribute_group **groups)
{
	int error = 0;

	disk_groups = groups;
	major = register_blkdev(0, PAGEPRESS_NAME);
	if (major < 0)
		return major;
	mutex_lock(&disks_lock);
	while (count-- && error >= 0)
		error = add(size);
	mutex_unlock(&disks_lock);
	if (error >= 0)
		error = class_register(&control);
	if (error < 0)
		destroy_all();
	return error;
}

/* At unload, or when something fails at load: then somebody may have one open already. */
void pagepress_disks_exit(void)
{
	class_unregister(&control);
	destroy_all();
}
