/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A lane's life: in service until its engine faults or many of its pages fail their verification; then isolated, reset, given golden
 * vectors, and in service again. One that fails three times in a row stays out. While the card is hot some that are well rest.
 *
 * One action at a time is under way, on the lane that is being cared for or else on each in turn. Nothing waits for it: a card whose clock
 * stands answers when it runs again.
 */
#include <string.h>

#include "golden.h"
#include "records.h"
#include "registers.h"
#include "services.h"

#define PERIOD 10 /* milliseconds between two looks at the lanes */
#define PATIENCE 1000 /* milliseconds that a test may take */
#define FORGIVEN_AFTER 60000 /* milliseconds in service */
#define MOST_FAILURES 3
#define MOST_VERIFY_FAILURES 4 /* within a forgiving time: one may be a bit that flipped */
#define VECTORS 4

struct lane {
	uint8_t state, cause, failures;
	uint32_t since; /* milliseconds: in service, or its trouble began */
	uint32_t suspicious; /* verify failures while in service, since it was last forgiven */
	uint32_t raw_pages, raw_cycles;
	uint16_t raw_verify_failures, raw_resets;
	uint32_t verify_failures, resets;
	uint64_t pages, cycles;
};

static struct lane lanes[PAGEPRESS_LANE_COUNT];
static bool counting[PAGEPRESS_LANE_COUNT]; /* its raw counts are known */
static uint32_t present, compressors, page_bytes;
static uint32_t current, action, last_round, told_from;
static bool asked, round_ended, to_rest;

/* The one test there is at a time. */
static struct golden golden;
static uint8_t output[PAGEPRESS_LANE_BUFFER_BYTES];
static uint32_t vector, test_began;
static uint32_t tested; /* the lane; LANE_COUNT: none */
static bool running;

static bool is_compressor(uint32_t lane)
{
	return compressors >> lane & 1;
}

void lane_start(void)
{
	uint32_t word = READ(CORE_LANES, LANES_PRESENT);

	present = (word & PAGEPRESS_LANES_PRESENT_LANES_MASK) >> PAGEPRESS_LANES_PRESENT_LANES_SHIFT;
	compressors = (word & PAGEPRESS_LANES_PRESENT_COMPRESSORS_MASK) >> PAGEPRESS_LANES_PRESENT_COMPRESSORS_SHIFT;
	page_bytes = READ(CORE_LANES, LANES_PAGE);
	memset(lanes, 0, sizeof(lanes));
	memset(counting, 0, sizeof(counting));
	for (uint32_t i = 0; i < PAGEPRESS_LANE_COUNT; i++)
		lanes[i].since = milliseconds();
	tested = PAGEPRESS_LANE_COUNT;
	current = 0;
	asked = running = false;
	round_ended = true;
	last_round = told_from = milliseconds();
}

static void log_lane(uint32_t severity, uint32_t event, uint32_t more)
{
	log_event(severity, event, more << 8 | current);
}

/* 16 bits are enough between two looks, as are 32. */
static void count(struct lane *lane)
{
	uint32_t pages = READ(CORE_LANES, LANE_PAGES), cycles = READ(CORE_LANES, LANE_CYCLES);
	uint32_t trouble = READ(CORE_LANES, LANE_TROUBLE);
	uint16_t failures = trouble >> PAGEPRESS_LANE_TROUBLE_VERIFY_FAILURES_SHIFT, resets = trouble >> PAGEPRESS_LANE_TROUBLE_RESETS_SHIFT;

	if (counting[current]) {
		lane->pages += pages - lane->raw_pages;
		lane->cycles += cycles - lane->raw_cycles;
		lane->verify_failures += (uint16_t)(failures - lane->raw_verify_failures);
		lane->suspicious += (uint16_t)(failures - lane->raw_verify_failures);
		lane->resets += (uint16_t)(resets - lane->raw_resets);
	}
	counting[current] = true;
	lane->raw_pages = pages;
	lane->raw_cycles = cycles;
	lane->raw_verify_failures = failures;
	lane->raw_resets = resets;
}

static void enter(struct lane *lane, uint32_t state)
{
	lane->state = state;
	lane->since = milliseconds();
	lane->suspicious = 0;
	if (tested == current) {
		tested = PAGEPRESS_LANE_COUNT;
		running = false;
	}
}

