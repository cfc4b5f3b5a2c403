// SPDX-License-Identifier: GPL-2.0-only
/* The PCI side: a card arrives, joins the pool, and leaves it, announced or not. */
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "card/card.h"
#include "card/compat.h"

static irqreturn_t wake_thread(int vector, void *context)
{
	return IRQ_WAKE_THREAD;
}

/*
 * In a thread that exists already: completions free memory, so they must not need any to get going.
 */
static irqreturn_t completion_thread(int vector, void *context)
{
	struct pagepress_queue *queue = context;

	while (pagepress_queue_reap(queue))
		cond_resched();
	return IRQ_HANDLED;
}

static irqreturn_t event_thread(int vector, void *context)
{
	pagepress_card_check(context);
	return IRQ_HANDLED;
}

static int request_interrupts(struct pagepress_card *card)
{
	struct pci_dev *device = card->device;
	unsigned int number;
	int error;

	error = pci_request_irq(device, PAGEPRESS_EVENT_VECTOR, wake_thread, event_thread, card,
				"%s-%s-events", KBUILD_MODNAME, pci_name(device));
	if (error)
		return error;
	for (number = 0; number < card->queue_count; number++) {
		error = pci_request_irq(device, PAGEPRESS_FIRST_QUEUE_VECTOR + number, wake_thread,
					completion_thread, &card->queues[number], "%s-%s-queue%u",
					KBUILD_MODNAME, pci_name(device), number);
		if (error)
			goto unwind;
	}
	return 0;

unwind:
	while (number--)
		pci_free_irq(device, PAGEPRESS_FIRST_QUEUE_VECTOR + number, &card->queues[number]);
	pci_free_irq(device, PAGEPRESS_EVENT_VECTOR, card);
	return error;
}

static void free_interrupts(struct pagepress_card *card)
{
	unsigned int number;

	for (number = 0; number < card->queue_count; number++)
		pci_free_irq(card->device, PAGEPRESS_FIRST_QUEUE_VECTOR + number,
			     &card->queues[number]);
	pci_free_irq(card->device, PAGEPRESS_EVENT_VECTOR, card);
}

static int create_queues(struct pagepress_card *card)
{
	unsigned int number;
	int error;

	for (number = 0; number < card->queue_count; number++) {
		error = pagepress_queue_create(card, number);
		if (error) {
			while (number--)
				pagepress_queue_destroy(&card->queues[number]);
			return error;
		}
	}
	return 0;
}

static void destroy_queues(struct pagepress_card *card)
{
	unsigned int number;

	for (number = 0; number < card->queue_count; number++)
		pagepress_queue_destroy(&card->queues[number]);
}

/* How many queue pairs, and the interrupts for them: one queue a CPU if the card has so many. */
static int choose_queues(struct pagepress_card *card)
{
	u32 capabilities = pagepress_read(card, PAGEPRESS_REGISTER_CAPABILITIES);
	unsigned int pairs = (capabilities & PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) >>
			     PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT;
	int vectors;

	card->max_depth_log2 = (capabilities & PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_MASK) >>
			       PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT;
	if (!pairs || pairs > PAGEPRESS_MAX_QUEUE_PAIRS ||
	    card->max_depth_log2 < PAGEPRESS_MIN_DEPTH_LOG2 ||
	    card->max_depth_log2 > PAGEPRESS_MAX_DEPTH_LOG2) {
		pci_err(card->device,
			"the card claims %u queue pairs of depth 2^%u: CAPABILITIES %#x makes no sense\n",
			pairs, card->max_depth_log2, capabilities);
		return -ENODEV;
	}
	if (pagepress_depth > 1u << card->max_depth_log2)
		pci_notice(card->device, "depth=%u: the card has no rings of more than %u entries\n",
			   pagepress_depth, 1u << card->max_depth_log2);
	pairs = min(pairs, num_possible_cpus());
	vectors = pci_alloc_irq_vectors(card->device, PAGEPRESS_FIRST_QUEUE_VECTOR + 1,
					PAGEPRESS_FIRST_QUEUE_VECTOR + pairs, PCI_IRQ_MSIX);
	if (vectors < 0) {
		pci_err(card->device, "no MSI-X vectors (%d): the card cannot be used\n", vectors);
		return vectors;
	}
	card->queue_count = vectors - PAGEPRESS_FIRST_QUEUE_VECTOR;
	card->queues = kcalloc(card->queue_count, sizeof(*card->queues), GFP_KERNEL);
	if (!card->queues) {
		pci_free_irq_vectors(card->device);
		return -ENOMEM;
	}
	return 0;
}

/* The last reference may be a task's plug that still wanted to ring a doorbell. */
void pagepress_card_release(struct kref *references)
{
	struct pagepress_card *card = container_of(references, struct pagepress_card, references);

	kfree(card->saved);
	kfree(card->queues);
	kfree(card);
}

static struct pagepress_card *allocate_card(struct pci_dev *device)
{
	struct pagepress_card *card = kzalloc(sizeof(*card), GFP_KERNEL);

	if (!card)
		return NULL;
	kref_init(&card->references);
	mutex_init(&card->lock);
	mutex_init(&card->counter_lock);
	card->device = device;
	card->state = PAGEPRESS_CARD_STARTING;
	card->counters_read = jiffies;
	card->stopped = true;
	pagepress_recovery_init(card);
	pci_set_drvdata(device, card);
	return card;
}

static void iounmap_registers(struct pagepress_card *card)
{
	if (card->push_windows)
		pci_iounmap(card->device, card->push_windows);
	pci_iounmap(card->device, card->registers);
}

