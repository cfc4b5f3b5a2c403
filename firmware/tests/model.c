/* SPDX-License-Identifier: Apache-2.0 */
#include "model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flash_lock_model.h"
#include "lane_model.h"
#include "registers.h"
#include "telemetry_model.h"

#define WATCHDOG_MILLISECONDS 1000 /* as after a reset; nothing here changes it */

struct model model;

static struct {
	bool selected, write_enabled;
	uint8_t received[512];
	uint32_t count, data, busy_polls;
} port;
static uint64_t numbers = 1;
static uint32_t log_event_word;

_Noreturn void fail(const char *file, int line, const char *condition, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%d: %s is false: ", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line, condition);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(1);
}

void draw_from(uint32_t seed)
{
	numbers = seed * 0x9E3779B97F4A7C15u + 1;
}

uint32_t draw(void)
{
	numbers ^= numbers << 13;
	numbers ^= numbers >> 7;
	numbers ^= numbers << 17;
	return numbers >> 16;
}

void model_power_on(void)
{
	port.busy_polls = 0;
	model_reset();
}

void model_reset(void)
{
	uint32_t busy_polls = port.busy_polls;

	memset(&port, 0, sizeof(port));
	port.busy_polls = busy_polls;
	flash_lock_model_reset();
	model.request_length = model.response_length = model.report = model.throttle = 0;
	model.answered = false;
	model.cut_at = -1;
	model.unfed = 0;
}

static uint32_t address(void)
{
	return ((uint32_t)port.received[1] << 16 | port.received[2] << 8 | port.received[3]) % FLASH_BYTES;
}

/* The byte that comes back while the next one goes out. */
static uint8_t exchange(uint8_t value)
{
	uint8_t back = 0;
	uint32_t count = port.count;
	bool busy = model.flash_stuck ? model.operations > 0 : port.busy_polls > 0;

	if (!port.selected || model.flash_dead)
		return 0xFF;
	if (count && port.received[0] == 0x05) {
		back = busy;
		port.busy_polls -= port.busy_polls > 0;
	} else if (count && busy) { /* it takes no other command */
		back = 0xFF;
	} else if (count && count < 4 && port.received[0] == 0x9F) {
		back = model.flash_nameless ? 0xFF : (const uint8_t[]){ 0xEF, 0x40, 0x14 }[count - 1];
	} else if (count >= 4 && port.received[0] == 0x03) {
		back = model.flash[(address() + count - 4) % FLASH_BYTES];
		if (model.lie && address() + count - 4 == model.lie_at) {
			back ^= model.lie;
			if (!model.lies)
				model.lie = 0;
			model.lies -= model.lies > 0;
		}
	}
	if (count < sizeof(port.received) || port.received[0] != 0x03)
		CHECK(count < sizeof(port.received), "command %02x of %u bytes", port.received[0], count);
	if (count < 8 || port.received[0] != 0x03)
		port.received[count] = value;
	port.count++;
	if (port.received[0] == 0x03 && port.count > 100000)
		CHECK(false, "a read without end");
	return back;
}

/* Half of an operation is done when power fails. */
static void end_command(void)
{
	bool cut;

	if (!port.selected || !port.count || model.flash_dead)
		return;
	if (port.received[0] == 0x06) {
		port.write_enabled = true;
		return;
	}
	if (port.received[0] != 0x20 && port.received[0] != 0x02)
		return;
	CHECK(port.write_enabled, "a change without write enable");
	CHECK(!port.busy_polls || model.flash_stuck, "a change while the flash is busy");
	cut = model.operations++ == model.cut_at;
	port.write_enabled = false;
	port.busy_polls = port.received[0] == 0x20 ? 20 : 3;
	if (port.received[0] == 0x20) {
		memset(model.flash + address() / 4096 * 4096, 0xFF, cut ? 2048 : 4096);
	} else {
		uint32_t bytes = port.count - 4;

		CHECK(bytes && address() % 256 + bytes <= 256, "a program of %u bytes across a page's end", bytes);
		for (uint32_t i = 0; i < (cut ? bytes / 2 : bytes); i++)
			model.flash[address() + i] &= port.received[4 + i] | (model.flash_worn ? 0x10 : 0);
	}
	if (cut)
		longjmp(model.lost, POWER_CUT);
}

