// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the driver takes from a card's management window (management/mailbox.c, telemetry.c, log.c), whatever firmware does behind it: each
 * answer is this message's, each wait has an end, and no read leads out of the window.
 *
 * usage: mailbox_model
 */
#include <stdio.h>
#include <linux/types.h>

#undef WARN_ON
#define WARN_ON(what) ({ assert(!(what)); false; })
#define PAGEPRESS_ALL_ONES (~0u)
#define PAGEPRESS_CARD_H /* of a card nothing is known here but its device */
#define __iomem
#define __le32 u32
#define le16_to_cpu(number) (number)
#define le32_to_cpu(number) (number)
#define cpu_to_le16(number) (number)
#define cpu_to_le32(number) (number)
#define U8_MAX 255u
#define USEC_PER_SEC 1000000L
#define HZ 250
#define ERESTARTSYS 512
struct device;
struct pagepress_card { struct device *device; };
struct pagepress_card_follower { int none; };
struct mutex { int held; };
struct work_struct { int none; };
struct delayed_work { int none; };
struct ratelimit_state { int none; };
#define mutex_init(lock) ((lock)->held = 0)
#define mutex_lock(lock) assert(!(lock)->held++)
#define mutex_unlock(lock) assert((lock)->held--)
#define mutex_lock_interruptible(lock) ((lock)->held++)
#define ratelimit_state_init(state, interval, burst) ((void)(state))
#define __ratelimit(state) ((void)(state), 1)

static u32 pagepress_read(struct pagepress_card *card, u32 offset);
static void pagepress_write_unless_reset(struct pagepress_card *card, u32 offset, u32 value);

static u64 microseconds; /* that have passed in polls */
#define read_poll_timeout(read, value, condition, pause, limit, before, ...) ({ \
	u64 end_ = microseconds + (limit); \
	int error_ = 0; \
\
	while (((value) = read(__VA_ARGS__), !(condition)) && !error_) { \
		error_ = microseconds >= end_ ? -ETIMEDOUT : 0; \
		microseconds += pause; \
	} \
	error_; })

static u32 said; /* lines in the kernel's log, and how many events the last one of them says were lost */
static u32 lost;
#define dev_err(device, ...) ((void)(device), say(__VA_ARGS__))
#define dev_warn(device, ...) ((void)(device), say(__VA_ARGS__))
#define dev_info(device, ...) ((void)(device), say(__VA_ARGS__))
static void say(const char *form, ...);

#include "card/card.h"
#include "management/management.h"
#define get_words get_message_words
#include "management/mailbox.c"
#undef get_words
#include "management/telemetry.c"
#include "management/log.c"

#include "model.h"

#include <stdarg.h>

static void say(const char *form, ...)
{
	va_list words;

	va_start(words, form);
	if (strstr(form, "lost"))
		lost = va_arg(words, u32);
	else
		said++;
	va_end(words);
}

int pagepress_event_text(char *buffer, size_t size, const struct pagepress_log_entry *entry)
{
	return snprintf(buffer, size, "%u", entry->code);
}

int pagepress_management_errno(int status)
{
	return status <= 0 ? status : -EIO;
}

static struct pagepress_card card;
static struct pagepress_management management;
static u32 window[PAGEPRESS_MANAGEMENT_WINDOW_BYTES / 4];
static enum {
	ANSWERS, MUTE, RESET_FIRST, WRONG_KIND, WRONG_TAG, SHORT, LONG, LEAVES, GOES, CHANGES, STILL_REQUESTED,
	TAKEN_ONCE, TAKEN_ALWAYS, GOES_IN_PAGE, OVERWRITES,
} behaviour;
static u32 answer_bytes, answer_status, sends, reads_of_page, takes;

#define WORD(offset) window[(offset) / 4]
#define CHECK(condition) ((condition) ? (void)0 : wrong(#condition))

