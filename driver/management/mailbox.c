// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages to the firmware, one at a time. Whatever the firmware does, nobody waits longer than
 * ANSWER_US for an answer, and nobody who frees memory waits here.
 */
#include <linux/iopoll.h>

#include "management/management.h"

#define ANSWER_US (2 * USEC_PER_SEC) /* an update may erase, its commit checks a signature */
#define POLL_US 500

static u32 state_of(u32 mailbox)
{
	return (mailbox & PAGEPRESS_MAILBOX_STATUS_STATE_MASK) >>
	       PAGEPRESS_MAILBOX_STATUS_STATE_SHIFT;
}

/*
 * Until it is our turn: at once, unless the firmware still has a request that was given up. Whoever
 * gave it up has waited for all who come after him, so that many of them do not add up.
 */
static int wait_turn(struct pagepress_management *management, u32 *mailbox)
{
	int error = read_poll_timeout(pagepress_window_read, *mailbox,
				      *mailbox == PAGEPRESS_ALL_ONES ||
					      READ_ONCE(management->away) ||
					      state_of(*mailbox) !=
						      PAGEPRESS_MAILBOX_STATE_REQUESTED,
				      POLL_US,
				      management->overdue ? POLL_US : ANSWER_US, false, management,
				      PAGEPRESS_REGISTER_MAILBOX_STATUS);

	if (READ_ONCE(management->away) || *mailbox == PAGEPRESS_ALL_ONES)
		return -ENODEV;
	management->overdue = error == -ETIMEDOUT;
	return error;
}

static void put_words(struct pagepress_management *management, const __le32 *words, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += sizeof(*words))
		pagepress_window_write(management, PAGEPRESS_MAILBOX_REQUEST_OFFSET + at,
				       le32_to_cpu(*words++));
}

static void get_words(struct pagepress_management *management, __le32 *words, size_t bytes)
{
	size_t at;

	for (at = 0; at < bytes; at += sizeof(*words))
		*words++ = cpu_to_le32(pagepress_window_read(management,
							     PAGEPRESS_MAILBOX_RESPONSE_OFFSET +
								     at));
}

union message {
	struct {
		struct pagepress_message_header header;
		u8 payload[PAGEPRESS_MESSAGE_PAYLOAD_BYTES];
	};
	__le32 words[PAGEPRESS_MAILBOX_BYTES / sizeof(__le32)];
};

/* Under the mailbox's lock. On success the answer is in message, its whole length is returned. */
static int exchange(struct pagepress_management *management, union message *message, size_t bytes)
{
	struct pagepress_message_header sent = message->header;
	u32 mailbox, afterwards;
	size_t length;
	int error;

	if (READ_ONCE(management->away))
		return -ENODEV;
	/* One that does not run would let each of us wait in vain. */
	if (READ_ONCE(management->state) > PAGEPRESS_FIRMWARE_RUNNING)
		return -EHOSTDOWN;
	error = wait_turn(management, &mailbox);
	if (error)
		return error;
	put_words(management, message->words, bytes);
	pagepress_window_write(management, PAGEPRESS_REGISTER_MAILBOX_SEND, bytes);
	error = wait_turn(management, &mailbox);
	if (error)
		return error;
	length = (mailbox & PAGEPRESS_MAILBOX_STATUS_LENGTH_MASK) >>
		 PAGEPRESS_MAILBOX_STATUS_LENGTH_SHIFT;
	if (!length)
		return -ECONNRESET;
	if (state_of(mailbox) != PAGEPRESS_MAILBOX_STATE_ANSWERED ||
	    length < sizeof(message->header) || length > sizeof(*message))
		return -EPROTO;
	get_words(management, message->words, length);
	/* Has the card gone or been reset meanwhile, some of them are no words of the answer. */
	afterwards = pagepress_window_read(management, PAGEPRESS_REGISTER_MAILBOX_STATUS);
	if (afterwards == PAGEPRESS_ALL_ONES)
		return -ENODEV;
	if (afterwards != mailbox)
		return -EPROTO;
	if (message->header.kind != sent.kind || message->header.tag != sent.tag)
		return -EPROTO;
	return length;
}

/*
 * Returns the answer's status (0: OK), or a negative errno if there is none: -EHOSTDOWN, no
 * firmware runs; -ETIMEDOUT; -ECONNRESET, it was reset first; -ENODEV, the card is away; -EPROTO,
 * what came is no answer; -ERESTARTSYS, a signal or the freezer came first. What the answer has
 * less than `capacity` is zeros.
 */
int pagepress_message(struct pagepress_management *management, u16 kind, u32 argument,
		      const void *payload, size_t bytes, void *answer, size_t capacity)
{
	union message message = {};
	int length;

	if (WARN_ON(bytes > sizeof(message.payload)))
		return -EINVAL;
	memcpy(message.payload, payload, bytes);
	message.header.kind = cpu_to_le16(kind);
	message.header.argument = cpu_to_le32(argument);
	if (mutex_lock_interruptible(&management->mailbox))
		return -ERESTARTSYS;
	message.header.tag = cpu_to_le16(management->tag++);
	length = exchange(management, &message, sizeof(message.header) + bytes);
	mutex_unlock(&management->mailbox);
	if (length < 0)
		return length;
	length = min_t(size_t, length - sizeof(message.header), capacity);
	memset(answer, 0, capacity);
	memcpy(answer, message.payload, length);
	/* A status has a byte; the others must not pass for an errno. */
	return min_t(u32, le32_to_cpu(message.header.argument), U8_MAX);
}

/* Without payload, the status as an errno. */
int pagepress_ask(struct pagepress_management *management, u16 kind, u32 argument, void *answer,
		  size_t bytes)
{
	return pagepress_management_errno(pagepress_message(management, kind, argument, NULL, 0,
							    answer, bytes));
}
