/* SPDX-License-Identifier: Apache-2.0 */
/* Temperature and voltages as the system monitor's codes say, and which of them are silent. A code of 0 says nothing: it is what stands there before the first one. */
#include "registers.h"
#include "services.h"

#define PERIOD 10 /* milliseconds */
#define SILENCE 1000
#define CHANNELS 4

static struct {
	uint32_t code, updates, since;
} channels[CHANNELS];
static uint32_t last, silent, told; /* of each channel a bit: nothing is known of it; its silence is in the log */
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

static void take(uint32_t i, uint32_t value, uint32_t now)
{
	channels[i].updates = value >> PAGEPRESS_SENSOR_UPDATES_SHIFT;
	if (!(value & PAGEPRESS_SENSOR_CODE_MASK))
		return;
	channels[i].code = value & PAGEPRESS_SENSOR_CODE_MASK;
	channels[i].since = now;
	silent &= ~(1u << i);
	told &= ~(1u << i);
}

/* What came before the image was entered is as good as what comes now. */
void sensors_start(void)
{
	uint32_t now = milliseconds();

	silent = (1u << CHANNELS) - 1;
	told = 0;
	peak = INT32_MIN;
	last = now - PERIOD;
	for (uint32_t i = 0; i < CHANNELS; i++) {
		channels[i].code = 0;
		channels[i].since = now;
		take(i, read_channel(i), now);
	}
}

static void look(uint32_t i, uint32_t now)
{
	uint32_t value = read_channel(i);

	if (value >> PAGEPRESS_SENSOR_UPDATES_SHIFT != channels[i].updates)
		take(i, value, now);
	if (now - channels[i].since < SILENCE)
		return;
	silent |= 1u << i;
	if (told & 1u << i)
		return;
	told |= 1u << i;
	LOG(WARNING, SENSOR_SILENT, i);
}

void sensors_turn(void)
{
	uint32_t now = milliseconds();

	if (now - last < PERIOD)
		return;
	last = now;
	for (uint32_t i = 0; i < CHANNELS; i++)
		look(i, now);
	if (!(silent & 1u << PAGEPRESS_SENSOR_TEMPERATURE) && sensors_temperature() > peak)
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