uint32_t register_read(uint32_t at)
{
	uint32_t found;

	if (at >= PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_REQUEST_OFFSET &&
	    at < PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_REQUEST_OFFSET + PAGEPRESS_MAILBOX_BYTES) {
		uint32_t word;

		memcpy(&word, model.request + (at & 0xFC), 4);
		return word;
	}
	if (at >= PAGEPRESS_CORE_SENSOR_BASE && at < PAGEPRESS_CORE_SENSOR_BASE + 16)
		return model.sensor_updates << 16 | model.codes[at % 16 / 4];
	if (lane_model_read(at, &found) || telemetry_model_read(at, &found))
		return found;
	switch (at) {
	case ADDRESS(CORE_TIMER, TIMER_MILLISECONDS):
		CHECK(model.unfed++ < 8 * WATCHDOG_MILLISECONDS || model.time_stands, "the watchdog bites");
		return (model.time += !model.time_stands) / 8;
	case ADDRESS(CORE_MAILBOX, MAILBOX_REQUEST):
		return model.request_length;
	case ADDRESS(CORE_SYSTEM, SYSTEM_REPORT):
		return model.report;
	case ADDRESS(CORE_SYSTEM, SYSTEM_CLOCK):
		return 1000;
	case ADDRESS(CORE_FLASH, FLASH_STATUS):
		return 0;
	case ADDRESS(CORE_FLASH, FLASH_DATA):
		return port.data;
	case ADDRESS(CORE_FLASH, FLASH_LOCK):
		return flash_lock_model_locked();
	}
	fail(__FILE__, __LINE__, "a register", "read of %08x", at);
}

void register_write(uint32_t at, uint32_t value)
{
	if (at >= PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_RESPONSE_OFFSET &&
	    at < PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_RESPONSE_OFFSET + PAGEPRESS_MAILBOX_BYTES) {
		memcpy(model.response + (at & 0xFC), &value, 4);
		return;
	}
	if (lane_model_write(at, value) || telemetry_model_write(at, value))
		return;
	if (!flash_lock_model_write(at, value))
		return;
	switch (at) {
	case ADDRESS(CORE_FLASH, FLASH_LOCK):
		return;
	case ADDRESS(CORE_FLASH, FLASH_CONTROL):
		if (!(value & PAGEPRESS_FLASH_CONTROL_SELECT_MASK))
			end_command();
		port.selected = value & PAGEPRESS_FLASH_CONTROL_SELECT_MASK;
		port.count = 0;
		return;
	case ADDRESS(CORE_FLASH, FLASH_BYTE):
		port.data = (uint32_t)exchange(value) << 24;
		return;
	case ADDRESS(CORE_FLASH, FLASH_WORD):
		port.data = 0;
		for (int i = 0; i < 4; i++)
			port.data |= (uint32_t)exchange(value >> 8 * i) << 8 * i;
		return;
	case ADDRESS(CORE_MAILBOX, MAILBOX_ANSWER):
		CHECK(model.request_length, "an answer to nothing");
		CHECK(value >= PAGEPRESS_MESSAGE_HEADER_BYTES && value <= PAGEPRESS_MAILBOX_BYTES, "a response of %u bytes", value);
		model.request_length = 0;
		model.response_length = value;
		model.answered = true;
		return;
	case ADDRESS(CORE_SYSTEM, SYSTEM_RESET):
		longjmp(model.lost, RESET_ASKED);
	case ADDRESS(CORE_SYSTEM, SYSTEM_THROTTLE):
		model.throttle = value;
		return;
	case ADDRESS(CORE_LOG, LOG_EVENT):
		log_event_word = value;
		return;
	case ADDRESS(CORE_LOG, LOG_ARGUMENT):
		model.events[log_event_word % 32]++;
		model.last[log_event_word % 32].severity = (log_event_word & PAGEPRESS_LOG_EVENT_SEVERITY_MASK) >> PAGEPRESS_LOG_EVENT_SEVERITY_SHIFT;
		model.last[log_event_word % 32].argument = value;
		return;
	case ADDRESS(CORE_SYSTEM, SYSTEM_HEARTBEAT):
		model.beats++;
		return;
	case ADDRESS(CORE_TIMER, WATCHDOG_FEED):
		model.unfed = 0;
		return;
	case ADDRESS(CORE_SYSTEM, SYSTEM_STAGE):
	case ADDRESS(CORE_TIMER, WATCHDOG_LIMIT):
		return;
	}
	fail(__FILE__, __LINE__, "a register", "write of %08x", at);
}
