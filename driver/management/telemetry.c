// SPDX-License-Identifier: GPL-2.0-only
/*
 * The telemetry page: one snapshot of what lanes, queues, link and sensors count. The firmware
 * publishes one many times a second; the card shows the one that was taken until another is, so
 * whoever reads between two looks at the same number has one whole.
 */
#include "management/management.h"

#define TRIES 4 /* more than one only when somebody else takes pages, past this driver */

/* Of a card whose interface is older there is none. */
bool pagepress_has_telemetry_page(struct pagepress_management *management)
{
	return management->minor >= 3;
}

static void get_words(struct pagepress_management *management, __le32 *words, size_t from,
		      size_t to)
{
	size_t at;

	for (at = from; at < to; at += sizeof(*words))
		words[at / sizeof(*words)] =
			cpu_to_le32(pagepress_window_read(management,
							  PAGEPRESS_TELEMETRY_OFFSET + at));
}

/* Bytes of the parts that the header speaks of; each at least as long as this driver knows it. */
static size_t length_of(const struct pagepress_telemetry_header *header)
{
	size_t head = le16_to_cpu(header->header_bytes);
	size_t telemetry = le16_to_cpu(header->telemetry_bytes);
	size_t link = le16_to_cpu(header->link_bytes);
	size_t lane = le16_to_cpu(header->lane_bytes);
	size_t queue = le16_to_cpu(header->queue_bytes);

	if (head < sizeof(*header) || telemetry < sizeof(struct pagepress_telemetry) ||
	    link < sizeof(struct pagepress_telemetry_link) ||
	    lane < sizeof(struct pagepress_lane) ||
	    queue < sizeof(struct pagepress_telemetry_queue))
		return 0;
	if ((head | telemetry | link | lane | queue) % sizeof(__le32))
		return 0;
	if (header->lanes > PAGEPRESS_LANE_COUNT || header->queues > PAGEPRESS_QUEUE_COUNT)
		return 0;
	return head + telemetry + link + header->lanes * lane + header->queues * queue;
}

/* Whether its header, which is at the beginning, is one. No number there leads out of the page. */
static bool believable(const struct pagepress_telemetry_header *header)
{
	size_t length = length_of(header);

	return length && length <= PAGEPRESS_TELEMETRY_PAGE_BYTES &&
	       length == le16_to_cpu(header->length);
}

static int take(struct pagepress_management *management, union pagepress_telemetry_page *page)
{
	u32 sequence;

	pagepress_window_write(management, PAGEPRESS_REGISTER_TELEMETRY_TAKE, 1);
	sequence = pagepress_window_read(management, PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE);
	if (sequence == PAGEPRESS_ALL_ONES)
		return -ENODEV;
	if (!sequence)
		return -ENODATA;
	get_words(management, page->words, 0, sizeof(page->header));
	/* Of a header that is no header nothing more is read; whether it is, is seen below. */
	if (believable(&page->header))
		get_words(management, page->words, sizeof(page->header),
			  le16_to_cpu(page->header.length));
	/* A card that has gone meanwhile reads as all ones, one that was reset as no snapshot. */
	if (pagepress_window_read(management, PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE) != sequence)
		return -EAGAIN;
	return believable(&page->header) ? 0 : -EPROTO;
}

/*
 * The newest snapshot, its length or a negative errno: -ENODEV, the card is away; -ENODATA, no
 * firmware has published one; -EPROTO, what stands there is none; -EAGAIN, somebody else takes
 * pages all the time; -ERESTARTSYS. Firmware that has died leaves its last one.
 */
int pagepress_telemetry_take(struct pagepress_management *management,
			     union pagepress_telemetry_page *page)
{
	int error = -EAGAIN;
	unsigned int try;

	if (mutex_lock_interruptible(&management->mailbox))
		return -ERESTARTSYS;
	for (try = 0; try < TRIES && error == -EAGAIN; try++)
		error = READ_ONCE(management->away) ? -ENODEV : take(management, page);
	mutex_unlock(&management->mailbox);
	return error ? error : le16_to_cpu(page->header.length);
}