/* Another failure: it is reset and tested once more, or stays out. */
static void fail(struct lane *lane, uint32_t cause)
{
	lane->cause = cause;
	lane->failures++;
	enter(lane, PAGEPRESS_LANE_STATE_ISOLATED);
	if (lane->failures < MOST_FAILURES)
		return;
	lane->state = PAGEPRESS_LANE_STATE_OUT;
	log_lane(PAGEPRESS_SEVERITY_ERROR, PAGEPRESS_EVENT_LANE_OUT, 0);
}

static void put_source(const uint8_t *bytes, uint32_t count)
{
	for (uint32_t at = 0; at < count; at += 4) {
		uint32_t word;

		memcpy(&word, bytes + at, 4);
		register_write(PAGEPRESS_CORE_LANE_SOURCE_BASE + at, word);
	}
}

static void take_output(uint32_t bytes)
{
	for (uint32_t at = 0; at < bytes; at += 4) {
		uint32_t word = register_read(PAGEPRESS_CORE_LANE_SINK_BASE + at);

		memcpy(output + at, &word, 4);
	}
}

static uint32_t page_crc32c(void)
{
	uint32_t crc = 0;

	for (uint32_t at = 0; at < page_bytes; at += GOLDEN_BYTES)
		crc = crc32c_on(crc, golden.page, GOLDEN_BYTES);
	return crc;
}

/* Of the card; SUCCESS is 0. */
static uint32_t status_of(uint32_t report)
{
	return (report & PAGEPRESS_LANE_REPORT_STATUS_MASK) >> PAGEPRESS_LANE_REPORT_STATUS_SHIFT;
}

/* What the engine gave is what the vector says, by the bytes and by the lane's own sums. */
static bool passed(uint32_t report)
{
	uint32_t bytes = READ(CORE_LANES, LANE_LENGTH);

	if (status_of(report) || READ(CORE_LANES, LANE_CRC32C) != page_crc32c())
		return false;
	if (!is_compressor(current)) {
		take_output(sizeof(output));
		return bytes == page_bytes && !memcmp(output, golden.page, sizeof(output));
	}
	if (bytes > sizeof(output))
		return false;
	take_output(bytes);
	return READ(CORE_LANES, LANE_DETAIL) == crc32c_on(0, output, bytes) && golden_is_held_by(&golden, output, bytes);
}

static void prepare(void)
{
	golden_draw(&golden, vector + 1, page_bytes);
	if (is_compressor(current))
		put_source(golden.page, GOLDEN_BYTES);
	else
		put_source(golden.stream, golden.stream_bytes);
}

static void judge_test(struct lane *lane, uint32_t report)
{
	if (report & PAGEPRESS_LANE_REPORT_TESTING_MASK) {
		if (milliseconds() - test_began < PATIENCE)
			return;
	} else if (passed(report)) {
		running = false;
		vector++;
		return;
	}
	log_lane(PAGEPRESS_SEVERITY_WARNING, PAGEPRESS_EVENT_LANE_FAILED, status_of(report) << 8 | vector);
	fail(lane, PAGEPRESS_LANE_CAUSE_TEST);
}

