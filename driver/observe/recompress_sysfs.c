// SPDX-License-Identifier: GPL-2.0-only
/* Recompression of pages to the cold format, with zram's names and meanings. */
#include <linux/slab.h>
#include <linux/string.h>

#include "observe/sysfs.h"
#include "path/path.h"

/* What recompress is asked for. */
struct wanted {
	struct pagepress_selection selection;
	u64 most;			/* pages */
};

static int parse_type(const char *type, struct pagepress_selection *selection)
{
	bool huge_idle = !strcmp(type, "huge_idle");

	selection->raw = huge_idle || !strcmp(type, "huge");
	selection->flags = huge_idle || !strcmp(type, "idle") ? PAGEPRESS_SLOT_IDLE : 0;
	return selection->raw || selection->flags ? 0 : -EINVAL;
}

/* algo=cold, priority=1: the only secondary algorithm. */
static int parse_algorithm(const char *name, const char *value, struct wanted *unused)
{
	static const struct pagepress_range priorities = { 1, 1 };
	u64 priority;

	if (!strcmp(name, "algo"))
		return strcmp(value, "cold") ? -EINVAL : 0;
	if (!strcmp(name, "priority"))
		return pagepress_parse_number(value, &priorities, &priority);
	return -EINVAL;
}

/* These, type=, threshold=BYTES and max_pages=N. */
static int parse_wanted(const char *name, const char *value, struct wanted *wanted)
{
	static const struct pagepress_range lengths = { 0, PAGE_SIZE };
	static const struct pagepress_range counts = { 0, U64_MAX };
	u64 length;
	int error;

	if (!strcmp(name, "type"))
		return parse_type(value, &wanted->selection);
	if (!strcmp(name, "max_pages"))
		return pagepress_parse_number(value, &counts, &wanted->most);
	if (strcmp(name, "threshold"))
		return parse_algorithm(name, value, wanted);
	error = pagepress_parse_number(value, &lengths, &length);
	if (!error)
		wanted->selection.least = length;
	return error;
}

/* NAME=VALUE, blank-separated. */
static int parse(const char *buffer, size_t length,
		 int (*take)(const char *name, const char *value, struct wanted *wanted),
		 struct wanted *wanted)
{
	char *words = kstrndup(buffer, length, GFP_KERNEL);
	char *rest, *word, *name;
	int error = 0;

	if (!words)
		return -ENOMEM;
	rest = strim(words);
	while (!error && (word = strsep(&rest, " "))) {
		if (!*word)
			continue;
		name = strsep(&word, "=");
		error = word ? take(name, word, wanted) : -EINVAL;
	}
	kfree(words);
	return error;
}

static ssize_t recompress_store(struct device *device, struct device_attribute *attribute,
				const char *buffer, size_t length)
{
	struct wanted wanted = {
		.selection = { .end = ULONG_MAX, .warm = true },
		.most = U64_MAX,
	};
	int error = parse(buffer, length, parse_wanted, &wanted);

	if (!error)
		error = pagepress_recompress(pagepress_disk_of(device), &wanted.selection,
					     wanted.most);
	return error ? error : length;
}
static DEVICE_ATTR_WO(recompress);

static ssize_t recomp_algorithm_show(struct device *device, struct device_attribute *attribute,
				     char *buffer)
{
	return sysfs_emit(buffer, "#1: [cold]\n");
}

/* As comp_algorithm: there is no choice, and it is made before the disk has a size. */
static ssize_t recomp_algorithm_store(struct device *device, struct device_attribute *attribute,
				      const char *buffer, size_t length)
{
	int error;

	if (READ_ONCE(pagepress_disk_of(device)->size))
		return -EBUSY;
	error = parse(buffer, length, parse_algorithm, NULL);
	return error ? error : length;
}
static DEVICE_ATTR_RW(recomp_algorithm);

/* By itself: a name of our own. */
static ssize_t recompress_age_show(struct device *device, struct device_attribute *attribute,
				   char *buffer)
{
	return sysfs_emit(buffer, "%llu\n",
			  READ_ONCE(pagepress_disk_of(device)->recompression->age));
}

static ssize_t recompress_age_store(struct device *device, struct device_attribute *attribute,
				    const char *buffer, size_t length)
{
	static const struct pagepress_range ages = { 0, PAGEPRESS_MOST_AGE_SECONDS };
	struct pagepress_disk *disk = pagepress_disk_of(device);
	u64 seconds;
	int error = pagepress_parse_number(buffer, &ages, &seconds);

	if (error)
		return error;
	WRITE_ONCE(disk->recompression->age, seconds);
	pagepress_recompression_kick(disk);
	return length;
}
static DEVICE_ATTR_RW(recompress_age);

static struct attribute *recompress_attributes[] = {
	&dev_attr_recompress.attr,
	&dev_attr_recompress_age.attr,
	&dev_attr_recomp_algorithm.attr,
	NULL
};

const struct attribute_group pagepress_recompress_group = { .attrs = recompress_attributes };
