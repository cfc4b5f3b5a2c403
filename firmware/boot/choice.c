/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"

#include <stdbool.h>

#include "flash.h"
#include "image.h"
#include "records.h"
#include "registers.h"
#include "slots.h"

static bool try_slot(struct choice *choice, uint32_t slot, uint32_t floor, uint8_t *load)
{
	uint32_t status = image_check(slot_offset(slot), floor, &choice->header, load);

	choice->status[slot] = status;
	if (status != STATUS(OK)) {
		LOG(WARNING, SLOT_REFUSED, slot << 8 | status);
		return false;
	}
	choice->slot = slot;
	return true;
}

/*
 * A trial is noted as begun before its image runs: whatever ends it, the next boot knows. A trial that cannot be noted
 * does not take place.
 */
static void try_slots(struct choice *choice, const struct pagepress_boot_record *record, uint8_t *load)
{
	uint32_t first = record->slot, second = other_slot(first);

	if (record->trial == CONFIRMED) {
		choice->kind = PAGEPRESS_BOOT_NORMAL;
		if (try_slot(choice, first, record->floor, load))
			return;
	} else if (record->trial == TRIAL_ASKED &&
		   records_append(first, TRIAL_BEGUN, record->floor) == STATUS(OK)) {
		choice->kind = PAGEPRESS_BOOT_TRIAL;
		if (try_slot(choice, first, record->floor, load))
			return;
	} else {
		choice->status[first] = STATUS(IMAGE_TRIAL_FAILED);
		LOG(WARNING, SLOT_REFUSED, first << 8 | STATUS(IMAGE_TRIAL_FAILED));
	}
	choice->kind = PAGEPRESS_BOOT_FALLBACK;
	if (try_slot(choice, second, record->floor, load)) {
		if (record->trial != CONFIRMED)
			records_append(second, CONFIRMED, record->floor);
		return;
	}
	/* Better an image whose trial failed than none. */
	if (choice->status[first] == STATUS(IMAGE_TRIAL_FAILED))
		try_slot(choice, first, record->floor, load);
}

/*
 * No image stands above the floor that a record asks for. The kept one holds as ever; what was only asked for is forgotten, else nothing
 * would ever boot again. Whoever could write the record could have asked for less as well.
 */
static void try_above_kept(struct choice *choice, struct pagepress_boot_record *record, uint8_t *load)
{
	uint32_t first = confirmed_slot(record);

	record->floor = floor_kept();
	if (try_slot(choice, first, record->floor, load) || try_slot(choice, other_slot(first), record->floor, load))
		records_append(choice->slot, CONFIRMED, record->floor);
}

/*
 * The floor is kept only once an image is there that stands above it, so no firmware can ask for one that leaves a card without any. One
 * that cannot be kept holds as long as its record does, and an image stands above it. A confirmed image's own floor counts as if asked for:
 * the image that a card was delivered with had no trial, nor had one that took an update while it was the only one.
 */
static uint32_t choose(struct choice *choice, uint8_t *load)
{
	struct pagepress_boot_record record;

	records_read(&record);
	try_slots(choice, &record, load);
	if (choice->slot == PAGEPRESS_SLOT_NONE && record.floor > floor_kept())
		try_above_kept(choice, &record, load);
	if (choice->kind == PAGEPRESS_BOOT_NORMAL && record.floor < choice->header.floor)
		record.floor = choice->header.floor;
	return choice->slot == PAGEPRESS_SLOT_NONE ? STATUS(OK) : floor_raise(record.floor);
}

/*
 * A reset ends no erase or program that the flash is at, and until it has ended each read finds ones: no records, no floor, no images. So
 * nothing is read before, and nothing boots from a flash that stays busy.
 */
void choose_image(struct choice *choice, uint8_t *load)
{
	uint32_t status = flash_finish(FLASH_ERASE_LIMIT);

	*choice = (struct choice){ .slot = PAGEPRESS_SLOT_NONE, .kind = PAGEPRESS_BOOT_FALLBACK, .status = { status, status } };
	if (status == STATUS(OK))
		status = choose(choice, load);
	if (status != STATUS(OK))
		LOG(ERROR, FLASH_TROUBLE, status);
	WRITE(CORE_FLASH, FLASH_LOCK, 1);
}

uint32_t choice_report(const struct choice *choice)
{
	return choice->slot << PAGEPRESS_BOOT_REPORT_SLOT_SHIFT |
	       choice->status[PAGEPRESS_SLOT_A] << PAGEPRESS_BOOT_REPORT_STATUS_A_SHIFT |
	       choice->status[PAGEPRESS_SLOT_B] << PAGEPRESS_BOOT_REPORT_STATUS_B_SHIFT |
	       choice->kind << PAGEPRESS_BOOT_REPORT_KIND_SHIFT;
}