static void answer(void)
{
	struct pagepress_message_header *request = (void *)&WORD(PAGEPRESS_MAILBOX_REQUEST_OFFSET);
	struct pagepress_message_header *response = (void *)&WORD(PAGEPRESS_MAILBOX_RESPONSE_OFFSET);
	u32 length = sizeof(*response) + answer_bytes, state = PAGEPRESS_MAILBOX_STATE_ANSWERED;

	*response = *request;
	response->kind += behaviour == WRONG_KIND;
	response->tag += behaviour == WRONG_TAG;
	response->argument = answer_status;
	length = behaviour == RESET_FIRST ? 0 : behaviour == SHORT ? 4 : behaviour == LONG ? PAGEPRESS_MAILBOX_BYTES + 4 : length;
	state = behaviour == STILL_REQUESTED ? PAGEPRESS_MAILBOX_STATE_IDLE : state;
	WORD(PAGEPRESS_REGISTER_MAILBOX_STATUS) =
		state << PAGEPRESS_MAILBOX_STATUS_STATE_SHIFT | length << PAGEPRESS_MAILBOX_STATUS_LENGTH_SHIFT;
}

static u32 pagepress_read(struct pagepress_card *asked, u32 offset)
{
	offset -= PAGEPRESS_MANAGEMENT_WINDOW_OFFSET;
	CHECK(asked == &card);
	CHECK(offset < sizeof(window) && offset % 4 == 0);
	if (behaviour == CHANGES && offset == PAGEPRESS_MAILBOX_RESPONSE_OFFSET)
		WORD(PAGEPRESS_REGISTER_MAILBOX_STATUS) ^= 8 << PAGEPRESS_MAILBOX_STATUS_LENGTH_SHIFT;
	if (behaviour == GOES && offset == PAGEPRESS_MAILBOX_RESPONSE_OFFSET)
		WORD(PAGEPRESS_REGISTER_MAILBOX_STATUS) = PAGEPRESS_ALL_ONES;
	if (behaviour == LEAVES && offset == PAGEPRESS_REGISTER_MAILBOX_STATUS && microseconds > 5000)
		management.away = true;
	if (behaviour == OVERWRITES && offset == PAGEPRESS_LOG_OFFSET + 4)
		WORD(PAGEPRESS_LOG_OFFSET) += PAGEPRESS_LOG_ENTRIES;
	if (offset >= PAGEPRESS_TELEMETRY_OFFSET) {
		reads_of_page++;
		if ((behaviour == TAKEN_ONCE && takes == 1) || behaviour == TAKEN_ALWAYS)
			WORD(PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE)++;
		if (behaviour == GOES_IN_PAGE)
			WORD(PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE) = PAGEPRESS_ALL_ONES;
	}
	return WORD(offset);
}

static void pagepress_write_unless_reset(struct pagepress_card *asked, u32 offset, u32 value)
{
	offset -= PAGEPRESS_MANAGEMENT_WINDOW_OFFSET;
	CHECK(asked == &card);
	CHECK(offset < sizeof(window) && offset % 4 == 0);
	CHECK(!management.away);
	if (offset == PAGEPRESS_REGISTER_TELEMETRY_TAKE)
		takes++;
	if (offset != PAGEPRESS_REGISTER_MAILBOX_SEND) {
		WORD(offset) = value;
		return;
	}
	sends++;
	WORD(PAGEPRESS_REGISTER_MAILBOX_STATUS) = PAGEPRESS_MAILBOX_STATE_REQUESTED << PAGEPRESS_MAILBOX_STATUS_STATE_SHIFT;
	if (behaviour != MUTE && behaviour != LEAVES)
		answer();
}

static void begin(int does)
{
	memset(&management, 0, sizeof(management));
	memset(window, 0, sizeof(window));
	management.card = &card;
	management.state = PAGEPRESS_FIRMWARE_RUNNING;
	management.tag = 0xfffe;
	pagepress_log_init(&management);
	behaviour = does;
	microseconds = answer_status = answer_bytes = sends = reads_of_page = takes = said = lost = 0;
}

/* A message; `more` bytes behind what is asked for stay as they are. */
static int ask(void)
{
	u8 payload[7] = "payload", told[32 + 8];
	int status;

	memset(told, 0xa5, sizeof(told));
	status = pagepress_message(&management, PAGEPRESS_MESSAGE_PING, 5, payload, sizeof(payload), told, 32);
	CHECK(told[32] == 0xa5 && told[39] == 0xa5);
	if (status >= 0 && answer_bytes < 32)
		CHECK(!told[answer_bytes] && !told[31]);
	CHECK(!management.mailbox.held);
	return status;
}

