/* SPDX-License-Identifier: Apache-2.0 */
/* Takes a request, finds who answers it, answers. Whatever the host sends, something is answered. */
#include <string.h>

#include "registers.h"
#include "services.h"

static struct request request;
static bool open;
static uint32_t answered, refused;

static uint32_t message_ping(struct request *ping)
{
	memcpy(ping->response, ping->payload, ping->bytes);
	ping->response_bytes = ping->bytes;
	return STATUS(OK);
}

static uint32_t message_reset(struct request *unused)
{
	(void)unused;
	mailbox_answer(STATUS(OK));
	WRITE(CORE_SYSTEM, SYSTEM_RESET, 1);
	return PENDING;
}

#ifdef INJECT_HANG
/* Only in images made to be hung: a release has no such message. */
#define MESSAGE_HANG 0x7FFF
static uint32_t message_hang(struct request *unused)
{
	(void)unused;
	for (;;)
		;
	return PENDING;
}
#endif

static const struct message {
	uint16_t kind, least, most; /* bytes of payload */
	uint32_t (*handle)(struct request *request);
} messages[] = {
	{ PAGEPRESS_MESSAGE_PING, 0, PAYLOAD_MAX, message_ping },
	{ PAGEPRESS_MESSAGE_IDENTIFY, 0, 0, message_identify },
	{ PAGEPRESS_MESSAGE_TELEMETRY, 0, 0, message_telemetry },
	{ PAGEPRESS_MESSAGE_SELF_TEST, 0, 0, message_self_test },
	{ PAGEPRESS_MESSAGE_UPDATE_BEGIN, 0, 0, message_update_begin },
	{ PAGEPRESS_MESSAGE_UPDATE_DATA, 1, PAYLOAD_MAX, message_update_data },
	{ PAGEPRESS_MESSAGE_UPDATE_COMMIT, 0, 0, message_update_commit },
	{ PAGEPRESS_MESSAGE_ROLLBACK, 0, 0, message_rollback },
	{ PAGEPRESS_MESSAGE_RESET, 0, 0, message_reset },
	{ PAGEPRESS_MESSAGE_SET_LIMITS, 0, 0, message_set_limits },
	{ PAGEPRESS_MESSAGE_LANES, 0, 0, message_lanes },
#ifdef INJECT_HANG
	{ MESSAGE_HANG, 0, 0, message_hang },
#endif
};

void mailbox_start(void)
{
	open = false;
	answered = refused = 0;
}

uint32_t mailbox_answered(void)
{
	return answered;
}

uint32_t mailbox_refused(void)
{
	return refused;
}

/* Buffers take whole words only. */
static void read_buffer(uint32_t offset, void *to, uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += 4) {
		uint32_t word = register_read(PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_REQUEST_OFFSET + offset + at);

		memcpy((uint8_t *)to + at, &word, bytes - at < 4 ? bytes - at : 4);
	}
}

static void write_buffer(uint32_t offset, const void *from, uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += 4) {
		uint32_t word = 0;

		memcpy(&word, (const uint8_t *)from + at, bytes - at < 4 ? bytes - at : 4);
		register_write(PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_RESPONSE_OFFSET + offset + at, word);
	}
}

void mailbox_answer(uint32_t status)
{
	struct pagepress_message_header header = { .kind = request.kind, .tag = request.tag, .argument = status };
	uint32_t payload = status == STATUS(OK) || status == STATUS(SELF_TEST_FAILED) ? request.response_bytes : 0;

	write_buffer(0, &header, sizeof(header));
	write_buffer(sizeof(header), request.response, payload);
	open = false;
	answered++;
	if (status != STATUS(OK)) {
		refused++;
		LOG(WARNING, MAILBOX_REFUSED, status << 16 | request.kind);
	}
	WRITE(CORE_MAILBOX, MAILBOX_ANSWER, sizeof(header) + payload);
}

static const struct message *find_message(uint32_t kind)
{
	for (uint32_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if (messages[i].kind == kind)
			return &messages[i];
	return NULL;
}

static uint32_t handle(uint32_t length)
{
	struct pagepress_message_header header = { 0 };
	const struct message *message;

	read_buffer(0, &header, length < sizeof(header) ? length : sizeof(header));
	request.kind = header.kind;
	request.tag = header.tag;
	request.argument = header.argument;
	request.response_bytes = 0;
	if (length < sizeof(header) || length > PAGEPRESS_MAILBOX_BYTES)
		return STATUS(BAD_LENGTH);
	request.bytes = length - sizeof(header);
	message = find_message(request.kind);
	if (!message)
		return STATUS(UNKNOWN_MESSAGE);
	if (request.bytes < message->least || request.bytes > message->most)
		return STATUS(BAD_LENGTH);
	read_buffer(sizeof(header), request.payload, request.bytes);
	return message->handle(&request);
}

void mailbox_turn(void)
{
	uint32_t length = READ(CORE_MAILBOX, MAILBOX_REQUEST), status;

	if (open || !length)
		return;
	open = true;
	status = handle(length);
	if (status != PENDING)
		mailbox_answer(status);
}
