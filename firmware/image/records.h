/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the next reset boots, and the version floor: two journals of records, each in two sectors of the flash. A record is appended
 * whole or counts as not written, and a sector is erased only while the other one holds the record that counts: whenever
 * power is cut, either the record before or the new one stands.
 *
 * Firmware writes the one, the boot ROM both: it locks the floor's sectors before it enters an image. So a floor that firmware asks for
 * counts at once while an image stands above it, and is out of its reach from the next boot on.
 */
#ifndef RECORDS_H
#define RECORDS_H

#include <stdint.h>

#include "pagepress_management.h"
#include "slots.h"

/* BootRecord.trial */
enum { CONFIRMED = 0, TRIAL_ASKED = 1, TRIAL_BEGUN = 2 };

/*
 * The slot of the confirmed image: whoever asks for a trial asks for the other one. Every record keeps that true, but where the boot ROM finds
 * no other image than one without a trial.
 */
static inline uint32_t confirmed_slot(const struct pagepress_boot_record *record)
{
	return record->trial == CONFIRMED ? record->slot : other_slot(record->slot);
}

/*
 * The record that counts, with the floor that does: the higher one of both journals. Of a flash that holds none: slot A, confirmed, no floor,
 * number 0.
 */
void records_read(struct pagepress_boot_record *record);

/* CRC32C of bytes behind those whose CRC32C is `crc`, 0 for none. */
uint32_t crc32c_on(uint32_t crc, const void *data, uint32_t bytes);

/* Append a record; its number and CRC are filled in. OK: it is the one that counts; else FLASH_TIMEOUT or FLASH_FAILED. */
uint32_t records_append(uint32_t slot, uint32_t trial, uint32_t floor);

/* The floor that the boot ROM keeps, 0 for none. */
uint32_t floor_kept(void);

/* The boot ROM's: keep a floor where no firmware reaches, unless one as high stands there. As records_append. */
uint32_t floor_raise(uint32_t floor);

#endif
