// SPDX-License-Identifier: GPL-2.0-only
/* Files of the backing device, with zram's names; docs/sysfs.md says what each means. */
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "backing/backing.h"
#include "backing/pressure.h"
#include "block/block.h"
#include "observe/sysfs.h"

/* The unit of zram's figures, whatever a page is here. */
#define SECTORS_PER_4K 8

static struct pagepress_writeback *writeback_of(struct device *device)
{
	return pagepress_disk_of(device)->writeback;
}

/* A u64 of struct pagepress_writeback that is set at any time. */
struct setting {
	struct device_attribute attribute;
	size_t offset;
	struct pagepress_range range;
};

static struct setting *setting_of(struct device_attribute *attribute)
{
	return container_of(attribute, struct setting, attribute);
}

static ssize_t setting_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	u64 *place = (void *)writeback_of(device) + setting_of(attribute)->offset;

	return sysfs_emit(buffer, "%llu\n", READ_ONCE(*place));
}

static ssize_t setting_store(struct device *device, struct device_attribute *attribute,
			     const char *buffer, size_t length)
{
	u64 *place = (void *)writeback_of(device) + setting_of(attribute)->offset;
	u64 value;
	int error = pagepress_parse_number(buffer, &setting_of(attribute)->range, &value);

	if (error)
		return error;
	WRITE_ONCE(*place, value);
	pagepress_writeback_kick(pagepress_disk_of(device));
	return length;
}

#define SETTING(file, member, ...) \
static struct setting setting_##file = { \
	.attribute = __ATTR(file, 0644, setting_show, setting_store), \
	.offset = offsetof(struct pagepress_writeback, member), \
	.range = { 0, __VA_ARGS__ }, \
}

SETTING(writeback_limit_enable, limit_enable, 1);
/* By itself: names of our own. */
SETTING(writeback_age, age, PAGEPRESS_MOST_AGE_SECONDS);
SETTING(writeback_rate, rate, S32_MAX * 1024ull, .bytes = true);
SETTING(clean_percent, clean_percent, PAGEPRESS_MOST_CLEAN_PERCENT);

static ssize_t backing_dev_show(struct device *device, struct device_attribute *attribute,
				char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	ssize_t length;

	if (down_read_killable(&disk->init_lock))
		return -EINTR;
	length = sysfs_emit(buffer, "%s\n", disk->backing ? disk->backing->path : "none");
	up_read(&disk->init_lock);
	return length;
}

static ssize_t backing_dev_store(struct device *device, struct device_attribute *attribute,
				 const char *buffer, size_t length)
{
	char *path = kstrndup(buffer, length, GFP_KERNEL);
	int error;

	if (!path)
		return -ENOMEM;
	error = pagepress_disk_set_backing(pagepress_disk_of(device), strim(path));
	kfree(path);
	return error ? error : length;
}
static DEVICE_ATTR_RW(backing_dev);

/* Slots FIRST or FIRST-LAST. */
static int parse_range(char *word, struct pagepress_selection *selection)
{
	/* One more, the end, must not be ULONG_MAX: that selects all there are. */
	static const struct pagepress_range slots = { 0, ULONG_MAX - 2 };
	char *rest = word, *one = strsep(&rest, "-");
	u64 first, last;
	int error = pagepress_parse_number(one, &slots, &first);

	if (!error)
		error = pagepress_parse_number(rest ? rest : one, &slots, &last);
	if (error)
		return error;
	if (last < first)
		return -EINVAL;
	selection->first = first;
	selection->end = last + 1;
	return 0;
}

/* idle, huge, huge_idle, incompressible, type=one of them, page_index=N, page_indexes=N-M. */
static int parse_selection(char *word, struct pagepress_selection *selection)
{
	char *value = strchr(word, '=');

	*selection = (struct pagepress_selection){ .end = ULONG_MAX };
	if (str_has_prefix(word, "page_index=") || str_has_prefix(word, "page_indexes="))
		return parse_range(value + 1, selection);
	if (str_has_prefix(word, "type="))
		word = value + 1;
	selection->raw = !strcmp(word, "huge") || !strcmp(word, "huge_idle") ||
			 !strcmp(word, "incompressible");
	if (!strcmp(word, "idle") || !strcmp(word, "huge_idle"))
		selection->flags = PAGEPRESS_SLOT_IDLE;
	return selection->raw || selection->flags ? 0 : -EINVAL;
}

