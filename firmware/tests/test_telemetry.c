/* SPDX-License-Identifier: Apache-2.0 */
/* The telemetry page: what stands in it, that each is one snapshot, and that a reader sees one whole, whatever happens meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lane_model.h"
#include "registers.h"
#include "services.h"
#include "telemetry_model.h"

#define SIZE 1000u
#define ROUNDS 400u /* turns: every queue and lane is looked at, and a page is published */

static struct choice choice;
static union {
	uint32_t words[PAGEPRESS_TELEMETRY_PAGE_BYTES / 4];
	struct {
		struct pagepress_telemetry_header header;
		struct pagepress_telemetry telemetry;
		struct pagepress_telemetry_link link;
		struct pagepress_lane lanes[MODEL_LANES];
		struct pagepress_telemetry_queue queues[MODEL_QUEUES];
	} __attribute__((packed));
} page;
#define PAGE_BYTES (40u + 56 + 16 + MODEL_LANES * 32 + MODEL_QUEUES * 24)

static void fresh_card(void)
{
	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	lane_model_power_on();
	telemetry_model_power_on();
	put_image(PAGEPRESS_SLOT_A, make_image(1, 1, SIZE));
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots");
}

static void read_words(uint32_t from, uint32_t to)
{
	for (uint32_t word = from; word < to; word++)
		page.words[word] = telemetry_model_shown(PAGEPRESS_TELEMETRY_OFFSET + 4 * word);
}

static void take(void)
{
	telemetry_model_take();
	CHECK(telemetry_model.sequence, "nothing was ever published");
	read_words(0, PAGE_BYTES / 4);
}

/* Each general figure is its own; message and page are made in one place. */
static void test_figures(void)
{
	struct pagepress_telemetry told;

	fresh_card();
	for (uint32_t channel = 0; channel < 4; channel++)
		model.codes[channel] = 20000 + 1000 * channel;
	turns(ROUNDS);
	CHECK(message(77, 0, NULL, 0) == STATUS(UNKNOWN_MESSAGE), "there is no such message");
	model.flash_nameless = true;
	CHECK(message(PAGEPRESS_MESSAGE_SELF_TEST, PAGEPRESS_SELF_TEST_FLASH, NULL, 0) == STATUS(SELF_TEST_FAILED), "a flash without a name");
	model.flash_nameless = false;
	model.flash_worn = true;
	CHECK(update(make_image(2, 1, SIZE), SIZE) == STATUS(FLASH_FAILED), "a flash that does not hold what was written");
	model.flash_worn = false;
	turns(1);
	model.time += 8 * 5000;
	turns(ROUNDS);
	CHECK(message(PAGEPRESS_MESSAGE_TELEMETRY, 0, NULL, 0) == STATUS(OK), "TELEMETRY");
	memcpy(&told, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(told));
	CHECK(told.voltage_core == 21000 * 3000 >> 16 && told.voltage_aux == 22000 * 3000 >> 16 && told.voltage_memory == 23000 * 3000 >> 16,
	      "%u, %u and %u mV", told.voltage_core, told.voltage_aux, told.voltage_memory);
	CHECK(told.messages == 4 && told.messages_refused == 3, "%u messages, %u refused", told.messages, told.messages_refused);
	CHECK(told.flash_errors == 1 && told.self_test_failed == PAGEPRESS_SELF_TEST_FLASH, "%u errors of the flash, self-test %u",
	      told.flash_errors, told.self_test_failed);
	CHECK(told.loop_longest >= 5000 && told.loop_longest < 6000, "a turn of %u", told.loop_longest);
	CHECK(told.uptime - told.running < 1000 && told.running >= 5000, "up %u ms, running %u", told.uptime, told.running);
}

