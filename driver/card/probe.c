// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card arrives, joins the pool, and leaves it, announced or not: what is the same on every bus,
 * and in which order, bus.h tells.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "card/bus.h"

/* The last reference may be a task's plug that still wanted to ring a doorbell. */
void pagepress_card_release(struct kref *references)
{
	struct pagepress_card *card = container_of(references, struct pagepress_card, references);

	kfree(card->queues);
	kfree(card);
}

/* `size` bytes, whose first are the card: the rest is its bus's own. */
struct pagepress_card *
pagepress_card_allocate(struct device *device, const struct pagepress_bus *bus, size_t size)
{
	struct pagepress_card *card = kzalloc(size, GFP_KERNEL);

	if (!card)
		return NULL;
	kref_init(&card->references);
	mutex_init(&card->lock);
	init_rwsem(&card->reset_lock);
	mutex_init(&card->counter_lock);
	card->device = device;
	card->bus = bus;
	card->state = PAGEPRESS_CARD_STARTING;
	card->counters_read = get_jiffies_64();
	card->stopped = true;
	pagepress_recovery_init(card);
	dev_set_drvdata(device, card);
	return card;
}

int pagepress_card_create_queues(struct pagepress_card *card, unsigned int count)
{
	unsigned int number;
	int error;

	card->queues = kcalloc(count, sizeof(*card->queues), GFP_KERNEL);
	if (!card->queues)
		return -ENOMEM;
	card->queue_count = count;
	for (number = 0; number < count; number++) {
		error = pagepress_queue_create(card, number);
		if (error) {
			while (number--)
				pagepress_queue_destroy(&card->queues[number]);
			return error;
		}
	}
	return 0;
}

/* When nothing interrupts any more. */
void pagepress_card_destroy_queues(struct pagepress_card *card)
{
	unsigned int number;

	/* Once more: a thread of an interrupt may have started one since. */
	pagepress_recovery_cancel(card);
	if (!card->stopped)
		dev_err(card->device,
			"the card was never proven stopped: %u KiB of buffers stay out of use until the next boot\n",
			(unsigned int)(card->queue_count * card->queues[0].request_count * 2 *
				       PAGE_SIZE / 1024));
	for (number = 0; number < card->queue_count; number++)
		pagepress_queue_destroy(&card->queues[number]);
}

/* How many queue pairs the card has and this machine a use for, one a CPU, or -ENODEV. */
int pagepress_card_queue_pairs(struct pagepress_card *card)
{
	u32 capabilities = pagepress_read(card, PAGEPRESS_REGISTER_CAPABILITIES);
	unsigned int pairs = (capabilities & PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) >>
			     PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT;

	card->max_depth_log2 = (capabilities & PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_MASK) >>
			       PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT;
	if (!pairs || pairs > PAGEPRESS_MAX_QUEUE_PAIRS ||
	    card->max_depth_log2 < PAGEPRESS_MIN_DEPTH_LOG2 ||
	    card->max_depth_log2 > PAGEPRESS_MAX_DEPTH_LOG2) {
		dev_err(card->device,
			"the card claims %u queue pairs of depth 2^%u: CAPABILITIES %#x makes no sense\n",
			pairs, card->max_depth_log2, capabilities);
		return -ENODEV;
	}
	if (pagepress_depth > 1u << card->max_depth_log2)
		dev_notice(card->device, "depth=%u: the card has no rings of more than %u entries\n",
			   pagepress_depth, 1u << card->max_depth_log2);
	return min(pairs, num_possible_cpus());
}

/* What it reads and writes may lie anywhere its bus reaches. */
int pagepress_card_set_dma_mask(struct pagepress_card *card)
{
	return dma_set_mask_and_coherent(card->device, DMA_BIT_MASK(64));
}

/*
 * Files of each card's device. The driver core makes those of a driver, too, but when it finds no
 * memory for them it takes away what it has not made, and the kernel complains.
 */
static const struct attribute_group **card_groups;

static void take_out(struct pagepress_card *card)
{
	pagepress_card_take_down(card);
	pagepress_card_follower->left(card);
	pagepress_engines_leave(card);
}

/* Starts a card whose interrupts are ready, and gives it to the pool. */
int pagepress_card_join(struct pagepress_card *card)
{
	int error;

	mutex_lock(&card->lock);
	error = pagepress_card_start(card);
	mutex_unlock(&card->lock);
	if (error)
		return error;
	pagepress_engines_join(card);
	dev_info(card->device, "card ready: %u queue pair(s) of %u entries, clock %u kHz\n",
		 card->queue_count, card->queues[0].depth, card->clock_khz);
	pagepress_card_follower->arrived(card);
	error = sysfs_create_groups(&card->device->kobj, card_groups);
	if (error)
		take_out(card);
	return error;
}

/* Afterwards nobody has anything to do with the card but its bus. */
void pagepress_card_leave(struct pagepress_card *card)
{
	sysfs_remove_groups(&card->device->kobj, card_groups);
	take_out(card);
}

/* Its bus has let go of it, too. */
void pagepress_card_left(struct pagepress_card *card)
{
	dev_info(card->device, "card left; going on with the others or in software\n");
	kref_put(&card->references, pagepress_card_release);
}

struct workqueue_struct *pagepress_workqueue;
struct workqueue_struct *pagepress_late_workqueue;

const struct pagepress_card_follower *pagepress_card_follower;

/* `groups` are files of each card's device. */
int pagepress_card_register(const struct pagepress_card_follower *follower,
			    const struct attribute_group **groups)
{
	int error = -ENOMEM;

	pagepress_card_follower = follower;
	card_groups = groups;
	/* Recovery ends what reclaim waits for. */
	pagepress_workqueue = alloc_workqueue(KBUILD_MODNAME, WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	if (!pagepress_workqueue)
		return -ENOMEM;
	/*
	 * Of its own, as when memory is short a workqueue has one thread for all its works:
	 * somebody waits for these, behind nothing that a card or a device delays.
	 */
	pagepress_late_workqueue = alloc_workqueue(KBUILD_MODNAME "-late",
						   WQ_MEM_RECLAIM | WQ_UNBOUND | WQ_HIGHPRI, 0);
	if (!pagepress_late_workqueue)
		goto destroy_workqueue;
	error = pagepress_pci_register();
	if (error)
		goto destroy_late_workqueue;
	error = pagepress_platform_register();
	if (error)
		goto unregister_pci;
	return 0;

unregister_pci:
	pagepress_pci_unregister();
destroy_late_workqueue:
	destroy_workqueue(pagepress_late_workqueue);
destroy_workqueue:
	destroy_workqueue(pagepress_workqueue);
	return error;
}

void pagepress_card_unregister(void)
{
	pagepress_platform_unregister();
	pagepress_pci_unregister();
	destroy_workqueue(pagepress_late_workqueue);
	destroy_workqueue(pagepress_workqueue);
}
