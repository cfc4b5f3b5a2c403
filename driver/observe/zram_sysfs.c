// SPDX-License-Identifier: GPL-2.0-only
/* Files below /sys/block/pagepressN/ with zram's names and meanings. */
#include <linux/cpumask.h>

#include "block/block.h"
#include "observe/sysfs.h"
#include "policy/policy.h"
#include "store/store.h"

static u64 mem_used_max(struct pagepress_disk *disk)
{
	return atomic64_read(&disk->store->mem_used_max) << PAGE_SHIFT;
}

static ssize_t disksize_show(struct device *device, struct device_attribute *attribute,
			     char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", READ_ONCE(pagepress_disk_of(device)->size));
}

static ssize_t disksize_store(struct device *device, struct device_attribute *attribute,
			      const char *buffer, size_t length)
{
	static const struct pagepress_range sizes = { 0, PAGEPRESS_MOST_BYTES, .bytes = true };
	u64 size;
	int error = pagepress_parse_number(buffer, &sizes, &size);

	if (!error)
		error = size ? pagepress_disk_resize(pagepress_disk_of(device), size) : -EINVAL;
	return error ? error : length;
}
static DEVICE_ATTR_RW(disksize);

static ssize_t reset_store(struct device *device, struct device_attribute *attribute,
			   const char *buffer, size_t length)
{
	static const struct pagepress_range any = { 0, U64_MAX };
	u64 value;
	int error = pagepress_parse_number(buffer, &any, &value);

	if (!error)
		error = value ? pagepress_disk_reset(pagepress_disk_of(device)) : -EINVAL;
	return error ? error : length;
}
static DEVICE_ATTR_WO(reset);

static ssize_t mem_limit_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", READ_ONCE(pagepress_disk_of(device)->mem_limit));
}

static ssize_t mem_limit_store(struct device *device, struct device_attribute *attribute,
			       const char *buffer, size_t length)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	static const struct pagepress_range limits = { 0, PAGEPRESS_MOST_BYTES, .bytes = true };
	u64 limit;
	int error = pagepress_parse_number(buffer, &limits, &limit);

	if (error)
		return error;
	if (down_write_killable(&disk->init_lock))
		return -EINTR;
	disk->mem_limit = limit;
	pagepress_policy_limit(disk->policy);
	up_write(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_RW(mem_limit);

static ssize_t mem_used_max_show(struct device *device, struct device_attribute *attribute,
				 char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", mem_used_max(pagepress_disk_of(device)));
}

static ssize_t mem_used_max_store(struct device *device, struct device_attribute *attribute,
				  const char *buffer, size_t length)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	static const struct pagepress_range any = { 0, U64_MAX };
	u64 value;
	int error = pagepress_parse_number(buffer, &any, &value);

	if (error || value)
		return error ? error : -EINVAL;
	if (down_read_killable(&disk->init_lock))
		return -EINTR;
	atomic64_set(&disk->store->mem_used_max, pagepress_store_pages_used(disk->store));
	up_read(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_RW(mem_used_max);

static ssize_t compact_store(struct device *device, struct device_attribute *attribute,
			     const char *buffer, size_t length)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);

	if (down_read_killable(&disk->init_lock))
		return -EINTR;
	pagepress_store_compact(disk->store);
	up_read(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_WO(compact);

static ssize_t mm_stat_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	struct pagepress_store *store = disk->store;
	ssize_t length;

	if (down_read_killable(&disk->init_lock))
		return -EINTR;
	length = sysfs_emit(buffer, "%8llu %8llu %8llu %8llu %8llu %8llu %8llu %8llu %8llu\n",
			    pagepress_gauge(store, PAGEPRESS_PAGES_STORED) << PAGE_SHIFT,
			    pagepress_gauge(store, PAGEPRESS_STREAM_BYTES),
			    pagepress_store_pages_used(store) << PAGE_SHIFT, disk->mem_limit,
			    mem_used_max(disk), pagepress_gauge(store, PAGEPRESS_SAME_PAGES),
			    pagepress_store_pages_compacted(store),
			    pagepress_gauge(store, PAGEPRESS_RAW_PAGES),
			    pagepress_gauge(store, PAGEPRESS_RAW_PAGES_SINCE));
	up_read(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_RO(mm_stat);

static ssize_t io_stat_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);

	return sysfs_emit(buffer, "%8llu %8llu %8llu %8llu\n",
			  pagepress_statistic(disk, PAGEPRESS_FAILED_READS),
			  pagepress_statistic(disk, PAGEPRESS_FAILED_WRITES),
			  pagepress_statistic(disk, PAGEPRESS_INVALID_IO),
			  pagepress_statistic(disk, PAGEPRESS_NOTIFY_FREE));
}
static DEVICE_ATTR_RO(io_stat);

static ssize_t initstate_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	return sysfs_emit(buffer, "%d\n", !!READ_ONCE(pagepress_disk_of(device)->size));
}
static DEVICE_ATTR_RO(initstate);

/* One stream a CPU, always; what is written is only checked to be a number, as in zram. */
static ssize_t max_comp_streams_show(struct device *device, struct device_attribute *attribute,
				     char *buffer)
{
	return sysfs_emit(buffer, "%u\n", num_online_cpus());
}

static ssize_t max_comp_streams_store(struct device *device, struct device_attribute *attribute,
				      const char *buffer, size_t length)
{
	static const struct pagepress_range any = { 1, S32_MAX };
	u64 wanted;
	int error = pagepress_parse_number(buffer, &any, &wanted);

	return error ? error : length;
}
static DEVICE_ATTR_RW(max_comp_streams);

static ssize_t comp_algorithm_show(struct device *device, struct device_attribute *attribute,
				   char *buffer)
{
	return sysfs_emit(buffer, "[lzo]\n");
}

static ssize_t comp_algorithm_store(struct device *device, struct device_attribute *attribute,
				    const char *buffer, size_t length)
{
	if (READ_ONCE(pagepress_disk_of(device)->size))
		return -EBUSY;
	return sysfs_streq(buffer, "lzo") ? length : -EINVAL;
}
static DEVICE_ATTR_RW(comp_algorithm);

static ssize_t debug_stat_show(struct device *device, struct device_attribute *attribute,
			       char *buffer)
{
	return sysfs_emit(buffer, "version: 1\n%8llu %8llu\n", 0ull,
			  pagepress_statistic(pagepress_disk_of(device),
					      PAGEPRESS_NOTIFY_FREE_MISSES));
}
static DEVICE_ATTR_RO(debug_stat);

static struct attribute *zram_attributes[] = {
	&dev_attr_disksize.attr,
	&dev_attr_reset.attr,
	&dev_attr_mem_limit.attr,
	&dev_attr_mem_used_max.attr,
	&dev_attr_compact.attr,
	&dev_attr_mm_stat.attr,
	&dev_attr_io_stat.attr,
	&dev_attr_initstate.attr,
	&dev_attr_max_comp_streams.attr,
	&dev_attr_comp_algorithm.attr,
	&dev_attr_debug_stat.attr,
	NULL,
};

const struct attribute_group pagepress_zram_group = { .attrs = zram_attributes };