static void test_layout(void)
{
	fresh_card();
	telemetry_model_take();
	CHECK(!telemetry_model.sequence, "nothing is published before it is there");
	model.sensor_updates = 1;
	model.codes[0] = 41500;
	turns(ROUNDS);
	take();
	CHECK(page.header.length == PAGE_BYTES && page.header.header_bytes == 40 && page.header.telemetry_bytes == 56 &&
	      page.header.link_bytes == 16 && page.header.lane_bytes == 32 && page.header.queue_bytes == 24, "%u bytes", page.header.length);
	CHECK(page.header.lanes == MODEL_LANES && page.header.queues == MODEL_QUEUES, "%u lanes, %u queues", page.header.lanes,
	      page.header.queues);
	CHECK(page.header.sample_cycles == MODEL_SAMPLE_CYCLES && page.header.interface == PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_VALUE, "of this interface");
	CHECK(page.telemetry.temperature > 4000 && page.telemetry.temperature < 4500, "%d hundredths of a degree", page.telemetry.temperature);
	for (uint32_t i = 0; i < MODEL_LANES; i++)
		CHECK(page.lanes[i].number == i && page.lanes[i].kind == i / 2, "lane %u is told as %u of kind %u", i, page.lanes[i].number,
		      page.lanes[i].kind);
	CHECK(page.telemetry.uptime - page.header.began < 100, "collected within %u ms", page.telemetry.uptime - page.header.began);
	/* The message says the same. */
	CHECK(message(PAGEPRESS_MESSAGE_TELEMETRY, 0, NULL, 0) == STATUS(OK), "TELEMETRY");
	CHECK(!memcmp(model.response + PAGEPRESS_MESSAGE_HEADER_BYTES + 8, &page.telemetry.temperature, 16), "message and page differ");
}

/* All counts begin with the image and are carried on for ever, whatever the hardware's say, and however far they go. */
static void test_counts(void)
{
	struct model_queue sums[MODEL_QUEUES] = { 0 };
	struct pagepress_telemetry_link link = { 0 };
	uint64_t cycles = 0;

	fresh_card();
	for (uint32_t i = 0; i < MODEL_QUEUES; i++)
		telemetry_model.queues[i] = (struct model_queue){ 0, 900, draw(), (uint64_t)draw() << 32, draw() };
	telemetry_model.link = (struct pagepress_telemetry_link){ draw(), draw(), draw(), draw() };
	telemetry_model.cycles = (uint64_t)draw() << 31;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots again");
	turns(ROUNDS);
	for (uint32_t time = 0; time < 20; time++) {
		for (uint32_t i = 0; i < MODEL_QUEUES; i++) {
			struct model_queue *queue = &telemetry_model.queues[i], *sum = &sums[i];
			uint32_t commands = draw(), depth = draw() % 500;
			uint64_t more = (uint64_t)draw() << 16, waits = (uint64_t)draw() << 12;

			queue->commands += commands;
			sum->commands += commands;
			queue->depth_cycles += more;
			sum->depth_cycles += more;
			queue->waiting_cycles += waits;
			sum->waiting_cycles += waits;
			queue->depth = sum->depth = depth;
			queue->peak = depth + i;
			sum->peak = sum->peak > depth + i ? sum->peak : depth + i;
		}
		for (uint32_t i = 0; i < 4; i++) {
			uint32_t more = draw();

			((uint32_t *)&telemetry_model.link)[i] += more;
			((uint32_t *)&link)[i] += more;
		}
		telemetry_model.cycles += 1000000007u;
		cycles += 1000000007u;
		turns(ROUNDS);
		take();
		CHECK(!memcmp(&page.link, &link, sizeof(link)), "errors of the link");
		CHECK(page.header.cycles == cycles, "%llu cycles", (unsigned long long)page.header.cycles);
		for (uint32_t i = 0; i < MODEL_QUEUES; i++) {
			struct pagepress_telemetry_queue queue_told = page.queues[i], *told = &queue_told;

			CHECK(told->depth == sums[i].depth && told->depth_peak == sums[i].peak, "queue %u: %u deep, %u at most", i, told->depth,
			      told->depth_peak);
			CHECK(told->commands == sums[i].commands && told->depth_cycles == sums[i].depth_cycles &&
			      told->waiting_cycles == sums[i].waiting_cycles, "queue %u: its sums", i);
		}
	}
	lane_model.lanes[2].pages += 77;
	lane_model.lanes[2].cycles += 7700;
	lane_model.lanes[2].verify_failures += 1;
	turns(ROUNDS);
	take();
	CHECK(page.lanes[2].pages == 77 && page.lanes[2].cycles == 7700 && page.lanes[2].verify_failures == 1, "lane 2");
}

