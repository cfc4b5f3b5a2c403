// SPDX-License-Identifier: GPL-2.0-only
/*
 * The management part comes with its card, rests while the card's registers must not be touched,
 * and leaves with it. A card without one, or with one that is not understood, works all the same.
 */
#include <linux/slab.h>

#include "management/management.h"

/* Whether there is one that this driver understands; a minor version only adds. */
static bool understood(struct pagepress_card *card, u32 *version_read)
{
	u32 magic = pagepress_read(card, PAGEPRESS_MANAGEMENT_WINDOW_OFFSET +
						 PAGEPRESS_REGISTER_MANAGEMENT_MAGIC);
	u32 version = pagepress_read(card, PAGEPRESS_MANAGEMENT_WINDOW_OFFSET +
						   PAGEPRESS_REGISTER_MANAGEMENT_VERSION);

	*version_read = version;
	if (magic != PAGEPRESS_MANAGEMENT_MAGIC_VALUE)
		return false;
	if (version >> PAGEPRESS_MANAGEMENT_VERSION_MAJOR_SHIFT ==
	    PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_MAJOR)
		return true;
	dev_warn(card->device,
		 "the card's management interface is %u.%u, this driver's %u.%u: left alone; use a card image and a driver built from the same sources\n",
		 version >> PAGEPRESS_MANAGEMENT_VERSION_MAJOR_SHIFT,
		 version & PAGEPRESS_MANAGEMENT_VERSION_MINOR_MASK,
		 PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_MAJOR,
		 PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_MINOR);
	return false;
}

static void arrived(struct pagepress_card *card)
{
	struct pagepress_management *management;
	u32 version;

	if (!understood(card, &version))
		return;
	management = kzalloc(sizeof(*management), GFP_KERNEL);
	if (!management) {
		dev_warn(card->device, "no memory to watch the card's firmware: left alone\n");
		return;
	}
	management->card = card;
	management->minor = version & PAGEPRESS_MANAGEMENT_VERSION_MINOR_MASK;
	management->update_status = PAGEPRESS_NO_UPDATE;
	mutex_init(&management->mailbox);
	mutex_init(&management->self_test_lock);
	pagepress_log_init(management);
	pagepress_heartbeat_init(management);
	pagepress_heartbeat_start(management);
	pagepress_sensors_register(management);
	pagepress_upload_register(management);
	card->followed = management;
}

/* Afterwards nobody touches the window. No longer than one look, or the poll of an answer. */
static void away(struct pagepress_card *card)
{
	struct pagepress_management *management = card->followed;

	if (!management)
		return;
	WRITE_ONCE(management->away, true);
	pagepress_heartbeat_stop(management);
	/* Whoever waits for an answer, or for his turn, sees that the card is away. */
	mutex_lock(&management->mailbox);
	mutex_unlock(&management->mailbox);
}

static void back(struct pagepress_card *card)
{
	struct pagepress_management *management = card->followed;

	if (!management)
		return;
	WRITE_ONCE(management->away, false);
	pagepress_heartbeat_start(management);
}

/* The card is away. */
static void left(struct pagepress_card *card)
{
	struct pagepress_management *management = card->followed;

	if (!management)
		return;
	pagepress_upload_unregister(management);
	pagepress_sensors_unregister(management);
	card->followed = NULL;
	kfree(management);
}

const struct pagepress_card_follower pagepress_management_follower = {
	.arrived = arrived,
	.away = away,
	.back = back,
	.left = left,
};
