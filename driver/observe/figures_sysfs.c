// SPDX-License-Identifier: GPL-2.0-only
/* Files below /sys/block/pagepressN/pagepress/: the disk's counters and gauges. */
#include "acomp/acomp.h"
#include "card/card.h"
#include "observe/sysfs.h"
#include "path/path.h"

static ssize_t statistic_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	return sysfs_emit(buffer, "%llu\n",
			  pagepress_statistic(pagepress_disk_of(device),
					      pagepress_attribute_index(attribute)));
}

#define GAUGE(file, value) \
static ssize_t file##_show(struct device *device, struct device_attribute *attribute, \
			   char *buffer) \
{ \
	struct pagepress_disk *disk = pagepress_disk_of(device); \
	struct pagepress_store *store = disk->store; \
	u64 present; \
\
	if (down_read_killable(&disk->init_lock)) \
		return -EINTR; \
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
GAUGE(cold_pages, pagepress_gauge(store, PAGEPRESS_COLD_PAGES));
GAUGE(cold_bytes, pagepress_gauge(store, PAGEPRESS_COLD_BYTES));
GAUGE(table_bytes, pagepress_store_table_bytes(store));

static ssize_t card_timeouts_show(struct device *device, struct device_attribute *attribute,
				  char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", (u64)atomic64_read(&pagepress_card_timeouts));
}
static DEVICE_ATTR_RO(card_timeouts);

static ssize_t card_late_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	return sysfs_emit(buffer, "%llu\n", (u64)atomic64_read(&pagepress_card_late));
}
static DEVICE_ATTR_RO(card_late);

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

static ssize_t acomp_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	unsigned int counter = pagepress_attribute_index(attribute);

	return sysfs_emit(buffer, "%llu\n",
			  (u64)atomic64_read(&pagepress_acomp_counters[counter]));
}

#define COUNTER(file, number, show) \
static struct pagepress_indexed_attribute counter_##file = { \
	.attribute = __ATTR(file, 0444, show, NULL), \
	.index = number, \
}

#define X(name, file) COUNTER(file, PAGEPRESS_##name, statistic_show);
PAGEPRESS_STATISTICS(X)
#undef X
#define X(name, file) COUNTER(file, PAGEPRESS_ACOMP_##name, acomp_show);
PAGEPRESS_ACOMP_COUNTERS(X)
#undef X

static struct attribute *pagepress_attributes[] = {
#define X(name, file) &counter_##file.attribute.attr,
	PAGEPRESS_STATISTICS(X)
	PAGEPRESS_ACOMP_COUNTERS(X)
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
	&dev_attr_cold_pages.attr,
	&dev_attr_cold_bytes.attr,
	&dev_attr_table_bytes.attr,
	&dev_attr_card_timeouts.attr,
	&dev_attr_card_late.attr,
	&dev_attr_card_resets.attr,
	&dev_attr_card_state.attr,
	&dev_attr_single_read_card_ns.attr,
	&dev_attr_single_read_cpu_ns.attr,
	NULL
};

const struct attribute_group pagepress_figures_group = {
	.name = "pagepress",
	.attrs = pagepress_attributes,
};
