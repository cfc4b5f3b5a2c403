/* SPDX-License-Identifier: Apache-2.0 */
/* A card that is hot: what the sensors say, the steps of throttling, and the lanes that rest for it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "lane_model.h"
#include "registers.h"
#include "services.h"

#define SIZE 1000u
#define A_WHILE 6000u /* turns: a second of silence, a lane's way out and back */

static struct choice choice;
static struct pagepress_lane told[MODEL_LANES];

static void heat(int32_t degrees)
{
	model.codes[PAGEPRESS_SENSOR_TEMPERATURE] = (degrees * 100 + 28023) * 65536ull / 50931 + 1; /* not a hundredth below */
	turns(A_WHILE);
}

static void fresh_card(void)
{
	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	lane_model_power_on();
	put_image(PAGEPRESS_SLOT_A, make_image(1, 1, SIZE));
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots");
	for (uint32_t i = PAGEPRESS_SENSOR_VOLTAGE_CORE; i < 4; i++)
		model.codes[i] = 18568;
	heat(42);
}

static struct pagepress_telemetry telemetry(void)
{
	struct pagepress_telemetry said;

	CHECK(message(PAGEPRESS_MESSAGE_TELEMETRY, 0, NULL, 0) == STATUS(OK), "TELEMETRY");
	memcpy(&said, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(said));
	return said;
}

static const struct pagepress_lane *lane(uint32_t number)
{
	CHECK(message(PAGEPRESS_MESSAGE_LANES, 0, NULL, 0) == STATUS(OK), "LANES");
	memcpy(told, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(told));
	return &told[number];
}

/* Of a kind, where hardware and firmware agree on them. */
static uint32_t lanes_in(uint32_t kind, uint32_t state)
{
	uint32_t count = 0;

	for (uint32_t number = 2 * kind; number < 2 * kind + 2; number++)
		count += lane(number)->state == state && lane_model.lanes[number].isolated == (state != PAGEPRESS_LANE_STATE_IN_SERVICE);
	return count;
}

static void all_work(const char *when)
{
	for (uint32_t kind = 0; kind < 2; kind++)
		CHECK(lanes_in(kind, PAGEPRESS_LANE_STATE_IN_SERVICE) == 2, "not both lanes of kind %u work: %s", kind, when);
}

static void one_of_each_works(const char *when)
{
	for (uint32_t kind = 0; kind < 2; kind++)
		CHECK(lanes_in(kind, PAGEPRESS_LANE_STATE_IN_SERVICE) == 1 && lanes_in(kind, PAGEPRESS_LANE_STATE_RESTING) == 1,
		      "not one lane of kind %u works and one rests: %s", kind, when);
}

static void step_is(uint32_t step, const char *when)
{
	CHECK(model.throttle == step, "step %u, not %u: %s", model.throttle, step, when);
	logged(PAGEPRESS_EVENT_THROTTLED, step ? PAGEPRESS_SEVERITY_WARNING : PAGEPRESS_SEVERITY_INFO, step, when);
}

/* A step begins at its temperature and ends two degrees below. */
static void test_steps(void)
{
	static const struct {
		int32_t degrees;
		uint32_t step;
	} turns_of_it[] = { { 84, 0 }, { 85, 1 }, { 84, 1 }, { 83, 1 }, { 82, 0 }, { 90, 2 }, { 89, 2 }, { 87, 1 }, { 95, 3 }, { 94, 3 }, { 92, 2 }, { 125, 3 }, { 42, 0 } };

	fresh_card();
	for (uint32_t i = 0; i < sizeof(turns_of_it) / sizeof(turns_of_it[0]); i++) {
		heat(turns_of_it[i].degrees);
		CHECK(model.throttle == turns_of_it[i].step, "%d degrees: step %u, not %u", turns_of_it[i].degrees, model.throttle, turns_of_it[i].step);
	}
	CHECK(telemetry().temperature_peak / 100 == 125 && telemetry().temperature / 100 == 42, "peak %u, now %u", telemetry().temperature_peak,
	      telemetry().temperature);
}

