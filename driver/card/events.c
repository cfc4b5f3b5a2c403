// SPDX-License-Identifier: GPL-2.0-only
/*
 * What befalls a card: suspend, a reset that somebody asks for, errors that the bus has found (AER,
 * DPC). Each takes it out of service and brings it back; its pages go on without it.
 */
#include <linux/pci.h>
#include <linux/pm.h>

#include "card/card.h"

/* Takes the card out of service; in-flight pages are done by this CPU. */
void pagepress_card_take_down(struct pagepress_card *card)
{
	mutex_lock(&card->lock);
	pagepress_card_read_counters(card);
	xchg(&card->state, PAGEPRESS_CARD_STOPPED);
	pagepress_card_stop(card);
	mutex_unlock(&card->lock);
	pagepress_recovery_cancel(card);
	pagepress_card_follower->away(card);
}

static int bring_back(struct pagepress_card *card)
{
	int error;

	mutex_lock(&card->lock);
	WRITE_ONCE(card->state, PAGEPRESS_CARD_STARTING);
	/* Somebody cares for the card: earlier failures no longer count. */
	card->failures = 0;
	error = pagepress_card_restart(card);
	if (error) {
		WRITE_ONCE(card->state, PAGEPRESS_CARD_DEAD);
		pagepress_card_rejoin_later(card);
	} else {
		pci_info(card->device, "card ready again\n");
	}
	mutex_unlock(&card->lock);
	pagepress_card_follower->back(card);
	return error;
}

/* ---- power ---- */

static int __maybe_unused suspend(struct device *device)
{
	pagepress_card_take_down(dev_get_drvdata(device));
	return 0;
}

/* A card that does not come back is no reason to fail the resume: software goes on. */
static int __maybe_unused resume(struct device *device)
{
	bring_back(dev_get_drvdata(device));
	return 0;
}

/* Of hibernation too, which is refused while a disk is in use: hibernation.c. */
SIMPLE_DEV_PM_OPS(pagepress_card_power_operations, suspend, resume);

/* ---- resets that somebody asks for ---- */

static void reset_prepare(struct pci_dev *device)
{
	pagepress_card_take_down(pci_get_drvdata(device));
}

static void reset_done(struct pci_dev *device)
{
	bring_back(pci_get_drvdata(device));
}

/* ---- errors: see Documentation/PCI/pci-error-recovery of the kernel ---- */

/* The bus lets nothing through, or will not: the card is not touched until it has been reset. */
static void cut_off(struct pagepress_card *card)
{
	mutex_lock(&card->lock);
	xchg(&card->state, PAGEPRESS_CARD_STOPPED);
	pagepress_card_cut_off(card);
	mutex_unlock(&card->lock);
	pagepress_recovery_cancel(card);
	pagepress_card_follower->away(card);
}

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
		cut_off(card);
		return PCI_ERS_RESULT_NEED_RESET;
	default:
		pci_err(device,
			"the bus has given the card up: its pages are done in software; remove and rescan it\n");
		cut_off(card);
		return PCI_ERS_RESULT_DISCONNECT;
	}
}

static pci_ers_result_t slot_reset(struct pci_dev *device)
{
	struct pagepress_card *card = pci_get_drvdata(device);
	bool stopped;

	/* Also for the error of a neighbour, whose reset is ours as well. */
	cut_off(card);
	mutex_lock(&card->lock);
	stopped = pagepress_card_was_reset(card);
	mutex_unlock(&card->lock);
	return stopped ? PCI_ERS_RESULT_RECOVERED : PCI_ERS_RESULT_DISCONNECT;
}

/* The bus works again. A card that was not cut off has gone on all the time, or recovers itself. */
static void error_resume(struct pci_dev *device)
{
	struct pagepress_card *card = pci_get_drvdata(device);

	if (READ_ONCE(card->state) == PAGEPRESS_CARD_STOPPED)
		bring_back(card);
}

const struct pci_error_handlers pagepress_card_error_handlers = {
	.error_detected = error_detected,
	.slot_reset = slot_reset,
	.resume = error_resume,
	.reset_prepare = reset_prepare,
	.reset_done = reset_done,
};
