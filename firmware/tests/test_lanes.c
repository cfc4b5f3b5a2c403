/* SPDX-License-Identifier: Apache-2.0 */
/* A lane's life: noticed, isolated, reset, proven, back; and every way in which that may fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "golden.h"
#include "lane_model.h"
#include "registers.h"
#include "services.h"

#define SIZE 1000u
#define LIFE 6000u /* turns: more than a lane's way out and back takes */

static struct choice choice;
static struct pagepress_lane told[MODEL_LANES];

static void fresh_card(void)
{
	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	lane_model_power_on();
	put_image(PAGEPRESS_SLOT_A, make_image(1, 1, SIZE));
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots");
	turns(LIFE);
}

static uint32_t events(uint32_t code)
{
	return model.events[code];
}

static const struct pagepress_lane *ask(uint32_t lane)
{
	uint32_t status = message(PAGEPRESS_MESSAGE_LANES, 0, NULL, 0);

	CHECK(status == STATUS(OK), "LANES: status %u", status);
	CHECK(model.response_length == PAGEPRESS_MESSAGE_HEADER_BYTES + sizeof(told), "LANES: %u bytes", model.response_length);
	memcpy(told, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(told));
	for (uint32_t i = 0; i < MODEL_LANES; i++)
		CHECK(told[i].number == i && told[i].kind == i / 2, "lane %u is told as %u of kind %u", i, told[i].number, told[i].kind);
	return &told[lane];
}

static void in_service(uint32_t lane)
{
	CHECK(ask(lane)->state == PAGEPRESS_LANE_STATE_IN_SERVICE && !lane_model.lanes[lane].isolated && !lane_model.lanes[lane].faulty,
	      "lane %u is not back, but in state %u", lane, ask(lane)->state);
}

static void is_out(uint32_t lane)
{
	CHECK(ask(lane)->state == PAGEPRESS_LANE_STATE_OUT && lane_model.lanes[lane].isolated, "lane %u is not out, but in state %u", lane,
	      ask(lane)->state);
}

static void test_back_in_service(void)
{
	for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
		struct model_lane *hardware = &lane_model.lanes[lane];

		fresh_card();
		lane_model.page_bytes = GOLDEN_BYTES << lane;
		lane_start();
		hardware->faulty = hardware->working = true;
		turns(LIFE);
		CHECK(hardware->isolated && !hardware->resets && ask(lane)->state == PAGEPRESS_LANE_STATE_ISOLATED,
		      "lane %u is reset with a page in it", lane);
		hardware->working = false;
		turns(LIFE);
		in_service(lane);
		CHECK(hardware->resets == 1 && hardware->tests >= 4 && ask(lane)->failures == 1, "lane %u: %u resets, %u tests", lane,
		      hardware->resets, hardware->tests);
		CHECK(ask(lane)->cause == PAGEPRESS_LANE_CAUSE_FAULT && ask(lane)->resets == 1, "lane %u: cause %u", lane, ask(lane)->cause);
		CHECK(events(PAGEPRESS_EVENT_LANE_ISOLATED) == 1 && events(PAGEPRESS_EVENT_LANE_RETURNED) == 1, "both are logged");
		LOGGED(LANE_ISOLATED, WARNING, PAGEPRESS_LANE_CAUSE_FAULT << 8 | lane, "why");
		LOGGED(LANE_RETURNED, INFO, 4 << 8 | lane, "after four vectors");
	}
}

static void test_three_failures(void)
{
	for (uint32_t engine = FAULTS; engine <= OTHER_DETAIL; engine++)
		for (uint32_t lane = 0; lane < MODEL_LANES; lane++) {
			struct model_lane *hardware = &lane_model.lanes[lane], *mate = &lane_model.lanes[lane ^ 2];

			if (engine == OTHER_DETAIL && lane < 2)
				continue; /* a decompressor has none */
			fresh_card();
			hardware->engine = engine;
			hardware->faulty = true;
			turns(engine == HANGS ? 10 * LIFE : 2 * LIFE);
			is_out(lane);
			CHECK(hardware->resets >= 2 && !hardware->returns, "engine %u of lane %u: %u resets, %u returns", engine, lane,
			      hardware->resets, hardware->returns);
			CHECK(events(PAGEPRESS_EVENT_LANE_OUT) == 1 && events(PAGEPRESS_EVENT_LANE_FAILED) == 2, "engine %u of lane %u: reported",
			      engine, lane);
			LOGGED(LANE_OUT, ERROR, lane, "which");
			CHECK(model.last[PAGEPRESS_EVENT_LANE_FAILED].severity == PAGEPRESS_SEVERITY_WARNING &&
			      (model.last[PAGEPRESS_EVENT_LANE_FAILED].argument & 0xFFFF) == lane, "lane %u failed its first vector: %08x", lane,
			      model.last[PAGEPRESS_EVENT_LANE_FAILED].argument);
			/* It is in nobody's way. */
			mate->faulty = true;
			turns(LIFE);
			in_service(lane ^ 2);
			/* The host enables the card anew. */
			lane_model_disable();
			turns(LIFE);
			is_out(lane);
			CHECK(events(PAGEPRESS_EVENT_LANE_OUT) == 1, "said once");
		}
}

