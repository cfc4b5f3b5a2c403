/* SPDX-License-Identifier: Apache-2.0 */
/* One consistent snapshot of everything the services count. */
#include <string.h>

#include "registers.h"
#include "services.h"

static uint32_t entered, flash_errors, longest, last_cycle;

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
	flash_errors = longest = 0;
	last_cycle = cycles();
}

void telemetry_turn(void)
{
	uint32_t now = cycles();

	if (now - last_cycle > longest)
		longest = now - last_cycle;
	last_cycle = now;
}

void count_flash_error(uint32_t status)
{
	flash_errors++;
	LOG(ERROR, FLASH_TROUBLE, status);
}

uint32_t message_telemetry(struct request *request)
{
	uint32_t now = milliseconds(), begin, hardest;
	struct pagepress_telemetry telemetry = {
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
	telemetry.temperature_begin = begin;
	telemetry.temperature_hardest = hardest;
	memcpy(request->response, &telemetry, sizeof(telemetry));
	request->response_bytes = sizeof(telemetry);
	return STATUS(OK);
}
