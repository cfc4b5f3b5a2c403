// SPDX-License-Identifier: GPL-2.0-only
/* Cards on PCI Express: configuration space, MSI-X, the port above, errors that the bus finds. */
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "card/bus.h"
#include "card/compat.h"

/* Interrupts within STORM_TIME that nothing explains: a sound card has a few, which cost little. */
#define STORM 100
#define STORM_TIME (10 * HZ)

struct pci_card;

/* Nothing on the way ends a card's messages: one CPU would do nothing but take them. */
struct vector {
	struct pci_card *card;
	unsigned int number;	/* as the card counts them */
	unsigned long since;	/* jiffies; the handler counts from there */
	unsigned int interrupts;
	u32 completed;		/* the queue's at that time */
	unsigned long off;	/* bit 0: disabled, until the card works again */
};

struct pci_card {
	struct pagepress_card card;
	bool link_was_up;	/* said the port above when the card was last started */
	struct pci_saved_state *saved;	/* configuration space, for a card that lost its own */
	struct vector vectors[PAGEPRESS_FIRST_QUEUE_VECTOR + PAGEPRESS_MAX_QUEUE_PAIRS];
};

static struct pci_card *of_pci(struct pagepress_card *card)
{
	return container_of(card, struct pci_card, card);
}

/* ---- what only configuration space and the port above know ---- */

static bool present(struct pagepress_card *card)
{
	u16 vendor;

	return !pci_read_config_word(to_pci_dev(card->device), PCI_VENDOR_ID, &vendor) &&
	       vendor == PAGEPRESS_PCI_VENDOR_ID;
}

/*
 * Bus mastering off keeps the buffers safe while it stays off, if the device itself confirms it. It
 * does not make the card fit to start again: what it still wants to write would follow then.
 */
static bool master_is_off(struct pci_dev *device)
{
	u16 command;

	pci_clear_master(device);
	if (pci_read_config_word(device, PCI_COMMAND, &command) || command == 0xffff)
		return false;
	return !(command & PCI_COMMAND_MASTER);
}

/* Whether the port above, which is none of the card's, says that the link is up, or down. */
static bool link_is(struct pci_dev *device, bool up)
{
	struct pci_dev *port = pci_upstream_bridge(device);
	u32 capabilities;
	u16 status;

	return port && !pcie_capability_read_dword(port, PCI_EXP_LNKCAP, &capabilities) &&
	       capabilities != PAGEPRESS_ALL_ONES && capabilities & PCI_EXP_LNKCAP_DLLLARC &&
	       !pcie_capability_read_word(port, PCI_EXP_LNKSTA, &status) && status != 0xffff &&
	       !!(status & PCI_EXP_LNKSTA_DLLLA) == up;
}

static void open(struct pagepress_card *card)
{
	pci_set_master(to_pci_dev(card->device));
}

/* What the port says of a link that works tells whether to believe it later. */
static void ready(struct pagepress_card *card)
{
	struct pci_dev *device = to_pci_dev(card->device);
	struct pci_card *pci = of_pci(card);
	unsigned int number;

	pci->link_was_up = link_is(device, true);
	for (number = 0; number < PAGEPRESS_FIRST_QUEUE_VECTOR + card->queue_count; number++) {
		if (test_and_clear_bit(0, &pci->vectors[number].off))
			enable_irq(pci_irq_vector(device, number));
	}
}

/*
 * Also when nobody is at the other end of the link: then what was there can reach no memory, and
 * has been reset when it is there again. Not by the word of a port that said so of a card that
 * worked. That the card's own configuration space reads all ones says only that it does not answer.
 */
static bool close(struct pagepress_card *card)
{
	struct pci_dev *device = to_pci_dev(card->device);

	return master_is_off(device) || (of_pci(card)->link_was_up && link_is(device, false));
}

/* Configuration space as it was when the card came, but without bus mastering. */
static void restore(struct pagepress_card *card)
{
	struct pci_dev *device = to_pci_dev(card->device);
	struct pci_saved_state *saved = of_pci(card)->saved;

	if (!saved || pci_load_saved_state(device, saved))
		return;
	pci_restore_state(device);
	pci_clear_master(device);
}

/*
 * Function-level reset: what the card had under way is gone with it, whatever it thinks of READY.
 * Not while somebody else resets it: they hold the access and wait for card->lock.
 */
static int reset(struct pagepress_card *card)
{
	struct pci_dev *device = to_pci_dev(card->device);
	int error;

	if (!present(card) || !pci_cfg_access_trylock(device))
		return -EAGAIN;
	error = pcie_reset_flr(device, PCI_RESET_DO_RESET);
	pci_cfg_access_unlock(device);
	restore(card);
	return error;
}

static bool offline(struct pagepress_card *card)
{
	return pci_channel_offline(to_pci_dev(card->device));
}

