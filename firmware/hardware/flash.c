/* SPDX-License-Identifier: Apache-2.0 */
#include "flash.h"

#include <string.h>

#include "registers.h"

enum command {
	PAGE_PROGRAM = 0x02,
	READ_DATA = 0x03,
	READ_STATUS = 0x05,
	WRITE_ENABLE = 0x06,
	SECTOR_ERASE = 0x20,
	READ_IDENTITY = 0x9F,
};

#define STATUS_BUSY 1u

static void select_flash(void)
{
	WRITE(CORE_FLASH, FLASH_CONTROL, PAGEPRESS_FLASH_CONTROL_SELECT_MASK);
}

static void deselect_flash(void)
{
	WRITE(CORE_FLASH, FLASH_CONTROL, 0);
}

/* A transfer of 32 bits takes some 70 cycles: it cannot last, whatever the flash does. */
static uint32_t finish_transfer(void)
{
	while (READ(CORE_FLASH, FLASH_STATUS))
		;
	return READ(CORE_FLASH, FLASH_DATA);
}

static uint8_t exchange_byte(uint8_t value)
{
	WRITE(CORE_FLASH, FLASH_BYTE, value);
	return finish_transfer() >> 24;
}

static uint32_t exchange_word(uint32_t value)
{
	WRITE(CORE_FLASH, FLASH_WORD, value);
	return finish_transfer();
}

/* Command and address: the first byte on the wire is the lowest of the word. */
static void send_address(enum command command, uint32_t offset)
{
	exchange_word(command | (offset >> 16 & 0xFF) << 8 | (offset >> 8 & 0xFF) << 16 | (offset & 0xFF) << 24);
}

uint32_t flash_identity(void)
{
	uint32_t identity;

	select_flash();
	exchange_byte(READ_IDENTITY);
	identity = exchange_byte(0) << 16;
	identity |= exchange_byte(0) << 8;
	identity |= exchange_byte(0);
	deselect_flash();
	return identity == 0xFFFFFF ? 0 : identity;
}

void flash_read(uint32_t offset, void *to, uint32_t bytes)
{
	uint8_t *next = to;

	select_flash();
	send_address(READ_DATA, offset);
	if (bytes >= 4)
		WRITE(CORE_FLASH, FLASH_WORD, 0);
	for (; bytes >= 4; bytes -= 4) {
		uint32_t word = finish_transfer();

		if (bytes >= 8) /* the next one comes while this one is stored */
			WRITE(CORE_FLASH, FLASH_WORD, 0);
		for (int byte = 0; byte < 4; byte++, word >>= 8)
			*next++ = word;
	}
	while (bytes--)
		*next++ = exchange_byte(0);
	deselect_flash();
}

static void enable_write(void)
{
	select_flash();
	exchange_byte(WRITE_ENABLE);
	deselect_flash();
}

void flash_begin_erase(uint32_t offset)
{
	enable_write();
	select_flash();
	send_address(SECTOR_ERASE, offset);
	deselect_flash();
}

void flash_begin_program(uint32_t offset, const void *from, uint32_t bytes)
{
	const uint8_t *next = from;

	enable_write();
	select_flash();
	send_address(PAGE_PROGRAM, offset);
	while (bytes--)
		exchange_byte(*next++);
	deselect_flash();
}

bool flash_busy(void)
{
	uint8_t status;

	select_flash();
	exchange_byte(READ_STATUS);
	status = exchange_byte(0);
	deselect_flash();
	return status & STATUS_BUSY;
}

uint32_t flash_finish(uint32_t limit)
{
	uint32_t began = milliseconds();

	while (flash_busy()) {
		feed_watchdog();
		if (milliseconds() - began > limit)
			return STATUS(FLASH_TIMEOUT);
	}
	return STATUS(OK);
}

bool flash_holds(uint32_t offset, const void *expected, uint32_t bytes)
{
	const uint8_t *next = expected;
	uint8_t there[32];

	while (bytes) {
		uint32_t part = bytes < sizeof(there) ? bytes : sizeof(there);

		flash_read(offset, there, part);
		if (memcmp(there, next, part))
			return false;
		offset += part;
		next += part;
		bytes -= part;
	}
	return true;
}
