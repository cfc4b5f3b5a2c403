// SPDX-License-Identifier: GPL-2.0-only
/* Bringing a card up, and stopping it so that its buffers are ours again. All under card->lock. */
#include <linux/iopoll.h>

#include "card/card.h"

#define POLL_US 100 /* between two looks at READY */
#define OLDEST_MINOR 1 /* before it, completions do not carry the stream's CRC32C */

/* A minor version only adds; two of the same number must be the same. */
static bool understood(u32 version, u32 low, u32 high)
{
	u32 minor = version & PAGEPRESS_VERSION_MINOR_MASK;

	if (version >> PAGEPRESS_VERSION_MAJOR_SHIFT != PAGEPRESS_VERSION_MAJOR)
		return false;
	if (minor != PAGEPRESS_VERSION_MINOR)
		return minor >= OLDEST_MINOR;
	return low == PAGEPRESS_HASH_LOW_VALUE && high == PAGEPRESS_HASH_HIGH_VALUE;
}

/*
 * -ENODEV and one line saying what to do, unless this driver understands this card's interface.
 * Sets what the card can do.
 */
int pagepress_card_identify(struct pagepress_card *card)
{
	u32 magic = pagepress_read(card, PAGEPRESS_REGISTER_MAGIC);
	u32 version = pagepress_read(card, PAGEPRESS_REGISTER_VERSION);
	u32 low = pagepress_read(card, PAGEPRESS_REGISTER_HASH_LOW);
	u32 high = pagepress_read(card, PAGEPRESS_REGISTER_HASH_HIGH);
	u32 capabilities = pagepress_read(card, PAGEPRESS_REGISTER_CAPABILITIES);
	u32 page_shift = (capabilities & PAGEPRESS_CAPABILITIES_PAGE_SHIFT_MASK) >>
			 PAGEPRESS_CAPABILITIES_PAGE_SHIFT_SHIFT;

	if (magic == PAGEPRESS_ALL_ONES) {
		pci_err(card->device,
			"the card does not answer (registers read all ones): check its slot and power\n");
		return -ENODEV;
	}
	if (magic != PAGEPRESS_MAGIC_VALUE) {
		pci_err(card->device,
			"not a Pagepress card: MAGIC reads %#x, not %#x; check the image it was loaded with\n",
			magic, PAGEPRESS_MAGIC_VALUE);
		return -ENODEV;
	}
	if (!understood(version, low, high)) {
		pci_err(card->device,
			"interface mismatch: the card has %u.%u hash %08x%08x, this driver %u.%u hash %08x%08x; use a card image and a driver built from the same sources; going on in software\n",
			version >> PAGEPRESS_VERSION_MAJOR_SHIFT,
			version & PAGEPRESS_VERSION_MINOR_MASK, high, low, PAGEPRESS_VERSION_MAJOR,
			PAGEPRESS_VERSION_MINOR, PAGEPRESS_HASH_HIGH_VALUE,
			PAGEPRESS_HASH_LOW_VALUE);
		return -ENODEV;
	}
	if (page_shift != PAGE_SHIFT) {
		pci_err(card->device,
			"page size mismatch: the card compresses pages of %lu bytes, this kernel has %lu; use a card built for this page size; going on in software\n",
			1ul << (page_shift & 31), PAGE_SIZE);
		return -ENODEV;
	}
	card->pushes = card->push_windows && capabilities & PAGEPRESS_CAPABILITIES_PUSH_MASK;
	return 0;
}

static int wait_ready(struct pagepress_card *card, u32 wanted, u32 *status)
{
	return readl_poll_timeout(card->registers + PAGEPRESS_REGISTER_STATUS, *status,
				  *status == PAGEPRESS_ALL_ONES ||
					  (*status & PAGEPRESS_STATUS_READY_MASK) == wanted,
				  POLL_US, READ_ONCE(pagepress_timeout_ms) * 1000ull);
}

static bool on_the_bus(struct pagepress_card *card)
{
	u16 vendor;

	return !pci_read_config_word(card->device, PCI_VENDOR_ID, &vendor) &&
	       vendor == PAGEPRESS_PCI_VENDOR_ID;
}

/*
 * Bus mastering off keeps the buffers safe while it stays off, if the device itself confirms it. It
 * does not make the card fit to start again: what it still wants to write would follow then.
 */
static bool master_is_off(struct pagepress_card *card)
{
	u16 command;

	pci_clear_master(card->device);
	if (pci_read_config_word(card->device, PCI_COMMAND, &command) || command == 0xffff)
		return false;
	return !(command & PCI_COMMAND_MASTER);
}

/* Whether the port above, which is none of the card's, says that the link is up, or down. */
static bool link_is(struct pagepress_card *card, bool up)
{
	struct pci_dev *port = pci_upstream_bridge(card->device);
	u32 capabilities;
	u16 status;

	return port && !pcie_capability_read_dword(port, PCI_EXP_LNKCAP, &capabilities) &&
	       capabilities != PAGEPRESS_ALL_ONES && capabilities & PCI_EXP_LNKCAP_DLLLARC &&
	       !pcie_capability_read_word(port, PCI_EXP_LNKSTA, &status) && status != 0xffff &&
	       !!(status & PCI_EXP_LNKSTA_DLLLA) == up;
}