static const struct pagepress_bus bus = {
	.reset_name = "function-level reset",
	.present = present,
	.open = open,
	.ready = ready,
	.close = close,
	.reset = reset,
	.restore = restore,
	.offline = offline,
};

/* ---- registers and interrupts ---- */

static void iounmap_registers(struct pagepress_card *card)
{
	struct pci_dev *device = to_pci_dev(card->device);

	if (card->push_windows)
		pci_iounmap(device, card->push_windows);
	pci_iounmap(device, card->registers);
}

static int map_registers(struct pagepress_card *card)
{
	struct pci_dev *device = to_pci_dev(card->device);
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
	error = pagepress_card_set_dma_mask(card);
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
	struct pci_dev *device = to_pci_dev(card->device);

	iounmap_registers(card);
	pci_release_mem_regions(device);
	pci_disable_device(device);
}

/* NULL of events. */
static struct pagepress_queue *queue_of(struct vector *vector)
{
	if (vector->number < PAGEPRESS_FIRST_QUEUE_VECTOR)
		return NULL;
	return &vector->card->card.queues[vector->number - PAGEPRESS_FIRST_QUEUE_VECTOR];
}

/*
 * A queue interrupts once, and then once for each acknowledgment, which takes an answer at least,
 * whoever takes it: so polling explains interrupts that find nothing. Of events none comes often.
 */
static bool storms(struct vector *vector)
{
	struct pagepress_queue *queue = queue_of(vector);
	u32 completed = queue ? READ_ONCE(queue->completed) : 0;
	bool storm = ++vector->interrupts > STORM + (completed - vector->completed);

	if (storm || jiffies - vector->since > STORM_TIME) {
		vector->since = jiffies;
		vector->interrupts = 0;
		vector->completed = completed;
	}
	return storm;
}

/*
 * The kernel looks for storms, too, but for far longer ones and by what handlers return, and tells
 * nobody to stop the card. Recovery does, which takes bus mastering away. Off before the card
 * fails: ready() of a later start switches it on.
 */
static void end_storm(struct vector *vector, int interrupt)
{
	struct pagepress_card *card = &vector->card->card;

	disable_irq_nosync(interrupt);
	test_and_set_bit(0, &vector->off); /* ordered before the state is looked at */
	pagepress_card_fail(card, "its vector %u interrupts without end", vector->number);
}

/* Whoever polls may have taken what the interrupt is for: then no thread is woken for it. */
static irqreturn_t wake_thread(int interrupt, void *context)
{
	struct vector *vector = context;
	struct pagepress_queue *queue = queue_of(vector);

	if (storms(vector))
		end_storm(vector, interrupt);
	return !queue || pagepress_queue_answered(queue) ? IRQ_WAKE_THREAD : IRQ_HANDLED;
}

/*
 * In a thread that exists already: completions free memory, so they must not need any to get going.
 */
static irqreturn_t completion_thread(int interrupt, void *context)
{
	struct pagepress_queue *queue = queue_of(context);

	while (pagepress_queue_reap(queue, queue->request_count))
		cond_resched();
	return IRQ_HANDLED;
}

static irqreturn_t event_thread(int interrupt, void *context)
{
	struct vector *vector = context;

	pagepress_card_check(&vector->card->card);
	return IRQ_HANDLED;
}

static void free_interrupts(struct pagepress_card *card, unsigned int count)
{
	while (count--)
		pci_free_irq(to_pci_dev(card->device), count, &of_pci(card)->vectors[count]);
}

static int request_interrupts(struct pagepress_card *card)
{
	struct pci_dev *device = to_pci_dev(card->device);
	struct vector *vectors = of_pci(card)->vectors;
	unsigned int number;
	int error;

	for (number = 0; number < PAGEPRESS_FIRST_QUEUE_VECTOR + card->queue_count; number++) {
		vectors[number].card = of_pci(card);
		vectors[number].number = number;
	}
	error = pci_request_irq(device, PAGEPRESS_EVENT_VECTOR, wake_thread, event_thread,
				&vectors[PAGEPRESS_EVENT_VECTOR], "%s-%s-events", KBUILD_MODNAME,
				pci_name(device));
	if (error)
		return error;
	for (number = 0; number < card->queue_count; number++) {
		error = pci_request_irq(device, PAGEPRESS_FIRST_QUEUE_VECTOR + number, wake_thread,
					completion_thread,
					&vectors[PAGEPRESS_FIRST_QUEUE_VECTOR + number],
					"%s-%s-queue%u", KBUILD_MODNAME, pci_name(device), number);
		if (error)
			goto unwind;
	}
	return 0;

unwind:
	free_interrupts(card, PAGEPRESS_FIRST_QUEUE_VECTOR + number);
	return error;
}