/* What the report of the action says. */
static void take_report(struct lane *lane, uint32_t report)
{
	bool done = report & PAGEPRESS_LANE_REPORT_DONE_MASK, isolated = report & PAGEPRESS_LANE_REPORT_ISOLATED_MASK;

	count(lane);
	if (action == PAGEPRESS_LANE_ACTION_ISOLATE && to_rest) {
		if (done)
			lane->state = PAGEPRESS_LANE_STATE_RESTING;
	} else if (action == PAGEPRESS_LANE_ACTION_ISOLATE) {
		/* Refused: it is the last of its kind, and goes on. */
		lane->suspicious = 0;
		if (!done || lane->state == PAGEPRESS_LANE_STATE_OUT)
			return;
		log_lane(PAGEPRESS_SEVERITY_WARNING, PAGEPRESS_EVENT_LANE_ISOLATED, lane->cause);
		fail(lane, lane->cause);
	} else if (action == PAGEPRESS_LANE_ACTION_RESET && done && lane->state == PAGEPRESS_LANE_STATE_ISOLATED) {
		enter(lane, PAGEPRESS_LANE_STATE_TESTED);
		tested = current;
		vector = 0;
		prepare();
	} else if (action == PAGEPRESS_LANE_ACTION_TEST && done) {
		running = true;
		test_began = milliseconds();
	} else if (lane->state == PAGEPRESS_LANE_STATE_RESTING) {
		if (!isolated) /* let back, or needed, or the host has disabled the card */
			enter(lane, PAGEPRESS_LANE_STATE_IN_SERVICE);
	} else if (action == PAGEPRESS_LANE_ACTION_RETURN && done) {
		enter(lane, PAGEPRESS_LANE_STATE_IN_SERVICE);
		log_lane(PAGEPRESS_SEVERITY_INFO, PAGEPRESS_EVENT_LANE_RETURNED, VECTORS);
	} else if (lane->state != PAGEPRESS_LANE_STATE_OUT && lane->state != PAGEPRESS_LANE_STATE_IN_SERVICE && !isolated) {
		/* The host has disabled the card, or the last other lane of its kind has broken. */
		enter(lane, PAGEPRESS_LANE_STATE_IN_SERVICE);
		log_lane(PAGEPRESS_SEVERITY_INFO, PAGEPRESS_EVENT_LANE_RETURNED, 0);
	} else if (action == PAGEPRESS_LANE_ACTION_RETURN) {
		fail(lane, PAGEPRESS_LANE_CAUSE_TEST); /* the card has seen otherwise */
	} else if (running && current == tested) {
		judge_test(lane, report);
		if (lane->state == PAGEPRESS_LANE_STATE_TESTED && !running && vector < VECTORS)
			prepare();
	}
}

/* How many lanes of the current one's kind work, less how many may: those that are well, and of these what the heat leaves. */
static int32_t too_many(void)
{
	uint32_t working = 0, well = 0;

	for (uint32_t i = 0; i < PAGEPRESS_LANE_COUNT; i++) {
		if (!(present >> i & 1) || is_compressor(i) != is_compressor(current))
			continue;
		working += lanes[i].state == PAGEPRESS_LANE_STATE_IN_SERVICE;
		well += lanes[i].state == PAGEPRESS_LANE_STATE_IN_SERVICE || lanes[i].state == PAGEPRESS_LANE_STATE_RESTING;
	}
	return (int32_t)working - (int32_t)throttle_lanes(well);
}

static uint32_t next_resting(struct lane *lane, uint32_t report)
{
	if (report & PAGEPRESS_LANE_REPORT_FAULTY_MASK) { /* a page that it had had in it did that */
		lane->cause = PAGEPRESS_LANE_CAUSE_FAULT;
		return PAGEPRESS_LANE_ACTION_ISOLATE;
	}
	return too_many() < 0 ? PAGEPRESS_LANE_ACTION_RETURN : PAGEPRESS_LANE_ACTION_LOOK;
}

static uint32_t next_in_service(struct lane *lane, uint32_t report)
{
	uint32_t now = milliseconds();

	if (report & PAGEPRESS_LANE_REPORT_FAULTY_MASK) {
		lane->cause = PAGEPRESS_LANE_CAUSE_FAULT;
		return PAGEPRESS_LANE_ACTION_ISOLATE;
	}
	if (report & PAGEPRESS_LANE_REPORT_ISOLATED_MASK)
		return PAGEPRESS_LANE_ACTION_ISOLATE; /* by firmware that was reset meanwhile: once more from the beginning */
	if (lane->suspicious >= MOST_VERIFY_FAILURES) {
		lane->cause = PAGEPRESS_LANE_CAUSE_VERIFY;
		return PAGEPRESS_LANE_ACTION_ISOLATE;
	}
	if (now - lane->since >= FORGIVEN_AFTER) {
		lane->since = now;
		lane->failures = lane->suspicious = 0;
	}
	to_rest = too_many() > 0;
	return to_rest ? PAGEPRESS_LANE_ACTION_ISOLATE : PAGEPRESS_LANE_ACTION_LOOK;
}