/*
 * Nobody is at the other end of the link: then what was there can reach no memory, and has been
 * reset when it is there again. Not by the word of a port that said so of a card that worked. That
 * the card's own configuration space reads all ones says only that it does not answer.
 */
static bool link_is_down(struct pagepress_card *card)
{
	return card->link_was_up && link_is(card, false);
}

/* Configuration space as it was when the card came, but without bus mastering. */
static void restore_configuration(struct pagepress_card *card)
{
	if (!card->saved || pci_load_saved_state(card->device, card->saved))
		return;
	pci_restore_state(card->device);
	pci_clear_master(card->device);
}

/*
 * Function-level reset: what the card had under way is gone with it, whatever it thinks of READY.
 * Not while somebody else resets it: they hold the access and wait for card->lock.
 */
static bool reset_function(struct pagepress_card *card)
{
	u32 status;
	int error;

	if (!on_the_bus(card) || !pci_cfg_access_trylock(card->device))
		return false;
	error = pcie_reset_flr(card->device, PCI_RESET_DO_RESET);
	pci_cfg_access_unlock(card->device);
	restore_configuration(card);
	if (error || wait_ready(card, 0, &status) || status == PAGEPRESS_ALL_ONES) {
		pci_err(card->device, "a function-level reset did not help (%d)\n", error);
		return false;
	}
	pci_info(card->device, "the card did not stop when told to: stopped by a function-level reset\n");
	return true;
}

/*
 * The queues are done with; sets card->stopped if the card can no longer touch any buffer. True if
 * it is also fit to start again. Bounded by timeout_ms.
 */
static bool disable(struct pagepress_card *card)
{
	bool idle;
	u32 status;

	pagepress_write(card, PAGEPRESS_REGISTER_CONTROL, 0);
	idle = !wait_ready(card, 0, &status) && status != PAGEPRESS_ALL_ONES;
	if (!idle && status != PAGEPRESS_ALL_ONES)
		idle = reset_function(card);
	card->stopped = master_is_off(card) || idle || link_is_down(card);
	return idle;
}

/* Ends with state READY, or as before with the card disabled and an errno. */
int pagepress_card_start(struct pagepress_card *card)
{
	unsigned int number;
	u32 status;
	int error;

	error = pagepress_card_identify(card);
	if (error)
		return error;
	/* Whoever had the card before us may have left it running. */
	if (!disable(card))
		return -EBUSY;

	card->stopped = false;
	pci_set_master(card->device);
	pagepress_write(card, PAGEPRESS_REGISTER_CONTROL, PAGEPRESS_CONTROL_ENABLE_MASK);
	if (wait_ready(card, PAGEPRESS_STATUS_READY_MASK, &status) ||
	    status == PAGEPRESS_ALL_ONES) {
		pci_err(card->device, "the card did not become ready within %u ms (STATUS %#x)\n",
			READ_ONCE(pagepress_timeout_ms), status);
		disable(card);
		return -ETIMEDOUT;
	}
	for (number = 0; number < card->queue_count; number++)
		pagepress_queue_start(&card->queues[number]);
	card->ready_since = jiffies;
	card->link_was_up = link_is(card, true);
	pagepress_probation_begin(card);
	WRITE_ONCE(card->state, PAGEPRESS_CARD_READY);
	return 0;
}

/* As pagepress_card_start, of a card that may have been away or reset by others meanwhile. */
int pagepress_card_restart(struct pagepress_card *card)
{
	if (!on_the_bus(card)) {
		pci_info(card->device, "the card is not on the bus\n");
		return -ENODEV;
	}
	restore_configuration(card);
	return pagepress_card_start(card);
}

/* Everything in flight is done by this CPU: nobody waits for the card. */
static void stop_queues(struct pagepress_card *card)
{
	unsigned int number;

	for (number = 0; number < card->queue_count; number++)
		pagepress_queue_stop(&card->queues[number]);
	pagepress_engines_wait_idle(card);
}

/* The caller has set a state other than READY. Only he waits for the card. */
void pagepress_card_stop(struct pagepress_card *card)
{
	stop_queues(card);
	disable(card);
	if (!card->stopped)
		pci_err(card->device,
			"the card does not confirm that it has stopped: its buffers rest until it does\n");
}

/* As pagepress_card_stop, while the bus wants the card left alone: its buffers rest. */
void pagepress_card_cut_off(struct pagepress_card *card)
{
	stop_queues(card);
	card->stopped = false;
}

/*
 * After others have reset its slot, which ends all it had under way. False unless it answers and
 * confirms that it is quiet.
 */
bool pagepress_card_was_reset(struct pagepress_card *card)
{
	restore_configuration(card);
	card->stopped = on_the_bus(card) && master_is_off(card);
	return card->stopped;
}
