// SPDX-License-Identifier: GPL-2.0-only
/* Files of the origin and the lookaside image; docs/sysfs.md says what each means. */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "block/block.h"
#include "observe/sysfs.h"
#include "origin/origin.h"
#include "page/compat.h"

static struct pagepress_origin *origin_of(struct device *device)
{
	return pagepress_disk_of(device)->origin;
}

static ssize_t show_path(struct device *device, struct pagepress_source *const *source,
			 char *buffer)
{
	struct pagepress_origin *origin = origin_of(device);
	ssize_t length = pagepress_origin_lock(origin);

	if (length)
		return length;
	/* Without pages an origin was refused, and is not yet let go. */
	length = sysfs_emit(buffer, "%s\n", origin->pages && *source ? (*source)->path : "none");
	mutex_unlock(&origin->attach_lock);
	return length;
}

static ssize_t store_path(struct device *device, const char *buffer, size_t length,
			  int (*set)(struct pagepress_disk *disk, const char *path))
{
	char *path = kstrndup(buffer, length, GFP_KERNEL);
	int error;

	if (!path)
		return -ENOMEM;
	error = set(pagepress_disk_of(device), strim(path));
	kfree(path);
	return error ? error : length;
}

static int set_lookaside(struct pagepress_disk *disk, const char *path)
{
	return strcmp(path, "none") ? pagepress_lookaside_attach(disk->origin, path)
				    : pagepress_lookaside_detach(disk->origin);
}

static ssize_t origin_dev_show(struct device *device, struct device_attribute *attribute,
			       char *buffer)
{
	return show_path(device, &origin_of(device)->source, buffer);
}

static ssize_t origin_dev_store(struct device *device, struct device_attribute *attribute,
				const char *buffer, size_t length)
{
	return store_path(device, buffer, length, pagepress_disk_set_origin);
}
static DEVICE_ATTR_RW(origin_dev);

static ssize_t lookaside_dev_show(struct device *device, struct device_attribute *attribute,
				  char *buffer)
{
	return show_path(device, &origin_of(device)->lookaside, buffer);
}

static ssize_t lookaside_dev_store(struct device *device, struct device_attribute *attribute,
				   const char *buffer, size_t length)
{
	return store_path(device, buffer, length, set_lookaside);
}
static DEVICE_ATTR_RW(lookaside_dev);

static ssize_t origin_root_show(struct device *device, struct device_attribute *attribute,
				char *buffer)
{
	struct pagepress_origin *origin = origin_of(device);
	ssize_t length = pagepress_origin_lock(origin);

	if (length)
		return length;
	length = origin->root_known ? sysfs_emit(buffer, "%*phN\n", PAGEPRESS_IMAGE_HASH,
						 origin->root)
				    : sysfs_emit(buffer, "none\n");
	mutex_unlock(&origin->attach_lock);
	return length;
}

static ssize_t origin_root_store(struct device *device, struct device_attribute *attribute,
				 const char *buffer, size_t length)
{
	struct pagepress_origin *origin = origin_of(device);
	u8 root[PAGEPRESS_IMAGE_HASH] = {};
	bool none = sysfs_streq(buffer, "none");
	int error;

	if (!none && (length < 2 * sizeof(root) || !sysfs_streq(buffer + 2 * sizeof(root), "") ||
		      hex2bin(root, buffer, sizeof(root))))
		return -EINVAL;
	error = pagepress_origin_lock(origin);
	if (error)
		return error;
	/* Of what is attached it is what was believed. */
	if (origin->pages) {
		error = -EBUSY;
	} else {
		memcpy(origin->root, root, sizeof(root));
		origin->root_known = !none;
	}
	mutex_unlock(&origin->attach_lock);
	return error ? error : length;
}
static DEVICE_ATTR_RW(origin_root);

static u64 *timeout_of(struct device *device, struct device_attribute *attribute)
{
	struct pagepress_origin *origin = origin_of(device);

	return strcmp(attribute->attr.name, "origin_timeout_ms") ? &origin->lookaside_timeout_ms
								 : &origin->timeout_ms;
}

static ssize_t timeout_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", READ_ONCE(*timeout_of(device, attribute)));
}

static ssize_t timeout_store(struct device *device, struct device_attribute *attribute,
			     const char *buffer, size_t length)
{
	static const struct pagepress_range range = { 1, PAGEPRESS_LONGEST_TIMEOUT_MS };
	u64 value;
	int error = pagepress_parse_number(buffer, &range, &value);

	if (error)
		return error;
	WRITE_ONCE(*timeout_of(device, attribute), value);
	return length;
}

static struct device_attribute dev_attr_origin_timeout_ms =
	__ATTR(origin_timeout_ms, 0644, timeout_show, timeout_store);
static struct device_attribute dev_attr_lookaside_timeout_ms =
	__ATTR(lookaside_timeout_ms, 0644, timeout_show, timeout_store);

static ssize_t lookaside_state_show(struct device *device, struct device_attribute *attribute,
				    char *buffer)
{
	struct pagepress_origin *origin = origin_of(device);
	const char *state = "none";

	spin_lock_irq(&origin->lock);
	if (origin->lookaside_used)
		state = "used";
	else if (origin->lookaside_faults >= PAGEPRESS_MOST_LOOKASIDE_FAULTS)
		state = "given_up";
	else if (origin->lookaside)
		state = "unused";
	spin_unlock_irq(&origin->lock);
	return sysfs_emit(buffer, "%s\n", state);
}
static DEVICE_ATTR_RO(lookaside_state);

static ssize_t lookaside_contents_show(struct device *device, struct device_attribute *attribute,
				       char *buffer)
{
	return sysfs_emit(buffer, "%lu\n", READ_ONCE(origin_of(device)->lookaside_contents));
}
static DEVICE_ATTR_RO(lookaside_contents);

static struct attribute *origin_attributes[] = {
	&dev_attr_origin_dev.attr,
	&dev_attr_origin_root.attr,
	&dev_attr_origin_timeout_ms.attr,
	&dev_attr_lookaside_dev.attr,
	&dev_attr_lookaside_timeout_ms.attr,
	&dev_attr_lookaside_state.attr,
	&dev_attr_lookaside_contents.attr,
	NULL
};

const struct attribute_group pagepress_origin_group = { .attrs = origin_attributes };
