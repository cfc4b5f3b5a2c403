/* SPDX-License-Identifier: Apache-2.0 */
#include "records.h"

#include <stdbool.h>
#include <string.h>

#include "flash.h"
#include "registers.h"

#define SECTORS 2u
#define PER_SECTOR (PAGEPRESS_FLASH_SECTOR_BYTES / PAGEPRESS_BOOT_RECORD_BYTES)
#define PLACES (SECTORS * PER_SECTOR)
#define NOWHERE PLACES
/* No flash lasts for so many records: somebody has made it up. */
#define LAST_NUMBER (~0u - 1)

typedef struct pagepress_boot_record record_t;

static uint32_t place_offset(uint32_t journal, uint32_t place)
{
	return journal + place * PAGEPRESS_BOOT_RECORD_BYTES;
}

uint32_t crc32c_on(uint32_t crc, const void *data, uint32_t bytes)
{
	const uint8_t *next = data;

	crc = ~crc;
	while (bytes--) {
		crc ^= *next++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78u : 0);
	}
	return ~crc;
}

static bool is_erased(const record_t *record)
{
	static const uint32_t ones[4] = { ~0u, ~0u, ~0u, ~0u };

	return !memcmp(record, ones, sizeof(*record));
}

static bool is_intact(const record_t *record)
{
	return record->number != ~0u && record->crc32c == crc32c_on(0, record, PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET) &&
	       record->slot <= PAGEPRESS_SLOT_B && record->trial <= TRIAL_BEGUN;
}

/* Whether the record at `place` is one; read once more before it is none. */
static bool read_intact(uint32_t journal, uint32_t place, record_t *record)
{
	flash_read(place_offset(journal, place), record, sizeof(*record));
	if (is_intact(record))
		return true;
	flash_read(place_offset(journal, place), record, sizeof(*record));
	return is_intact(record);
}

/*
 * The place of the record that counts, NOWHERE if there is none; sectors are filled from their first place on. Of two with the same number the
 * later one: it was written when the other could not be read.
 */
static uint32_t find_newest(uint32_t journal, record_t *newest)
{
	uint32_t found = NOWHERE;
	record_t record;

	for (uint32_t place = 0; place < PLACES; place++) {
		if (!read_intact(journal, place, &record)) {
			if (is_erased(&record))
				place |= PER_SECTOR - 1; /* and so is the rest of this sector */
		} else if (found == NOWHERE || record.number >= newest->number) {
			*newest = record;
			found = place;
		}
	}
	return found;
}

static void read_newest(uint32_t journal, record_t *newest)
{
	if (find_newest(journal, newest) == NOWHERE)
		memset(newest, 0, sizeof(*newest));
}

uint32_t floor_kept(void)
{
	record_t kept;

	read_newest(PAGEPRESS_FLASH_FLOOR_OFFSET, &kept);
	return kept.floor;
}

void records_read(record_t *record)
{
	uint32_t kept = floor_kept();

	read_newest(PAGEPRESS_FLASH_RECORDS_OFFSET, record);
	if (record->floor < kept)
		record->floor = kept;
}

static uint32_t write_record(uint32_t offset, const record_t *record)
{
	uint32_t status;

	flash_begin_program(offset, record, sizeof(*record));
	status = flash_finish(FLASH_PROGRAM_LIMIT);
	if (status == STATUS(OK) && !flash_holds(offset, record, sizeof(*record)))
		status = STATUS(FLASH_FAILED);
	return status;
}

/* The next free place of the sector of `place`, or that sector's end when there is none. */
static uint32_t next_free(uint32_t journal, uint32_t place)
{
	record_t record;

	while (++place % PER_SECTOR) {
		flash_read(place_offset(journal, place), &record, sizeof(record));
		if (is_erased(&record))
			break;
	}
	return place;
}

static uint32_t erase_sector(uint32_t journal, uint32_t place)
{
	flash_begin_erase(place_offset(journal, place));
	return flash_finish(FLASH_ERASE_LIMIT);
}

/* OK: the new record is the one that counts. */
static uint32_t append(uint32_t journal, uint32_t slot, uint32_t trial, uint32_t floor)
{
	record_t record = { 0 }, counts;
	uint32_t newest = find_newest(journal, &record), status = STATUS(FLASH_FAILED), place = NOWHERE;
	bool last = newest != NOWHERE && record.number >= LAST_NUMBER;

	record.number = newest == NOWHERE || last ? 1 : record.number + 1;
	record.floor = floor;
	record.slot = slot;
	record.trial = trial;
	record.crc32c = crc32c_on(0, &record, PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET);
	if (newest != NOWHERE && !last) {
		place = next_free(journal, newest);
		if (place % PER_SECTOR)
			status = write_record(place_offset(journal, place), &record);
	}
	if (status == STATUS(FLASH_FAILED)) {
		/* A sector anew: the one in which the record that counts does not stand. */
		place = newest != NOWHERE && newest < PER_SECTOR ? PER_SECTOR : 0;
		status = erase_sector(journal, place);
		if (status == STATUS(OK))
			status = write_record(place_offset(journal, place), &record);
		/* Numbers begin anew; until the other sector is erased the last one counts. */
		if (status == STATUS(OK) && last)
			status = erase_sector(journal, newest);
	}
	if (status == STATUS(OK) && find_newest(journal, &counts) != place)
		status = STATUS(FLASH_FAILED);
	return status;
}

uint32_t records_append(uint32_t slot, uint32_t trial, uint32_t floor)
{
	return append(PAGEPRESS_FLASH_RECORDS_OFFSET, slot, trial, floor);
}

uint32_t floor_raise(uint32_t floor)
{
	return floor_kept() < floor ? append(PAGEPRESS_FLASH_FLOOR_OFFSET, 0, CONFIRMED, floor) : STATUS(OK);
}
