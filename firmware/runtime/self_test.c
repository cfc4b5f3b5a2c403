/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the management part itself, beside its work. */
#include <string.h>

#include "flash.h"
#include "records.h"
#include "registers.h"
#include "services.h"
#include "slots.h"

#define ALL (PAGEPRESS_SELF_TEST_RAM | PAGEPRESS_SELF_TEST_TIMER | PAGEPRESS_SELF_TEST_FLASH | PAGEPRESS_SELF_TEST_SENSORS | \
	     PAGEPRESS_SELF_TEST_IMAGE)

static uint32_t failed;

/* All that no program uses; it is larger than the data cache, so that what is read comes from the RAM. */
static bool memory_works(void)
{
	uint32_t *begin, *end, *word;
	bool works = true;

	free_memory(&begin, &end);
	for (uint32_t turn = 0; turn < 2; turn++) {
		uint32_t invert = turn ? ~0u : 0;

		for (word = begin; word < end; word++)
			*(volatile uint32_t *)word = (uint32_t)(uintptr_t)word ^ invert;
		for (word = begin; word < end; word++)
			works &= *(volatile uint32_t *)word == ((uint32_t)(uintptr_t)word ^ invert);
		feed_watchdog();
	}
	return works;
}

/* A millisecond must come within twice its cycles, counted in turns of a loop of at least four of them. */
static bool timer_works(void)
{
	uint32_t began = milliseconds(), left = READ(CORE_SYSTEM, SYSTEM_CLOCK) / 2;

	while (left-- && milliseconds() == began)
		;
	return milliseconds() != began;
}

static bool sensors_plausible(void)
{
	static const uint16_t least[] = { 500, 1500, 500 }; /* millivolts: core, auxiliary, memory */
	static const uint16_t most[] = { 1100, 2100, 1100 };
	int32_t temperature = sensors_temperature();
	bool plausible = !sensors_silent() && temperature > -5500 && temperature < 12500;

	for (uint32_t i = 0; i < 3; i++) {
		uint32_t voltage = sensors_voltage(PAGEPRESS_SENSOR_VOLTAGE_CORE + i);

		plausible &= voltage >= least[i] && voltage <= most[i];
	}
	return plausible;
}

static bool image_passes(void)
{
	struct pagepress_image_header header;

	return check_image(slot_offset(running_slot()), 0, &header) == STATUS(OK);
}

uint32_t self_test(uint32_t parts)
{
	failed = 0;
	if (parts & PAGEPRESS_SELF_TEST_RAM && !memory_works())
		failed |= PAGEPRESS_SELF_TEST_RAM;
	if (parts & PAGEPRESS_SELF_TEST_TIMER && !timer_works())
		failed |= PAGEPRESS_SELF_TEST_TIMER;
	if (parts & PAGEPRESS_SELF_TEST_FLASH && !flash_identity())
		failed |= PAGEPRESS_SELF_TEST_FLASH;
	if (parts & PAGEPRESS_SELF_TEST_SENSORS && !sensors_plausible())
		failed |= PAGEPRESS_SELF_TEST_SENSORS;
	if (parts & PAGEPRESS_SELF_TEST_IMAGE && !image_passes())
		failed |= PAGEPRESS_SELF_TEST_IMAGE;
	return failed;
}

uint32_t self_test_failed(void)
{
	return failed;
}

uint32_t message_self_test(struct request *request)
{
	struct pagepress_self_test_result result = { .ran = request->argument ? request->argument : ALL };

	if (result.ran & ~ALL)
		return STATUS(BAD_ARGUMENT);
	result.failed = self_test(result.ran);
	log_event(failed ? PAGEPRESS_SEVERITY_ERROR : PAGEPRESS_SEVERITY_INFO, PAGEPRESS_EVENT_SELF_TEST_ENDED, failed);
	memcpy(request->response, &result, sizeof(result));
	request->response_bytes = sizeof(result);
	return result.failed ? STATUS(SELF_TEST_FAILED) : STATUS(OK);
}
