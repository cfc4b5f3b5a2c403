/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One consistent snapshot of everything the services count: as a message, and, with what the lanes, the queues and the link count, as a page
 * in the host's window. The hardware keeps the page that is written apart from the one that the host sees until it is published, so
 * nothing here has to hurry or may not be interrupted by a reset.
 */
#include <string.h>

#include "registers.h"
#include "services.h"

#define PERIOD 20 /* milliseconds between two pages: a simulated part, far slower than its clock says, is to publish often enough, too */

static uint32_t entered, flash_errors, longest, last_cycle, published, last_page;

static uint32_t cycles(void)
{
#ifdef __riscv
	uint32_t value;

	__asm__ volatile("csrr %0, mcycle" : "=r"(value));
	return value;
#else
	return milliseconds();
#endif
}

void telemetry_start(void)
{
	entered = milliseconds();
	flash_errors = longest = published = 0;
	last_page = entered;
	last_cycle = cycles();
}

static void time_turn(void)
{
	uint32_t now = cycles();

	if (now - last_cycle > longest)
		longest = now - last_cycle;
	last_cycle = now;
}

void count_flash_error(void)
{
	flash_errors++;
}

static void snapshot(struct pagepress_telemetry *telemetry)
{
	uint32_t now = milliseconds(), begin, hardest;

	*telemetry = (struct pagepress_telemetry){
		.uptime = now,
		.running = now - entered,
		.temperature = sensors_temperature(),
		.temperature_peak = sensors_temperature_peak(),
		.voltage_core = sensors_voltage(PAGEPRESS_SENSOR_VOLTAGE_CORE),
		.voltage_aux = sensors_voltage(PAGEPRESS_SENSOR_VOLTAGE_AUX),
		.voltage_memory = sensors_voltage(PAGEPRESS_SENSOR_VOLTAGE_MEMORY),
		.throttle = throttle_step(),
		.sensors_silent = sensors_silent(),
		.messages = mailbox_answered(),
		.messages_refused = mailbox_refused(),
		.flash_errors = flash_errors,
		.throttle_time = throttle_time(),
		.stack_used = stack_used(),
		.stack_size = stack_size(),
		.loop_longest = longest,
		.self_test_failed = self_test_failed(),
	};

	throttle_limits(&begin, &hardest);
	telemetry->temperature_begin = begin;
	telemetry->temperature_hardest = hardest;
}

/* The next words of the page. */
static void put(uint32_t *at, const void *part, uint32_t bytes)
{
	uint32_t word;

	for (uint32_t from = 0; from < bytes; from += sizeof(word), *at += sizeof(word)) {
		memcpy(&word, (const uint8_t *)part + from, sizeof(word));
		register_write(PAGEPRESS_CORE_TELEMETRY_BASE + PAGEPRESS_TELEMETRY_OFFSET + *at, word);
	}
}

/* Of what is put behind each other: the header comes last, and says how much that is. */
static void publish(void)
{
	struct pagepress_telemetry_header header = {
		.header_bytes = sizeof(header),
		.telemetry_bytes = sizeof(struct pagepress_telemetry),
		.link_bytes = sizeof(struct pagepress_telemetry_link),
		.lane_bytes = sizeof(struct pagepress_lane),
		.queue_bytes = sizeof(struct pagepress_telemetry_queue),
		.queues = monitor_queues(),
		.sample_cycles = READ(CORE_MONITOR, MONITOR_SAMPLE_CYCLES),
		.interface = PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_VALUE,
		.began = milliseconds() - lane_began() > milliseconds() - monitor_began() ? lane_began() : monitor_began(),
		.published = ++published,
		.cycles = monitor_cycles(),
	};
	struct pagepress_telemetry telemetry;
	struct pagepress_telemetry_link link;
	struct pagepress_telemetry_queue queue;
	struct pagepress_lane lane;
	uint32_t at = sizeof(header);

	snapshot(&telemetry);
	put(&at, &telemetry, sizeof(telemetry));
	monitor_link(&link);
	put(&at, &link, sizeof(link));
	for (uint32_t i = 0; i < PAGEPRESS_LANE_COUNT; i++) {
		if (!lane_tell(i, &lane))
			continue;
		put(&at, &lane, sizeof(lane));
		header.lanes++;
	}
	for (uint32_t i = 0; i < header.queues; i++) {
		monitor_queue(i, &queue);
		put(&at, &queue, sizeof(queue));
	}
	header.length = at;
	at = 0;
	put(&at, &header, sizeof(header));
	WRITE(CORE_TELEMETRY, TELEMETRY_PUBLISH, 1);
}

_Static_assert(sizeof(struct pagepress_telemetry_header) + sizeof(struct pagepress_telemetry) + sizeof(struct pagepress_telemetry_link) +
	       PAGEPRESS_LANE_COUNT * sizeof(struct pagepress_lane) + PAGEPRESS_QUEUE_COUNT * sizeof(struct pagepress_telemetry_queue) <=
	       PAGEPRESS_TELEMETRY_PAGE_BYTES, "the largest card's page fits");

void telemetry_turn(void)
{
	time_turn();
	if (milliseconds() - last_page < PERIOD)
		return;
	last_page = milliseconds();
	publish();
}

uint32_t message_telemetry(struct request *request)
{
	struct pagepress_telemetry telemetry;

	snapshot(&telemetry);
	memcpy(request->response, &telemetry, sizeof(telemetry));
	request->response_bytes = sizeof(telemetry);
	return STATUS(OK);
}