static void messages(void)
{
	static const struct {
		int does, expected;
	} ends[] = {
		{ RESET_FIRST, -ECONNRESET }, { WRONG_KIND, -EPROTO }, { WRONG_TAG, -EPROTO }, { SHORT, -EPROTO }, { LONG, -EPROTO },
		{ LEAVES, -ENODEV }, { GOES, -ENODEV }, { CHANGES, -EPROTO }, { STILL_REQUESTED, -EPROTO },
	};

	for (answer_bytes = 0; answer_bytes <= PAGEPRESS_MESSAGE_PAYLOAD_BYTES; answer_bytes += 31) {
		u32 bytes = answer_bytes;

		begin(ANSWERS);
		answer_bytes = bytes;
		CHECK(ask() == 0 && ask() == 0 && ask() == 0 && sends == 3);
		CHECK(!memcmp(&WORD(PAGEPRESS_MAILBOX_REQUEST_OFFSET + 8), "payload", 8));
	}
	begin(ANSWERS);
	answer_status = U32_MAX; /* must not pass for an errno */
	CHECK(ask() == U8_MAX);
	for (u32 index = 0; index < sizeof(ends) / sizeof(ends[0]); index++) {
		begin(ends[index].does);
		if (ask() != ends[index].expected)
			printf("of those that end, number %u: ", index), wrong("another errno");
		CHECK(microseconds < 100000);
	}
	for (int state = PAGEPRESS_FIRMWARE_SILENT; state <= PAGEPRESS_FIRMWARE_UNREACHABLE; state++) {
		begin(ANSWERS);
		management.state = state;
		CHECK(ask() == -EHOSTDOWN && !sends);
	}
	begin(ANSWERS);
	management.away = true;
	CHECK(ask() == -ENODEV && !sends);
	WORD(PAGEPRESS_REGISTER_MAILBOX_STATUS) = PAGEPRESS_ALL_ONES;
	management.away = false;
	CHECK(ask() == -ENODEV && !sends);
	/* One waits two seconds, those behind him do not, and what comes late is nobody's. */
	begin(MUTE);
	CHECK(ask() == -ETIMEDOUT && sends == 1 && microseconds >= 2000000 && microseconds < 2100000);
	CHECK(ask() == -ETIMEDOUT && ask() == -ETIMEDOUT && sends == 1 && microseconds < 2100000);
	behaviour = ANSWERS;
	answer();
	CHECK(ask() == 0 && sends == 2);
	behaviour = MUTE;
	CHECK(ask() == -ETIMEDOUT && microseconds >= 4000000);
}

/* A page of so many lanes and queues, whose parts are longer by that. */
static struct pagepress_telemetry_header *page(u32 lanes, u32 queues, u32 longer)
{
	struct pagepress_telemetry_header *header = (void *)&WORD(PAGEPRESS_TELEMETRY_OFFSET);

	header->header_bytes = sizeof(*header) + longer;
	header->telemetry_bytes = sizeof(struct pagepress_telemetry) + longer;
	header->link_bytes = sizeof(struct pagepress_telemetry_link) + longer;
	header->lane_bytes = sizeof(struct pagepress_lane) + longer;
	header->queue_bytes = sizeof(struct pagepress_telemetry_queue) + longer;
	header->lanes = lanes;
	header->queues = queues;
	header->length = header->header_bytes + header->telemetry_bytes + header->link_bytes + lanes * header->lane_bytes + queues * header->queue_bytes;
	WORD(PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE) = 7;
	return header;
}

static int take_page(void)
{
	static union pagepress_telemetry_page taken;
	int length = pagepress_telemetry_take(&management, &taken);

	CHECK(!management.mailbox.held);
	if (length > 0)
		CHECK(!memcmp(&taken, &WORD(PAGEPRESS_TELEMETRY_OFFSET), length));
	return length;
}

