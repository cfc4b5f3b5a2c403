/* SPDX-License-Identifier: Apache-2.0 */
/* Temperature and voltages as the system monitor's codes say, and which of them have gone silent. */
#include "registers.h"
#include "services.h"

#define PERIOD 10 /* milliseconds */
#define SILENCE 1000
#define CHANNELS 4

static struct {
	uint32_t code, updates, since;
} channels[CHANNELS];
static uint32_t last, silent;
static int32_t peak;

static uint32_t read_channel(uint32_t channel)
{
	return register_read(PAGEPRESS_CORE_SENSOR_BASE + PAGEPRESS_REGISTER_SENSOR + channel * PAGEPRESS_CORE_SENSOR_STRIDE);
}

/* UltraScale+ SYSMONE4: degrees are code x 509.3140064 / 65536 - 280.2308787. */
static int32_t temperature_of(uint32_t code)
{
	return (int32_t)((code * 50931u) >> 16) - 28023;
}

void sensors_start(void)
{
	silent = 0;
	peak = INT32_MIN;
	last = milliseconds() - PERIOD;
	for (uint32_t i = 0; i < CHANNELS; i++) {
		channels[i].code = 0;
		channels[i].updates = read_channel(i) >> PAGEPRESS_SENSOR_UPDATES_SHIFT;
		channels[i].since = milliseconds();
	}
}

static void look(uint32_t i, uint32_t now)
{
	uint32_t value = read_channel(i), updates = value >> PAGEPRESS_SENSOR_UPDATES_SHIFT;

	if (updates != channels[i].updates) {
		channels[i].code = value & PAGEPRESS_SENSOR_CODE_MASK;
		channels[i].updates = updates;
		channels[i].since = now;
		silent &= ~(1u << i);
	} else if (now - channels[i].since >= SILENCE && !(silent & 1u << i)) {
		silent |= 1u << i;
		LOG(WARNING, SENSOR_SILENT, i);
	}
}

void sensors_turn(void)
{
	uint32_t now = milliseconds();

	if (now - last < PERIOD)
		return;
	last = now;
	for (uint32_t i = 0; i < CHANNELS; i++)
		look(i, now);
	if (channels[PAGEPRESS_SENSOR_TEMPERATURE].code && sensors_temperature() > peak)
		peak = sensors_temperature();
}

int32_t sensors_temperature(void)
{
	return temperature_of(channels[PAGEPRESS_SENSOR_TEMPERATURE].code);
}

int32_t sensors_temperature_peak(void)
{
	return peak == INT32_MIN ? sensors_temperature() : peak;
}

uint32_t sensors_voltage(uint32_t channel)
{
	return silent & 1u << channel ? 0 : channels[channel].code * 3000 >> 16;
}

uint32_t sensors_silent(void)
{
	return silent;
}