/* For as many queue pairs as the card has and there are vectors for; returns how many. */
static int allocate_vectors(struct pagepress_card *card)
{
	int pairs = pagepress_card_queue_pairs(card), vectors;

	if (pairs < 0)
		return pairs;
	vectors = pci_alloc_irq_vectors(to_pci_dev(card->device), PAGEPRESS_FIRST_QUEUE_VECTOR + 1,
					PAGEPRESS_FIRST_QUEUE_VECTOR + pairs, PCI_IRQ_MSIX);
	if (vectors < 0) {
		dev_err(card->device, "no MSI-X vectors (%d): the card cannot be used\n", vectors);
		return vectors;
	}
	return vectors - PAGEPRESS_FIRST_QUEUE_VECTOR;
}

/* ---- coming and going ---- */

static int probe(struct pci_dev *device, const struct pci_device_id *id)
{
	struct pagepress_card *card = pagepress_card_allocate(&device->dev, &bus,
							      sizeof(struct pci_card));
	int error, queues;

	if (!card)
		return -ENOMEM;
	error = map_registers(card);
	if (error)
		goto free_card;
	error = pagepress_card_identify(card);
	if (error)
		goto unmap;
	queues = allocate_vectors(card);
	if (queues < 0) {
		error = queues;
		goto unmap;
	}
	error = pagepress_card_create_queues(card, queues);
	if (error)
		goto free_vectors;
	error = request_interrupts(card);
	if (error)
		goto free_queues;
	pagepress_report_errors(device, true); /* also what is saved next */
	/* Without it, a card that lost its configuration cannot come back; that is all. */
	if (!pci_save_state(device))
		of_pci(card)->saved = pci_store_saved_state(device);
	error = pagepress_card_join(card);
	if (error)
		goto free_interrupts;
	return 0;

free_interrupts:
	kfree(of_pci(card)->saved);
	pagepress_report_errors(device, false);
	free_interrupts(card, PAGEPRESS_FIRST_QUEUE_VECTOR + card->queue_count);
free_queues:
	pagepress_card_destroy_queues(card);
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

	pagepress_card_leave(card);
	kfree(of_pci(card)->saved);
	pagepress_report_errors(device, false);
	free_interrupts(card, PAGEPRESS_FIRST_QUEUE_VECTOR + card->queue_count);
	pagepress_card_destroy_queues(card);
	pci_free_irq_vectors(device);
	unmap_registers(card);
	pagepress_card_left(card);
}

static void shutdown(struct pci_dev *device)
{
	pagepress_card_take_down(pci_get_drvdata(device));
}

/* ---- resets that somebody asks for ---- */

static void reset_prepare(struct pci_dev *device)
{
	pagepress_card_take_down(pci_get_drvdata(device));
}

static void reset_done(struct pci_dev *device)
{
	pagepress_card_bring_back(pci_get_drvdata(device));
}

/* ---- errors: see Documentation/PCI/pci-error-recovery of the kernel ---- */

static pci_ers_result_t error_detected(struct pci_dev *device, pci_channel_state_t state)
{
	struct pagepress_card *card = pci_get_drvdata(device);

	switch (state) {
	case pci_channel_io_normal:
		/* One request went wrong. If it was the card's, it says so. */
		pci_warn(device, "the bus reports an error that stops nothing\n");
		pagepress_card_check(card);
		return PCI_ERS_RESULT_CAN_RECOVER;
	case pci_channel_io_frozen:
		pci_err(device,
			"the bus reports an error and cuts the card off: its pages are done in software\n");
		pagepress_card_cut_off(card);
		return PCI_ERS_RESULT_NEED_RESET;
	default:
		pci_err(device,
			"the bus has given the card up: its pages are done in software; remove and rescan it\n");
		pagepress_card_cut_off(card);
		return PCI_ERS_RESULT_DISCONNECT;
	}
}

static pci_ers_result_t slot_reset(struct pci_dev *device)
{
	struct pagepress_card *card = pci_get_drvdata(device);

	/* Also for the error of a neighbour, whose reset is ours as well. */
	pagepress_card_cut_off(card);
	mutex_lock(&card->lock);
	restore(card);
	/* The slot's reset ended all it had under way; it must answer, and be quiet. */
	card->stopped = present(card) && master_is_off(device);
	mutex_unlock(&card->lock);
	return card->stopped ? PCI_ERS_RESULT_RECOVERED : PCI_ERS_RESULT_DISCONNECT;
}

/* The bus works again. A card that was not cut off has gone on all the time, or recovers itself. */
static void error_resume(struct pci_dev *device)
{
	struct pagepress_card *card = pci_get_drvdata(device);

	if (READ_ONCE(card->state) == PAGEPRESS_CARD_STOPPED)
		pagepress_card_bring_back(card);
}

static const struct pci_error_handlers error_handlers = {
	.error_detected = error_detected,
	.slot_reset = slot_reset,
	.resume = error_resume,
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};

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
	.err_handler = &error_handlers,
};

int pagepress_pci_register(void)
{
	return pci_register_driver(&driver);
}

void pagepress_pci_unregister(void)
{
	pci_unregister_driver(&driver);
}
