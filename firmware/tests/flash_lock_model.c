/* SPDX-License-Identifier: Apache-2.0 */
#include "flash_lock_model.h"

#include "registers.h"

#define FLOOR_BYTES (2 * PAGEPRESS_FLASH_SECTOR_BYTES)

static bool locked, selected, opens;

void flash_lock_model_reset(void)
{
	locked = selected = false;
	opens = true;
}

uint32_t flash_lock_model_locked(void)
{
	return locked;
}

static bool permitted(uint32_t at, uint32_t word)
{
	uint8_t command = word;
	uint32_t offset = (word >> 8 & 0xFF) << 16 | (word >> 16 & 0xFF) << 8 | word >> 24;

	if (at == ADDRESS(CORE_FLASH, FLASH_BYTE))
		return command == 0x05 || command == 0x06 || command == 0x9F;
	if (command == 0x02 || command == 0x20)
		return offset < PAGEPRESS_FLASH_MAP_BYTES && offset / FLOOR_BYTES != PAGEPRESS_FLASH_FLOOR_OFFSET / FLOOR_BYTES;
	return command == 0x03;
}

bool flash_lock_model_write(uint32_t at, uint32_t value)
{
	switch (at) {
	case ADDRESS(CORE_FLASH, FLASH_LOCK):
		locked = true;
		return true;
	case ADDRESS(CORE_FLASH, FLASH_CONTROL):
		selected = value & PAGEPRESS_FLASH_CONTROL_SELECT_MASK;
		opens |= !selected;
		return true;
	case ADDRESS(CORE_FLASH, FLASH_BYTE):
	case ADDRESS(CORE_FLASH, FLASH_WORD):
		break;
	default:
		return true;
	}
	if (locked && opens && !permitted(at, value))
		return false;
	opens = !selected;
	return true;
}