/* A reader who takes a page at any moment and reads it in parts, while pages are published, written by halves, and the core is reset: one snapshot,
 * by all that bears a mark of it. The mark is what the model counts; each of its figures stands in another part of the page. */
static void test_reader_sees_one_snapshot(void)
{
	uint32_t before = 0, different = 0;

	fresh_card();
	turns(ROUNDS);
	for (uint32_t time = 0; time < 2000; time++) {
		uint32_t word = 0, sequence, mark;

		telemetry_model_take();
		sequence = telemetry_model.sequence;
		read_words(0, PAGE_BYTES / 4);
		mark = page.header.published;
		different += sequence != before;
		before = sequence;
		while (word < PAGE_BYTES / 4) {
			uint32_t now = word + 1 + draw() % 60, first[PAGE_BYTES / 4];

			now = now > PAGE_BYTES / 4 ? PAGE_BYTES / 4 : now;
			memcpy(first, page.words, sizeof(first));
			telemetry_model.cycles += 1 + draw() % 1000;
			model.time += draw() % 200;
			turns(draw() % 30);
			if (draw() % 64 == 0) /* half of a page is written when the core is reset */
				CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots again");
			else if (draw() % 16 == 0)
				register_write(PAGEPRESS_CORE_TELEMETRY_BASE + PAGEPRESS_TELEMETRY_OFFSET + 4 * (draw() % (PAGE_BYTES / 4)), draw());
			read_words(word, now);
			CHECK(!memcmp(first, page.words, sizeof(first)), "words %u to %u of snapshot %u changed", word, now, sequence);
			word = now;
		}
		CHECK(telemetry_model.sequence == sequence && page.header.published == mark, "snapshot %u became another", sequence);
	}
	CHECK(different > 1000, "%u different snapshots", different);
}

/* A card whose clock stands: pages go on, and say of when their counts are. */
static void test_card_that_does_not_answer(void)
{
	uint32_t began;

	fresh_card();
	turns(ROUNDS);
	telemetry_model.silent = true;
	turns(ROUNDS);
	take();
	began = page.header.began;
	model.time += 8 * 1000;
	turns(ROUNDS);
	take();
	CHECK(page.header.began == began && page.telemetry.uptime - began >= 1000, "began at %u of %u", page.header.began, page.telemetry.uptime);
	CHECK(message(PAGEPRESS_MESSAGE_PING, 0, NULL, 0) == STATUS(OK), "everything else goes on");
	telemetry_model.silent = false;
	lane_model.silent = true;
	turns(ROUNDS);
	model.time += 8 * 1000;
	turns(ROUNDS);
	take();
	CHECK(page.telemetry.uptime - page.header.began >= 1000, "a lane's counts are old too");
	lane_model.silent = false;
	turns(ROUNDS);
	take();
	CHECK(page.telemetry.uptime - page.header.began < 100, "and fresh again");
}

int main(int count, char **arguments)
{
	CHECK(count == 3, "usage: test_telemetry KEY SEED");
	read_signing_key(arguments[1]);
	draw_from(strtoul(arguments[2], NULL, 0));
	test_figures();
	test_layout();
	test_counts();
	test_reader_sees_one_snapshot();
	test_card_that_does_not_answer();
	CHECK(!telemetry_model.strays, "%u questions for queues that are not there", telemetry_model.strays);
	puts("telemetry: all as expected");
	return 0;
}