static int map_registers(struct pagepress_card *card)
{
	struct pci_dev *device = card->device;
	int error;

	error = pci_enable_device_mem(device);
	if (error)
		return error;
	error = pci_request_mem_regions(device, KBUILD_MODNAME);
	if (error)
		goto disable;
	error = -ENODEV;
	if (pci_resource_len(device, 0) < PAGEPRESS_BAR0_BYTES) {
		pci_err(device, "BAR0 is %llu bytes, not %u: not a Pagepress card\n",
			(unsigned long long)pci_resource_len(device, 0), PAGEPRESS_BAR0_BYTES);
		goto release;
	}
	card->registers = pci_iomap_range(device, 0, 0, PAGEPRESS_PUSH_BASE);
	if (!card->registers)
		goto release;
	/* Nothing but speed is lost without; larger pages would have registers in the same one. */
	if (PAGE_SIZE <= PAGEPRESS_PUSH_BASE)
		card->push_windows =
			pci_iomap_wc_range(device, 0, PAGEPRESS_PUSH_BASE,
					   PAGEPRESS_PUSH_STRIDE * PAGEPRESS_PUSH_COUNT);
	error = dma_set_mask_and_coherent(&device->dev, DMA_BIT_MASK(64));
	if (error)
		goto unmap;
	return 0;

unmap:
	iounmap_registers(card);
release:
	pci_release_mem_regions(device);
disable:
	pci_disable_device(device);
	return error;
}

static void unmap_registers(struct pagepress_card *card)
{
	iounmap_registers(card);
	pci_release_mem_regions(card->device);
	pci_disable_device(card->device);
}

static int probe(struct pci_dev *device, const struct pci_device_id *id)
{
	struct pagepress_card *card = allocate_card(device);
	int error;

	if (!card)
		return -ENOMEM;
	error = map_registers(card);
	if (error)
		goto free_card;
	error = pagepress_card_identify(card);
	if (error)
		goto unmap;
	card->engines = pagepress_read(card, PAGEPRESS_REGISTER_ENGINES);
	card->clock_khz = pagepress_read(card, PAGEPRESS_REGISTER_CLOCK);
	error = choose_queues(card);
	if (error)
		goto unmap;
	error = create_queues(card);
	if (error)
		goto free_vectors;
	error = request_interrupts(card);
	if (error)
		goto free_queues;
	pagepress_report_errors(device, true); /* also what is saved next */
	/* Without it, a card that lost its configuration cannot come back; that is all. */
	if (!pci_save_state(device))
		card->saved = pci_store_saved_state(device);

	mutex_lock(&card->lock);
	error = pagepress_card_start(card);
	mutex_unlock(&card->lock);
	if (error)
		goto free_interrupts;
	pagepress_engines_join(card);
	pci_info(device, "card ready: %u queue pair(s) of %u entries, clock %u kHz\n",
		 card->queue_count, card->queues[0].depth, card->clock_khz);
	pagepress_card_follower->arrived(card);
	return 0;

free_interrupts:
	pagepress_report_errors(device, false);
	free_interrupts(card);
free_queues:
	destroy_queues(card);
free_vectors:
	pci_free_irq_vectors(device);
unmap:
	unmap_registers(card);
free_card:
	kref_put(&card->references, pagepress_card_release);
	return error;
}

static void remove(struct pci_dev *device)
{
	struct pagepress_card *card = pci_get_drvdata(device);

	pagepress_card_take_down(card);
	pagepress_card_follower->left(card);
	pagepress_engines_leave(card);
	pagepress_report_errors(device, false);
	free_interrupts(card);
	if (!card->stopped)
		pci_err(device,
			"the card was never proven stopped: %u KiB of buffers stay out of use until the next boot\n",
			(unsigned int)(card->queue_count * card->queues[0].request_count * 2 *
				       PAGE_SIZE / 1024));
	destroy_queues(card);
	pci_free_irq_vectors(device);
	unmap_registers(card);
	pci_info(device, "card left; going on with the others or in software\n");
	kref_put(&card->references, pagepress_card_release);
}

static void shutdown(struct pci_dev *device)
{
	pagepress_card_take_down(pci_get_drvdata(device));
}

static const struct pci_device_id identities[] = {
	{ PCI_DEVICE(PAGEPRESS_PCI_VENDOR_ID, PAGEPRESS_PCI_DEVICE_ID) }, {}
};
MODULE_DEVICE_TABLE(pci, identities);

static struct pci_driver driver = {
	.name = KBUILD_MODNAME,
	.id_table = identities,
	.probe = probe,
	.remove = remove,
	.shutdown = shutdown,
	.driver.pm = &pagepress_card_power_operations,
	.err_handler = &pagepress_card_error_handlers,
};

struct workqueue_struct *pagepress_workqueue;
struct workqueue_struct *pagepress_late_workqueue;

const struct pagepress_card_follower *pagepress_card_follower;

/* `groups` are files of each card's PCI device. */
int pagepress_card_register(const struct pagepress_card_follower *follower,
			    const struct attribute_group **groups)
{
	int error = -ENOMEM;

	pagepress_card_follower = follower;
	driver.dev_groups = groups;
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
	error = pci_register_driver(&driver);
	if (error)
		goto destroy_late_workqueue;
	return 0;

destroy_late_workqueue:
	destroy_workqueue(pagepress_late_workqueue);
destroy_workqueue:
	destroy_workqueue(pagepress_workqueue);
	return error;
}

void pagepress_card_unregister(void)
{
	pci_unregister_driver(&driver);
	destroy_workqueue(pagepress_late_workqueue);
	destroy_workqueue(pagepress_workqueue);
}
