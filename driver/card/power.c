// SPDX-License-Identifier: GPL-2.0-only
/* Bringing a card up, and stopping it so that its buffers are ours again. All under card->lock. */
#include <linux/iopoll.h>

#include "card/bus.h"

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

/* Of a card that comes for the first time there are no queues yet. */
static bool has_room(struct pagepress_card *card, u32 capabilities)
{
	unsigned int pairs = (capabilities & PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) >>
			     PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT;
	unsigned int depth_log2 = (capabilities & PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_MASK) >>
				  PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT;

	return !card->queue_count ||
	       (card->queue_count <= pairs && ilog2(card->queues[0].depth) <= depth_log2);
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
		dev_err(card->device,
			"the card does not answer (registers read all ones): check its slot and power\n");
		return -ENODEV;
	}
	if (magic != PAGEPRESS_MAGIC_VALUE) {
		dev_err(card->device,
			"not a Pagepress card: MAGIC reads %#x, not %#x; check the image it was loaded with\n",
			magic, PAGEPRESS_MAGIC_VALUE);
		return -ENODEV;
	}
	if (!understood(version, low, high)) {
		dev_err(card->device,
			"interface mismatch: the card has %u.%u hash %08x%08x, this driver %u.%u hash %08x%08x; use a card image and a driver built from the same sources; going on in software\n",
			version >> PAGEPRESS_VERSION_MAJOR_SHIFT,
			version & PAGEPRESS_VERSION_MINOR_MASK, high, low, PAGEPRESS_VERSION_MAJOR,
			PAGEPRESS_VERSION_MINOR, PAGEPRESS_HASH_HIGH_VALUE,
			PAGEPRESS_HASH_LOW_VALUE);
		return -ENODEV;
	}
	if (page_shift != PAGE_SHIFT) {
		dev_err(card->device,
			"page size mismatch: the card compresses pages of %lu bytes, this kernel has %lu; use a card built for this page size; going on in software\n",
			1ul << (page_shift & 31), PAGE_SIZE);
		return -ENODEV;
	}
	if (!has_room(card, capabilities)) {
		dev_err(card->device,
			"the card has come back with fewer queue pairs or shallower rings than it had: remove and rescan it; going on in software\n");
		return -ENODEV;
	}
	WRITE_ONCE(card->engines, pagepress_read(card, PAGEPRESS_REGISTER_ENGINES));
	WRITE_ONCE(card->clock_khz, pagepress_read(card, PAGEPRESS_REGISTER_CLOCK));
	card->pushes = card->push_windows && capabilities & PAGEPRESS_CAPABILITIES_PUSH_MASK;
	WRITE_ONCE(card->weighs, capabilities & PAGEPRESS_CAPABILITIES_WEIGHTS_MASK);
	WRITE_ONCE(card->cold_tables, (capabilities & PAGEPRESS_CAPABILITIES_COLD_TABLES_MASK) >>
					      PAGEPRESS_CAPABILITIES_COLD_TABLES_SHIFT);
	return 0;
}

static int wait_ready(struct pagepress_card *card, u32 wanted, u32 *status)
{
	return readl_poll_timeout(card->registers + PAGEPRESS_REGISTER_STATUS, *status,
				  *status == PAGEPRESS_ALL_ONES ||
					  (*status & PAGEPRESS_STATUS_READY_MASK) == wanted,
				  POLL_US, READ_ONCE(pagepress_timeout_ms) * 1000ull);
}

/* What the card had under way is gone with it, whatever it thinks of READY. */
static bool reset(struct pagepress_card *card)
{
	u32 status;
	int error;

	/* Its firmware and whoever looks for a fault know of no recovery. */
	down_write(&card->reset_lock);
	error = card->bus->reset(card);
	up_write(&card->reset_lock);
	if (error == -EAGAIN)
		return false;
	if (error || wait_ready(card, 0, &status) || status == PAGEPRESS_ALL_ONES) {
		dev_err(card->device, "a %s did not help (%d)\n", card->bus->reset_name, error);
		return false;
	}
	dev_info(card->device, "the card did not stop when told to: stopped by a %s\n",
		 card->bus->reset_name);
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
		idle = reset(card);
	card->stopped = card->bus->close(card) || idle || !card->told;
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
	pagepress_card_resume_counters(card);

	card->told = true;
	card->stopped = false;
	card->bus->open(card);
	pagepress_write(card, PAGEPRESS_REGISTER_CONTROL, PAGEPRESS_CONTROL_ENABLE_MASK);
	if (wait_ready(card, PAGEPRESS_STATUS_READY_MASK, &status) ||
	    status == PAGEPRESS_ALL_ONES) {
		dev_err(card->device, "the card did not become ready within %u ms (STATUS %#x)\n",
			READ_ONCE(pagepress_timeout_ms), status);
		disable(card);
		return -ETIMEDOUT;
	}
	for (number = 0; number < card->queue_count; number++)
		pagepress_queue_start(&card->queues[number]);
	card->ready_since = get_jiffies_64();
	pagepress_probation_begin(card);
	WRITE_ONCE(card->state, PAGEPRESS_CARD_READY);
	card->bus->ready(card);
	return 0;
}

/* As pagepress_card_start, of a card that may have been away or reset by others meanwhile. */
int pagepress_card_restart(struct pagepress_card *card)
{
	if (!card->bus->present(card)) {
		dev_info(card->device, "the card is not on the bus\n");
		return -ENODEV;
	}
	card->bus->restore(card);
	return pagepress_card_start(card);
}

/*
 * Everything in flight is done by this CPU: nobody waits for the card. First what is read, for
 * which a task waits, however many writes of whatever queue were before it.
 */
static void stop_queues(struct pagepress_card *card)
{
	unsigned int number;
	LIST_HEAD(reads);
	LIST_HEAD(writes);

	for (number = 0; number < card->queue_count; number++)
		pagepress_queue_stop(&card->queues[number], &reads, &writes);
	pagepress_late_redo(&reads);
	for (number = 0; number < card->queue_count; number++)
		pagepress_queue_finish(&card->queues[number]);
	pagepress_late_redo(&writes);
	pagepress_engines_wait_idle(card);
}

/* The caller has set a state other than READY. Only he waits for the card. */
void pagepress_card_stop(struct pagepress_card *card)
{
	stop_queues(card);
	disable(card);
	if (!card->stopped)
		dev_err(card->device,
			"the card does not confirm that it has stopped: its buffers rest until it does\n");
}

/* As pagepress_card_stop, while the bus wants the card left alone: its buffers rest. */
void pagepress_card_abandon(struct pagepress_card *card)
{
	stop_queues(card);
	card->stopped = false;
}