/* Proven each time, and broken again each time: the third time it stays out. */
static void test_breaks_again(void)
{
	fresh_card();
	for (uint32_t time = 1; time <= 3; time++) {
		lane_model.lanes[3].faulty = true;
		turns(LIFE);
		if (time < 3)
			in_service(3);
	}
	is_out(3);
	CHECK(lane_model.lanes[3].returns == 2, "%u returns", lane_model.lanes[3].returns);
	fresh_card();
	for (uint32_t time = 0; time < 5; time++) {
		lane_model.lanes[3].faulty = true;
		turns(LIFE);
		in_service(3);
		model.time += 8 * 61000; /* a minute forgives */
		turns(LIFE);
	}
	/* Less does not. */
	fresh_card();
	for (uint32_t time = 0; time < 3; time++) {
		lane_model.lanes[3].faulty = true;
		turns(LIFE);
		model.time += 8 * 50000;
		turns(1);
	}
	is_out(3);
}

static void test_verify_failures(void)
{
	fresh_card();
	lane_model.lanes[2].verify_failures += 3;
	turns(LIFE);
	CHECK(!lane_model.lanes[2].resets && ask(2)->verify_failures == 3, "a few are no reason");
	lane_model.lanes[2].verify_failures++;
	turns(LIFE);
	in_service(2);
	CHECK(lane_model.lanes[2].resets == 1 && ask(2)->cause == PAGEPRESS_LANE_CAUSE_VERIFY, "four within a minute are");
	fresh_card();
	lane_model.lanes[2].verify_failures += 70000;
	turns(LIFE);
	in_service(2);
	CHECK(lane_model.lanes[2].resets == 1 && ask(2)->cause == PAGEPRESS_LANE_CAUSE_VERIFY, "many are");
	/* Pages that it still had in it when it was isolated count for nothing once it is proven. */
	fresh_card();
	lane_model.lanes[2].faulty = lane_model.lanes[2].working = true;
	turns(LIFE);
	lane_model.lanes[2].verify_failures += 100;
	turns(LIFE);
	lane_model.lanes[2].working = false;
	turns(2 * LIFE);
	in_service(2);
	CHECK(lane_model.lanes[2].resets == 1, "%u resets", lane_model.lanes[2].resets);
	/* The last of its kind goes on. */
	fresh_card();
	lane_model.lanes[3].engine = FAULTS;
	lane_model.lanes[3].faulty = true;
	turns(2 * LIFE);
	is_out(3);
	lane_model.lanes[2].verify_failures += 100;
	turns(LIFE);
	in_service(2);
	CHECK(!lane_model.lanes[2].resets, "the last of its kind");
}

/* Whenever the card is disabled, or a lane is needed, all is as it was. */
static void test_disabled_at_any_moment(void)
{
	for (uint32_t after = 0; after < 700; after += 7) {
		uint32_t lane = draw() % MODEL_LANES;

		fresh_card();
		lane_model.lanes[lane].faulty = true;
		turns(after);
		lane_model.disabled = true;
		turns(draw() % 500);
		lane_model.disabled = false;
		turns(LIFE);
		in_service(lane);
	}
}

