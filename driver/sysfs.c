// SPDX-License-Identifier: GPL-2.0-only
/* What users see below /sys/block/pagepressN/, file by file in docs/sysfs-block-pagepress. */
#include <linux/blkdev.h>
#include <linux/sysfs.h>

#include "card.h"
#include "pagepress.h"

/* A file whose value is one of an enumeration: index says which. */
struct indexed_attribute {
	struct device_attribute attribute;
	unsigned int index;
};

static unsigned int index_of(struct device_attribute *attribute)
{
	return container_of(attribute, struct indexed_attribute, attribute)->index;
}

/* ---- zram's names ---- */

static u64 mem_used_max(struct pagepress_disk *disk)
{
	return atomic64_read(&disk->store.mem_used_max) << PAGE_SHIFT;
}

static ssize_t disksize_show(struct device *device, struct device_attribute *attribute,
			     char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", READ_ONCE(pagepress_disk_of(device)->size));
}

static ssize_t disksize_store(struct device *device, struct device_attribute *attribute,
			      const char *buffer, size_t length)
{
	u64 size = memparse(buffer, NULL);
	int error = size ? pagepress_disk_resize(pagepress_disk_of(device), size) : -EINVAL;

	return error ? error : length;
}
static DEVICE_ATTR_RW(disksize);

static ssize_t reset_store(struct device *device, struct device_attribute *attribute,
			   const char *buffer, size_t length)
{
	unsigned short value;
	int error = kstrtou16(buffer, 10, &value);

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
	char *end;
	u64 limit = memparse(buffer, &end);

	if (end == buffer)
		return -EINVAL;
	down_write(&disk->init_lock);
	disk->mem_limit = limit;
	pagepress_store_set_limit(&disk->store, limit);
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
	unsigned long value;

	if (kstrtoul(buffer, 10, &value) || value)
		return -EINVAL;
	down_read(&disk->init_lock);
	atomic64_set(&disk->store.mem_used_max, pagepress_store_pages_used(&disk->store));
	up_read(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_RW(mem_used_max);

static ssize_t compact_store(struct device *device, struct device_attribute *attribute,
			     const char *buffer, size_t length)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);

	down_read(&disk->init_lock);
	pagepress_store_compact(&disk->store);
	up_read(&disk->init_lock);
	return length;
}
static DEVICE_ATTR_WO(compact);

static ssize_t mm_stat_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);
	struct pagepress_store *store = &disk->store;
	ssize_t length;

	down_read(&disk->init_lock);
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

static u64 statistic(struct pagepress_disk *disk, enum pagepress_statistic index)
{
	return atomic64_read(&disk->statistics[index]);
}

static ssize_t io_stat_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);

	return sysfs_emit(buffer, "%8llu %8llu %8llu %8llu\n",
			  statistic(disk, PAGEPRESS_FAILED_READS),
			  statistic(disk, PAGEPRESS_FAILED_WRITES),
			  statistic(disk, PAGEPRESS_INVALID_IO),
			  statistic(disk, PAGEPRESS_NOTIFY_FREE));
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
	int wanted, error = kstrtoint(buffer, 0, &wanted);

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
			  statistic(pagepress_disk_of(device), PAGEPRESS_NOTIFY_FREE_MISSES));
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

static const struct attribute_group zram_group = { .attrs = zram_attributes };

/* ---- pagepress/: counters, gauges, the card's state ---- */

static ssize_t statistic_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	struct pagepress_disk *disk = pagepress_disk_of(device);

	return sysfs_emit(buffer, "%llu\n", statistic(disk, index_of(attribute)));
}

#define X(name, file) \
static struct indexed_attribute statistic_##file = { \
	.attribute = __ATTR(file, 0444, statistic_show, NULL), \
	.index = PAGEPRESS_##name, \
};
PAGEPRESS_STATISTICS(X)
#undef X

#define GAUGE(file, value) \
static ssize_t file##_show(struct device *device, struct device_attribute *attribute, \
			   char *buffer) \
{ \
	struct pagepress_disk *disk = pagepress_disk_of(device); \
	struct pagepress_store *store = &disk->store; \
	u64 present; \
\
		down_read(&disk->init_lock); \
		present = (value); \
		up_read(&disk->init_lock); \
		return sysfs_emit(buffer, "%llu\n", present); \
	} \
	static DEVICE_ATTR_RO(file)

GAUGE(ZeroPages, pagepress_gauge(store, PAGEPRESS_SAME_PAGES));
GAUGE(GoodCompress, pagepress_gauge(store, PAGEPRESS_GOOD_PAGES));
GAUGE(NoCompress, pagepress_gauge(store, PAGEPRESS_RAW_PAGES));
GAUGE(PagesStored, pagepress_gauge(store, PAGEPRESS_PAGES_STORED));
GAUGE(backed_pages, pagepress_gauge(store, PAGEPRESS_BACKED_PAGES));
GAUGE(PagesUsed, pagepress_store_pages_used(store));
GAUGE(OrigDataSize, pagepress_gauge(store, PAGEPRESS_PAGES_STORED) << PAGE_SHIFT);
GAUGE(ComprDataSize, pagepress_gauge(store, PAGEPRESS_STREAM_BYTES));
GAUGE(MemUsedTotal, pagepress_store_pages_used(store) << PAGE_SHIFT);