static void pages(void)
{
	u32 round;

	begin(ANSWERS);
	CHECK(take_page() == -ENODATA);
	CHECK(page(4, 8, 0)->length == take_page());
	CHECK(page(PAGEPRESS_LANE_COUNT, PAGEPRESS_QUEUE_COUNT, 0)->length == take_page());
	CHECK(page(2, 3, 8)->length == take_page());
	page(2, 3, 2);
	CHECK(take_page() == -EPROTO);
	page(PAGEPRESS_LANE_COUNT, PAGEPRESS_QUEUE_COUNT, 60);
	CHECK(take_page() == -EPROTO);
	page(4, 8, 0)->length += 4;
	CHECK(take_page() == -EPROTO);
	page(4, 8, 0)->lane_bytes -= 4;
	CHECK(take_page() == -EPROTO);
	page(PAGEPRESS_LANE_COUNT + 1, 0, 0);
	CHECK(take_page() == -EPROTO);
	/* Whatever stands there no read leads out of the page; readl() looks at that. */
	for (round = 0; round < 20000; round++) {
		u32 at = below(sizeof(struct pagepress_telemetry_header) / 4);
		int length;

		page(below(20), below(70), 4 * below(3));
		WORD(PAGEPRESS_TELEMETRY_OFFSET + 4 * at) ^= below(2) ? 1u << below(32) : below(U32_MAX);
		reads_of_page = 0;
		length = take_page();
		CHECK(length == -EPROTO || (length > 0 && length <= PAGEPRESS_TELEMETRY_PAGE_BYTES));
		CHECK(reads_of_page == (length > 0 ? length : sizeof(struct pagepress_telemetry_header)) / 4);
	}
	begin(TAKEN_ONCE);
	CHECK(page(1, 1, 0)->length == take_page() && takes == 2);
	begin(TAKEN_ALWAYS);
	page(1, 1, 0);
	CHECK(take_page() == -EAGAIN && takes == 4);
	begin(GOES_IN_PAGE);
	page(1, 1, 0);
	CHECK(take_page() == -ENODEV);
	begin(ANSWERS);
	WORD(PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE) = PAGEPRESS_ALL_ONES;
	CHECK(take_page() == -ENODEV);
	management.away = true;
	CHECK(take_page() == -ENODEV && takes == 1);
}

/* The firmware has logged up to that. */
static void log_to(u32 next)
{
	u32 number;

	for (number = next - min(next, PAGEPRESS_LOG_ENTRIES); number != next; number++) {
		struct pagepress_log_entry *entry = (void *)&WORD(PAGEPRESS_LOG_OFFSET + number % PAGEPRESS_LOG_ENTRIES * sizeof(*entry));

		*entry = (struct pagepress_log_entry){ .number = number, .code = PAGEPRESS_EVENT_BOOTED, .severity = PAGEPRESS_SEVERITY_INFO };
	}
	WORD(PAGEPRESS_REGISTER_LOG_NEXT) = next;
	said = lost = 0;
	pagepress_log_forward(&management);
}

static void logs(void)
{
	struct pagepress_log_entry *entry;

	begin(ANSWERS);
	log_to(10);
	CHECK(!said && management.log_next == 10 && management.log[9].number == 9); /* from before the driver came */
	log_to(10);
	CHECK(!said);
	log_to(13);
	CHECK(said == 3 && !lost);
	log_to(13 + PAGEPRESS_LOG_ENTRIES + 5);
	CHECK(said == PAGEPRESS_LOG_ENTRIES && lost == 5);
	/* The card was reset: the log has begun anew. */
	log_to(4);
	CHECK(said == 4 && !lost && management.log_next == 4 && management.log[3].number == 3);
	WORD(PAGEPRESS_REGISTER_LOG_NEXT) = PAGEPRESS_ALL_ONES;
	pagepress_log_forward(&management);
	CHECK(said == 4 && management.log_next == 4);
	/* One that is overwritten before or while it is read is not said. */
	for (int torn = 0; torn < 2; torn++) {
		log_to(PAGEPRESS_LOG_ENTRIES * (torn + 1));
		entry = (void *)&WORD(PAGEPRESS_LOG_OFFSET);
		entry->number = management.log_next + (torn ? 0 : PAGEPRESS_LOG_ENTRIES);
		behaviour = torn ? OVERWRITES : ANSWERS;
		WORD(PAGEPRESS_REGISTER_LOG_NEXT) = management.log_next + 1;
		said = 0;
		pagepress_log_forward(&management);
		CHECK(!said && !management.log[0].number);
		behaviour = ANSWERS;
	}
}

int main(void)
{
	random_state = 1;
	messages();
	pages();
	logs();
	return 0;
}