/* The action that the lane needs next; LOOK: none. */
static uint32_t next_action(struct lane *lane, uint32_t report)
{
	to_rest = false;
	switch (lane->state) {
	case PAGEPRESS_LANE_STATE_IN_SERVICE:
		return next_in_service(lane, report);
	case PAGEPRESS_LANE_STATE_RESTING:
		return next_resting(lane, report);
	case PAGEPRESS_LANE_STATE_ISOLATED:
		/* The buffers serve one lane at a time. Refused until the last page of the host's has left. */
		return tested == PAGEPRESS_LANE_COUNT ? PAGEPRESS_LANE_ACTION_RESET : PAGEPRESS_LANE_ACTION_LOOK;
	case PAGEPRESS_LANE_STATE_TESTED:
		if (running)
			return PAGEPRESS_LANE_ACTION_LOOK;
		return vector < VECTORS ? PAGEPRESS_LANE_ACTION_TEST : PAGEPRESS_LANE_ACTION_RETURN;
	default: /* out; the host may have enabled the card anew */
		if (report & PAGEPRESS_LANE_REPORT_TESTING_MASK)
			return PAGEPRESS_LANE_ACTION_RESET; /* others want to be tested */
		return report & PAGEPRESS_LANE_REPORT_ISOLATED_MASK ? PAGEPRESS_LANE_ACTION_LOOK : PAGEPRESS_LANE_ACTION_ISOLATE;
	}
}

static void begin(uint32_t what)
{
	action = what;
	asked = true;
	WRITE(CORE_LANES, LANE_ACTION, current << PAGEPRESS_LANE_ACTION_LANE_SHIFT | what << PAGEPRESS_LANE_ACTION_ACTION_SHIFT |
	      golden.stream_bytes << PAGEPRESS_LANE_ACTION_LENGTH_SHIFT);
}

/* Looks at the next lane; a round of them is begun when its time has come. */
static void go_on(void)
{
	do
		current = (current + 1) % PAGEPRESS_LANE_COUNT;
	while (!(present >> current & 1) && current);
	if (current) {
		begin(PAGEPRESS_LANE_ACTION_LOOK);
		return;
	}
	round_ended = true;
	told_from = last_round;
}

void lane_turn(void)
{
	struct lane *lane = &lanes[current];
	uint32_t report, next;

	if (!present || READ(CORE_LANES, LANE_BUSY))
		return;
	if (round_ended) {
		if (milliseconds() - last_round < PERIOD)
			return;
		last_round = milliseconds();
		round_ended = false;
		begin(PAGEPRESS_LANE_ACTION_LOOK);
		return;
	}
	if (asked) {
		asked = false;
		report = READ(CORE_LANES, LANE_REPORT);
		take_report(lane, report);
		next = next_action(lane, report);
		if (action == PAGEPRESS_LANE_ACTION_LOOK && next != PAGEPRESS_LANE_ACTION_LOOK) {
			begin(next);
			return;
		}
	}
	go_on();
}

uint32_t lane_began(void)
{
	return told_from;
}

bool lane_tell(uint32_t number, struct pagepress_lane *told)
{
	const struct lane *lane = &lanes[number];

	if (!(present >> number & 1))
		return false;
	memset(told, 0, sizeof(*told));
	told->number = number;
	told->kind = is_compressor(number) ? PAGEPRESS_LANE_KIND_COMPRESS : PAGEPRESS_LANE_KIND_DECOMPRESS;
	told->state = lane->state;
	told->cause = lane->cause;
	told->failures = lane->failures;
	told->verify_failures = lane->verify_failures;
	told->resets = lane->resets;
	told->pages = lane->pages;
	told->cycles = lane->cycles;
	return true;
}

uint32_t message_lanes(struct request *request)
{
	struct pagepress_lane told;
	uint32_t bytes = 0;

	if (request->argument >= PAGEPRESS_LANE_COUNT)
		return STATUS(BAD_ARGUMENT);
	for (uint32_t i = request->argument; i < PAGEPRESS_LANE_COUNT && bytes + PAGEPRESS_LANE_BYTES <= PAYLOAD_MAX; i++) {
		if (!lane_tell(i, &told))
			continue;
		memcpy(request->response + bytes, &told, sizeof(told));
		bytes += sizeof(told);
	}
	request->response_bytes = bytes;
	return STATUS(OK);
}
