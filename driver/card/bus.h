/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How a card hangs on this machine. A bus finds cards, maps their registers, has their interrupts,
 * and answers what no register of a card can; all the rest of the driver knows a struct device,
 * mapped registers, and this.
 *
 * A card's life, as its bus leads it: allocate, map, identify, count queue pairs and find
 * interrupts for them, create queues, request interrupts, join; backwards: leave, free interrupts,
 * destroy queues, unmap, put the last reference.
 */
#ifndef PAGEPRESS_BUS_H
#define PAGEPRESS_BUS_H

#include "card/card.h"

/* Asked in process context, of a card that has joined or is about to. */
struct pagepress_bus {
	const char *reset_name;	/* what reset() does, for the log */

	/* Under card->lock: */

	/* Whether the card is where it was; what the card itself says is not asked. */
	bool (*present)(struct pagepress_card *card);
	/* From here on the card may reach memory. */
	void (*open)(struct pagepress_card *card);
	/* It is READY and answers just now. */
	void (*ready)(struct pagepress_card *card);
	/* Keeps the card from memory; true if nothing that it still wants to write gets there. */
	bool (*close)(struct pagepress_card *card);
	/*
	 * Ends what the card has under way. -EAGAIN: not now, or not at all, without a word; other
	 * errors are told.
	 */
	int (*reset)(struct pagepress_card *card);
	/* What others may have changed while the card was away is as it was when it came. */
	void (*restore)(struct pagepress_card *card);

	/* At any time: whether the bus lets nothing through, so that registers must not be read. */
	bool (*offline)(struct pagepress_card *card);
};

/* probe.c */
struct pagepress_card *
pagepress_card_allocate(struct device *device, const struct pagepress_bus *bus, size_t size);
int pagepress_card_set_dma_mask(struct pagepress_card *card);
int pagepress_card_queue_pairs(struct pagepress_card *card);
int pagepress_card_create_queues(struct pagepress_card *card, unsigned int count);
void pagepress_card_destroy_queues(struct pagepress_card *card);
int pagepress_card_join(struct pagepress_card *card);
void pagepress_card_leave(struct pagepress_card *card);
void pagepress_card_left(struct pagepress_card *card);

/* pci.c */
#ifdef CONFIG_PCI_MSI
int pagepress_pci_register(void);
void pagepress_pci_unregister(void);
#else
static inline int pagepress_pci_register(void)
{
	return 0;
}

static inline void pagepress_pci_unregister(void) {}
#endif

/* platform.c */
int pagepress_platform_register(void);
void pagepress_platform_unregister(void);

#endif
