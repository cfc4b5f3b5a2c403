// SPDX-License-Identifier: GPL-2.0-only
/* Files below queue_weights/ of a card's device, one a queue; and all the folders that it has. */
#include <linux/device.h>

#include "card/card.h"
#include "observe/observe.h"
#include "page/numbers.h"

/* One a queue, which its name numbers. */
static struct weight_file {
	struct device_attribute attribute;
	char name[4];
} files[PAGEPRESS_MAX_QUEUE_PAIRS];

static struct attribute *attributes[ARRAY_SIZE(files) + 1];

static struct pagepress_queue *queue_of(struct device *device, struct device_attribute *attribute)
{
	struct pagepress_card *card = dev_get_drvdata(device);
	struct weight_file *file = container_of(attribute, struct weight_file, attribute);

	return &card->queues[file - files];
}

static ssize_t weight_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	return sysfs_emit(buffer, "%u\n", READ_ONCE(queue_of(device, attribute)->weight));
}

static ssize_t weight_store(struct device *device, struct device_attribute *attribute,
			    const char *buffer, size_t length)
{
	static const struct pagepress_range range = { 1, PAGEPRESS_MAX_WEIGHT };
	struct pagepress_queue *queue = queue_of(device, attribute);
	u64 weight;
	int error = pagepress_parse_number(buffer, &range, &weight);

	if (error)
		return error;
	if (!READ_ONCE(queue->card->weighs))
		return -EOPNOTSUPP;
	pagepress_queue_weigh(queue, weight);
	return length;
}

/* As many as the driver uses; none of a card without weights. */
static umode_t is_visible(struct kobject *object, struct attribute *attribute, int index)
{
	struct pagepress_card *card = dev_get_drvdata(kobj_to_dev(object));

	return READ_ONCE(card->weighs) && index < card->queue_count ? attribute->mode : 0;
}

static const struct attribute_group queue_weights = {
	.name = "queue_weights",
	.attrs = attributes,
	.is_visible = is_visible,
};

const struct attribute_group *pagepress_device_groups[] = {
	&pagepress_management_group,
	&queue_weights,
	NULL
};

/* Before the first card. */
void pagepress_queue_sysfs_init(void)
{
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(files); index++) {
		struct weight_file *file = &files[index];

		snprintf(file->name, sizeof(file->name), "%u", index);
		file->attribute.attr.name = file->name;
		file->attribute.attr.mode = 0644;
		file->attribute.show = weight_show;
		file->attribute.store = weight_store;
		attributes[index] = &file->attribute.attr;
	}
}
