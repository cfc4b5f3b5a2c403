/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Slows the card down when it is hot: the first step is at `begin`, the second half-way to `hardest`, the third there; each is taken back
 * 2 degrees below. Each step lets fewer lanes of a kind work (lane.c), the last one a single one.
 */
#include "registers.h"
#include "services.h"

#define STEPS 3
#define HYSTERESIS 200 /* units of 0.01 degrees, as all of these */
#define FIRST_BEGIN 8500
#define FIRST_HARDEST 9500
#define HOTTEST 12500

static int32_t begin, hardest;
static uint32_t step, spent, last;

void throttle_start(void)
{
	begin = FIRST_BEGIN;
	hardest = FIRST_HARDEST;
	step = spent = 0;
	last = milliseconds();
}

static uint32_t step_at(int32_t temperature)
{
	if (temperature < begin)
		return 0;
	if (temperature >= hardest)
		return STEPS;
	return 1 + (uint32_t)((temperature - begin) * (STEPS - 1) / (hardest - begin));
}

/* Nobody knows how hot a card is whose sensor is silent: a little slower then. */
static uint32_t wanted(void)
{
	uint32_t now, later;

	if (sensors_silent() & 1u << PAGEPRESS_SENSOR_TEMPERATURE)
		return step ? step : 1;
	now = step_at(sensors_temperature());
	later = step_at(sensors_temperature() + HYSTERESIS);
	return now >= step ? now : later < step ? later : step;
}

void throttle_turn(void)
{
	uint32_t now = milliseconds(), next = wanted();

	if (step)
		spent += now - last;
	last = now;
	if (next == step)
		return;
	step = next;
	WRITE(CORE_SYSTEM, SYSTEM_THROTTLE, step);
	log_event(step ? PAGEPRESS_SEVERITY_WARNING : PAGEPRESS_SEVERITY_INFO, PAGEPRESS_EVENT_THROTTLED, step);
}

uint32_t throttle_step(void)
{
	return step;
}

/* Of so many healthy lanes of a kind; the nearest number, and one at least. */
uint32_t throttle_lanes(uint32_t lanes)
{
	return lanes ? 1 + ((lanes - 1) * (STEPS - step) * 2 + STEPS) / (2 * STEPS) : 0;
}

uint32_t throttle_time(void)
{
	return spent;
}

void throttle_limits(uint32_t *from, uint32_t *to)
{
	*from = begin;
	*to = hardest;
}

uint32_t message_set_limits(struct request *request)
{
	int32_t from = request->argument & 0xFFFF, to = request->argument >> 16;

	if (!from || from >= to || to > HOTTEST)
		return STATUS(BAD_ARGUMENT);
	begin = from;
	hardest = to;
	return STATUS(OK);
}