/* Of slots that the disk has. Without a size it has none, and looking for them says so. */
static int parse_selection_of(struct pagepress_disk *disk, char *word,
			      struct pagepress_selection *selection)
{
	u64 size = READ_ONCE(disk->size);
	int error = parse_selection(word, selection);

	if (!error && size && selection->end != ULONG_MAX && selection->end > size >> PAGE_SHIFT)
		error = -ERANGE;
	return error;
}

/* Each selection in turn, or only a look at whether each is one. */
static int write_selections(struct pagepress_disk *disk, const char *buffer, size_t length,
			    bool only_look)
{
	char *words = kstrndup(buffer, length, GFP_KERNEL);
	struct pagepress_selection selection;
	char *rest, *word;
	int error = -EINVAL;

	if (!words)
		return -ENOMEM;
	rest = strim(words);
	while ((word = strsep(&rest, " "))) {
		error = parse_selection_of(disk, word, &selection);
		if (!error && !only_look)
			error = pagepress_writeback(disk, &selection);
		if (error)
			break;
	}
	kfree(words);
	return error;
}

static ssize_t writeback_store(struct device *device, struct device_attribute *attribute,
			       const char *buffer, size_t length)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	/* Before any page leaves for the first of them. */
	int error = write_selections(disk, buffer, length, true);

	if (!error)
		error = write_selections(disk, buffer, length, false);
	return error ? error : length;
}
static DEVICE_ATTR_WO(writeback);

/* all, or seconds since the last access. */
static ssize_t idle_store(struct device *device, struct device_attribute *attribute,
			  const char *buffer, size_t length)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	static const struct pagepress_range ages = { 0, PAGEPRESS_MOST_AGE_SECONDS };
	u64 seconds = 0;
	int error = 0;

	if (!sysfs_streq(buffer, "all"))
		error = pagepress_parse_number(buffer, &ages, &seconds);
	if (error)
		return error;
	if (down_read_killable(&disk->init_lock))
		return -EINTR;
	if (disk->size)
		pagepress_store_mark_idle(disk->store, pagepress_age(seconds));
	else
		error = -EINVAL;
	up_read(&disk->init_lock);
	return error ? error : length;
}
static DEVICE_ATTR_WO(idle);

static ssize_t writeback_limit_show(struct device *device, struct device_attribute *attribute,
				    char *buffer)
{
	u64 sectors = atomic64_read(&writeback_of(device)->limit);

	return sysfs_emit(buffer, "%llu\n", sectors / SECTORS_PER_4K);
}

static ssize_t writeback_limit_store(struct device *device, struct device_attribute *attribute,
				     const char *buffer, size_t length)
{
	static const struct pagepress_range limits = { 0, S64_MAX / SECTORS_PER_4K };
	u64 value;
	int error = pagepress_parse_number(buffer, &limits, &value);

	if (error)
		return error;
	atomic64_set(&writeback_of(device)->limit, value * SECTORS_PER_4K);
	pagepress_writeback_kick(pagepress_disk_of(device));
	return length;
}
static DEVICE_ATTR_RW(writeback_limit);

static ssize_t bd_stat_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	u64 used, in, out;

	if (down_read_killable(&disk->init_lock))
		return -EINTR;
	used = disk->backing ? READ_ONCE(disk->backing->log.live) : 0;
	up_read(&disk->init_lock);
	in = pagepress_statistic(disk, PAGEPRESS_BACKING_SECTORS_IN);
	out = pagepress_statistic(disk, PAGEPRESS_BACKING_SECTORS_OUT);
	return sysfs_emit(buffer, "%8llu %8llu %8llu\n", DIV_ROUND_UP_ULL(used, SZ_4K),
			  DIV_ROUND_UP_ULL(in, SECTORS_PER_4K),
			  DIV_ROUND_UP_ULL(out, SECTORS_PER_4K));
}
static DEVICE_ATTR_RO(bd_stat);

static struct attribute *writeback_attributes[] = {
	&dev_attr_backing_dev.attr,
	&dev_attr_writeback.attr,
	&dev_attr_idle.attr,
	&dev_attr_writeback_limit.attr,
	&setting_writeback_limit_enable.attribute.attr,
	&dev_attr_bd_stat.attr,
	&setting_writeback_age.attribute.attr,
	&setting_writeback_rate.attribute.attr,
	&setting_clean_percent.attribute.attr,
	NULL
};

const struct attribute_group pagepress_writeback_group = { .attrs = writeback_attributes };