static ssize_t card_timeouts_show(struct device *device, struct device_attribute *attribute,
				  char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", (u64)atomic64_read(&pagepress_card_timeouts));
}
static DEVICE_ATTR_RO(card_timeouts);

static ssize_t card_resets_show(struct device *device, struct device_attribute *attribute,
				char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", (u64)atomic64_read(&pagepress_card_resets));
}
static DEVICE_ATTR_RO(card_resets);

static ssize_t card_state_show(struct device *device, struct device_attribute *attribute,
			       char *buffer)
{
	return sysfs_emit(buffer, "%s\n", pagepress_engines_state());
}
static DEVICE_ATTR_RO(card_state);

static ssize_t single_read_card_ns_show(struct device *device, struct device_attribute *attribute,
					char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", pagepress_read_policy_average(true));
}
static DEVICE_ATTR_RO(single_read_card_ns);

static ssize_t single_read_cpu_ns_show(struct device *device, struct device_attribute *attribute,
				       char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", pagepress_read_policy_average(false));
}
static DEVICE_ATTR_RO(single_read_cpu_ns);

static struct attribute *pagepress_attributes[] = {
#define X(name, file) &statistic_##file.attribute.attr,
	PAGEPRESS_STATISTICS(X)
#undef X
	&dev_attr_ZeroPages.attr,
	&dev_attr_GoodCompress.attr,
	&dev_attr_NoCompress.attr,
	&dev_attr_PagesStored.attr,
	&dev_attr_backed_pages.attr,
	&dev_attr_PagesUsed.attr,
	&dev_attr_OrigDataSize.attr,
	&dev_attr_ComprDataSize.attr,
	&dev_attr_MemUsedTotal.attr,
	&dev_attr_card_timeouts.attr,
	&dev_attr_card_resets.attr,
	&dev_attr_card_state.attr,
	&dev_attr_single_read_card_ns.attr,
	&dev_attr_single_read_cpu_ns.attr,
	NULL
};

static const struct attribute_group pagepress_group = {
	.name = "pagepress",
	.attrs = pagepress_attributes,
};

/* ---- card/: the hardware's own counters ---- */

static ssize_t counter_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", pagepress_engines_counter(index_of(attribute)));
}

#define X(name, number, file) \
static struct indexed_attribute counter_##file = { \
	.attribute = __ATTR(file, 0444, counter_show, NULL), \
	.index = number, \
};
PAGEPRESS_COUNTERS(X)
#undef X

static unsigned int one(struct pagepress_card *card)
{
	return 1;
}

static unsigned int queue_count(struct pagepress_card *card)
{
	return card->queue_count;
}

static u32 clock_of(struct pagepress_card *card)
{
	return card->clock_khz;
}

static u32 compressors_of(struct pagepress_card *card)
{
	return (card->engines & PAGEPRESS_ENGINES_COMPRESSORS_MASK) >>
	       PAGEPRESS_ENGINES_COMPRESSORS_SHIFT;
}

static u32 decompressors_of(struct pagepress_card *card)
{
	return (card->engines & PAGEPRESS_ENGINES_DECOMPRESSORS_MASK) >>
	       PAGEPRESS_ENGINES_DECOMPRESSORS_SHIFT;
}

#define FACT(file, value) \
static ssize_t file##_show(struct device *device, struct device_attribute *attribute, \
			   char *buffer) \
{ \
	return sysfs_emit(buffer, "%u\n", value); \
} \
static DEVICE_ATTR_RO(file)

FACT(present, pagepress_engines_sum(one));
FACT(queue_pairs, pagepress_engines_sum(queue_count));
FACT(clock_khz, pagepress_engines_first(clock_of));
FACT(compressors, pagepress_engines_first(compressors_of));
FACT(decompressors, pagepress_engines_first(decompressors_of));

static ssize_t address_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return pagepress_engines_addresses(buffer);
}
static DEVICE_ATTR_RO(address);

static ssize_t interface_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	return sysfs_emit(buffer, "%u.%u %08x%08x\n", PAGEPRESS_VERSION_MAJOR,
			  PAGEPRESS_VERSION_MINOR, PAGEPRESS_HASH_HIGH_VALUE,
			  PAGEPRESS_HASH_LOW_VALUE);
}
static DEVICE_ATTR_RO(interface);

static struct attribute *card_attributes[] = {
#define X(name, number, file) &counter_##file.attribute.attr,
	PAGEPRESS_COUNTERS(X)
#undef X
	&dev_attr_present.attr,
	&dev_attr_address.attr,
	&dev_attr_queue_pairs.attr,
	&dev_attr_clock_khz.attr,
	&dev_attr_compressors.attr,
	&dev_attr_decompressors.attr,
	&dev_attr_interface.attr,
	NULL
};

static const struct attribute_group card_group = { .name = "card", .attrs = card_attributes };

const struct attribute_group *pagepress_disk_groups[] = {
	&zram_group,
	&pagepress_writeback_group,
	&pagepress_group,
	&card_group,
	NULL,
};
