// SPDX-License-Identifier: GPL-2.0-only
/*
 * What befalls a card: suspend, a reset that somebody asks for, errors that the bus has found. Each
 * takes it out of service and brings it back; its pages go on without it.
 */
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

int pagepress_card_bring_back(struct pagepress_card *card)
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
		dev_info(card->device, "card ready again\n");
	}
	mutex_unlock(&card->lock);
	pagepress_card_follower->back(card);
	return error;
}

/* The bus lets nothing through, or will not: the card is not touched until it has been reset. */
void pagepress_card_cut_off(struct pagepress_card *card)
{
	mutex_lock(&card->lock);
	xchg(&card->state, PAGEPRESS_CARD_STOPPED);
	pagepress_card_abandon(card);
	mutex_unlock(&card->lock);
	pagepress_recovery_cancel(card);
	pagepress_card_follower->away(card);
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
	pagepress_card_bring_back(dev_get_drvdata(device));
	return 0;
}

/* Of hibernation too, which is refused while a disk is in use: hibernation.c. */
SIMPLE_DEV_PM_OPS(pagepress_card_power_operations, suspend, resume);