static void test_time_and_limits(void)
{
	uint32_t spent;

	fresh_card();
	CHECK(!telemetry().throttle_time, "no time spent slow");
	heat(86);
	spent = telemetry().throttle_time;
	heat(86);
	CHECK(spent && telemetry().throttle_time > spent, "the time spent slow grows");
	heat(42);
	spent = telemetry().throttle_time;
	heat(42);
	CHECK(telemetry().throttle_time == spent, "and no longer");
	CHECK(message(PAGEPRESS_MESSAGE_SET_LIMITS, 5000 << 16 | 4000, NULL, 0) == STATUS(OK), "limits");
	CHECK(telemetry().temperature_begin == 4000 && telemetry().temperature_hardest == 5000, "shown");
	heat(42);
	step_is(1, "new limits");
	for (uint32_t i = 0; i < 3; i++)
		CHECK(message(PAGEPRESS_MESSAGE_SET_LIMITS, ((const uint32_t[]){ 5000 << 16, 4000 << 16 | 4000, 12501 << 16 | 4000 })[i], NULL, 0) ==
		      STATUS(BAD_ARGUMENT), "limits %u", i);
	heat(60);
	step_is(3, "the limits that were refused are not in force");
	CHECK(message(PAGEPRESS_MESSAGE_SET_LIMITS, 12500 << 16 | 12499, NULL, 0) == STATUS(OK), "the highest limits");
}

/* Whatever a sensor said last is not known any more. */
static void test_silence(void)
{
	fresh_card();
	model.codes[PAGEPRESS_SENSOR_VOLTAGE_AUX] = 39321;
	heat(42);
	CHECK(telemetry().voltage_aux == 1799 && !telemetry().sensors_silent, "%u mV", telemetry().voltage_aux);
	model.sensors_mute = true;
	turns(2 * A_WHILE);
	step_is(1, "nobody knows how hot it is");
	CHECK(!telemetry().voltage_aux && telemetry().sensors_silent == 0xF, "%u mV of a silent sensor", telemetry().voltage_aux);
	all_work("nobody knows how hot it is, and one lane of two would be too few");
	model.sensors_mute = false;
	heat(42);
	step_is(0, "they speak again");
	heat(110);
	model.sensors_mute = true;
	turns(2 * A_WHILE);
	step_is(3, "silent since it was hot");
	CHECK(model.events[PAGEPRESS_EVENT_SENSOR_SILENT] >= 4, "each sensor's silence is logged");
	LOGGED(SENSOR_SILENT, WARNING, 3, "which one");
	/* For a second each may say nothing. */
	model.sensors_mute = false;
	heat(42);
	memset(model.events, 0, sizeof(model.events));
	model.sensors_mute = true;
	for (uint32_t began = milliseconds(); milliseconds() - began < 900;)
		turns(1);
	CHECK(!telemetry().sensors_silent, "silent after 900 ms");
	for (uint32_t began = milliseconds(); milliseconds() - began < 200;)
		turns(1);
	CHECK(telemetry().sensors_silent == 0xF && model.events[PAGEPRESS_EVENT_SENSOR_SILENT] == 4, "not silent after 1100 ms");
}

/* Nothing is known of a sensor that has never said anything, or says nothing but 0. */
static void test_never_heard(void)
{
	for (uint32_t mute = 0; mute < 2; mute++) {
		memset(&model, 0, sizeof(model));
		memset(model.flash, 0xFF, sizeof(model.flash));
		lane_model_power_on();
		put_image(PAGEPRESS_SLOT_A, make_image(1, 1, SIZE));
		model.sensors_mute = mute;
		CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots");
		turns(1);
		CHECK(telemetry().sensors_silent == 0xF, "silent %x at once", telemetry().sensors_silent);
		step_is(1, "nobody knows how hot it is");
		CHECK(!model.events[PAGEPRESS_EVENT_SENSOR_SILENT], "for a second each may say nothing");
		turns(A_WHILE);
		CHECK(telemetry().sensors_silent == 0xF && model.events[PAGEPRESS_EVENT_SENSOR_SILENT] == 4, "%u are logged", model.events[PAGEPRESS_EVENT_SENSOR_SILENT]);
		model.sensors_mute = false;
		heat(42);
		CHECK(telemetry().sensors_silent == (0xF & ~(1u << PAGEPRESS_SENSOR_TEMPERATURE)), "one speaks: %x", telemetry().sensors_silent);
		step_is(0, "it speaks");
		CHECK(telemetry().temperature_peak / 100 == 42, "highest %d", (int32_t)telemetry().temperature_peak);
	}
	/* What it has said before the image is entered counts from its first turn on. */
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && !(sensors_silent() & 1u << PAGEPRESS_SENSOR_TEMPERATURE), "silent after a reset");
	CHECK(sensors_temperature() / 100 == 42, "%d after a reset", sensors_temperature());
}

