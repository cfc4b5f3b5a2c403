// SPDX-License-Identifier: GPL-2.0-only
/* Files below /sys/block/pagepressN/card/: the hardware's own counters, and facts of the card. */
#include "card/card.h"
#include "observe/sysfs.h"

static ssize_t counter_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%llu\n",
			  pagepress_engines_counter(pagepress_attribute_index(attribute)));
}

#define X(name, number, file) \
static struct pagepress_indexed_attribute counter_##file = { \
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
FACT(compressors, pagepress_engines_first(pagepress_card_compressors));
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

const struct attribute_group pagepress_card_group = { .name = "card", .attrs = card_attributes };