/* A reset of the core leaves a lane where it was; the firmware that comes back begins with it once more. */
static void test_reset_at_any_moment(void)
{
	for (uint32_t after = 0; after < 700; after += 7) {
		uint32_t lane = draw() % MODEL_LANES;

		fresh_card();
		lane_model.lanes[lane].engine = draw() % 8 ? WELL : HANGS;
		if (draw() % 2)
			lane_model.lanes[lane].faulty = true;
		else
			lane_model.lanes[lane].verify_failures += 100;
		turns(after);
		CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots again");
		lane_model.lanes[lane].engine = WELL;
		turns(2 * LIFE);
		in_service(lane);
	}
}

static void test_card_that_does_not_answer(void)
{
	fresh_card();
	lane_model.lanes[1].faulty = true;
	lane_model.silent = true;
	turns(LIFE);
	CHECK(message(PAGEPRESS_MESSAGE_PING, 0, NULL, 0) == STATUS(OK), "everything else goes on");
	CHECK(ask(1)->state == PAGEPRESS_LANE_STATE_IN_SERVICE, "as last seen");
	lane_model.silent = false;
	turns(LIFE);
	in_service(1);
	CHECK(lane_model.lanes[1].resets == 1, "%u resets", lane_model.lanes[1].resets);
}

static void test_counts(void)
{
	uint64_t pages = 0, cycles = 0;

	fresh_card();
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t more = draw();

		lane_model.lanes[1].pages += more;
		lane_model.lanes[1].cycles += more / 2;
		pages += more;
		cycles += more / 2;
		turns(200);
	}
	CHECK(ask(1)->pages == pages && ask(1)->cycles == cycles, "%llu pages, not %llu", (unsigned long long)ask(1)->pages,
	      (unsigned long long)pages);
	CHECK(message(PAGEPRESS_MESSAGE_LANES, 16, NULL, 0) == STATUS(BAD_ARGUMENT), "there is no lane 16");
	CHECK(message(PAGEPRESS_MESSAGE_LANES, 3, NULL, 0) == STATUS(OK), "from lane 3 on");
	CHECK(model.response_length == PAGEPRESS_MESSAGE_HEADER_BYTES + PAGEPRESS_LANE_BYTES, "one lane");
}

/* Streams of golden vectors hold their page; with any bit flipped they are judged as the page that comes out. */
static void test_golden(const char *folder)
{
	static struct golden golden;
	uint32_t refused = 0;

	for (uint32_t seed = 1; seed <= 400; seed++) {
		uint32_t page_bytes = GOLDEN_BYTES << seed % 5;

		golden_draw(&golden, seed, page_bytes);
		CHECK(golden.filled == GOLDEN_BYTES && golden_is_held_by(&golden, golden.stream, golden.stream_bytes), "seed %u", seed);
		CHECK(!golden_is_held_by(&golden, golden.stream, golden.stream_bytes - 1), "seed %u, cut short", seed);
		CHECK(!golden_is_held_by(&golden, golden.stream, 0), "an empty stream");
		if (seed <= 100) {
			char name[256];
			FILE *file;

			snprintf(name, sizeof(name), "%s/%u.golden", folder, seed);
			file = fopen(name, "wb");
			CHECK(file, "%s cannot be written", name);
			for (uint32_t at = 0; at < page_bytes; at += GOLDEN_BYTES)
				fwrite(golden.page, 1, GOLDEN_BYTES, file);
			fwrite(golden.stream, 1, golden.stream_bytes, file);
			fclose(file);
		}
		for (uint32_t flip = 0; flip < 50; flip++) {
			uint8_t *byte = &golden.stream[draw() % golden.stream_bytes], bit = 1u << draw() % 8;

			*byte ^= bit;
			refused += !golden_is_held_by(&golden, golden.stream, golden.stream_bytes);
			*byte ^= bit;
		}
	}
	CHECK(refused > 400 * 50 * 9 / 10, "%u of 20000 flipped bits were noticed", refused);
}

int main(int count, char **arguments)
{
	CHECK(count == 4, "usage: test_lanes KEY SEED FOLDER");
	read_signing_key(arguments[1]);
	draw_from(strtoul(arguments[2], NULL, 0));
	test_golden(arguments[3]);
	test_back_in_service();
	test_three_failures();
	test_breaks_again();
	test_verify_failures();
	test_disabled_at_any_moment();
	test_reset_at_any_moment();
	test_card_that_does_not_answer();
	test_counts();
	CHECK(!lane_model.strays, "%u actions on lanes that are not there", lane_model.strays);
	puts("lanes: all as expected");
	return 0;
}