/* The heat takes lanes out, one of each kind works whatever happens, and all are back when it is gone. */
static void test_lanes_rest(void)
{
	fresh_card();
	for (uint32_t lanes = 1; lanes <= 8; lanes++)
		CHECK(throttle_lanes(lanes) == lanes, "cool, %u of %u lanes may work", throttle_lanes(lanes), lanes);
	CHECK(!throttle_lanes(0), "of none none");
	all_work("cool");
	heat(86);
	all_work("a little warm");
	CHECK(throttle_lanes(8) == 6 && throttle_lanes(4) == 3 && throttle_lanes(2) == 2, "step %u", model.throttle);
	heat(91);
	CHECK(throttle_lanes(8) == 3 && throttle_lanes(4) == 2 && throttle_lanes(3) == 2, "step %u", model.throttle);
	one_of_each_works("hot");
	heat(110);
	for (uint32_t lanes = 1; lanes <= 8; lanes++)
		CHECK(throttle_lanes(lanes) == 1, "at the hardest step %u of %u lanes may work", throttle_lanes(lanes), lanes);
	one_of_each_works("as hot as can be");
	lane_model_disable();
	turns(A_WHILE);
	one_of_each_works("the host has enabled the card anew");
	for (uint32_t number = 0; number < MODEL_LANES; number++)
		CHECK(!lane_model.lanes[number].resets && !lane_model.lanes[number].tests, "lane %u is neither reset nor tested", number);
	CHECK(!model.events[PAGEPRESS_EVENT_LANE_ISOLATED] && !model.events[PAGEPRESS_EVENT_LANE_RETURNED], "rest is no trouble");
	heat(42);
	all_work("cool again");
}

/* Lanes that break while others rest: these take their place, and the broken ones are healed; one that breaks while it rests, too. */
static void test_lanes_break(void)
{
	for (uint32_t number = 0; number < MODEL_LANES; number++) {
		struct model_lane *hardware = &lane_model.lanes[number];

		fresh_card();
		heat(110);
		hardware->faulty = true;
		turns(A_WHILE);
		CHECK(hardware->resets == 1 && lane(number)->failures == 1 && lane(number)->cause == PAGEPRESS_LANE_CAUSE_FAULT, "lane %u: %u resets",
		      number, hardware->resets);
		one_of_each_works("healed in the heat");
		hardware->engine = FAULTS;
		hardware->faulty = true;
		turns(2 * A_WHILE);
		CHECK(lane(number)->state == PAGEPRESS_LANE_STATE_OUT && lane(number ^ 1)->state == PAGEPRESS_LANE_STATE_IN_SERVICE &&
		      !lane_model.lanes[number ^ 1].isolated, "lane %u is out, the other one works", number);
		heat(42);
		CHECK(lane(number)->state == PAGEPRESS_LANE_STATE_OUT, "and stays out when it is cool");
	}
}

int main(int count, char **arguments)
{
	CHECK(count == 3, "usage: test_heat KEY SEED");
	read_signing_key(arguments[1]);
	draw_from(strtoul(arguments[2], NULL, 0));
	test_steps();
	test_time_and_limits();
	test_silence();
	test_never_heard();
	test_lanes_rest();
	test_lanes_break();
	CHECK(!lane_model.strays, "%u actions on lanes that are not there", lane_model.strays);
	puts("heat: all as expected");
	return 0;
}
