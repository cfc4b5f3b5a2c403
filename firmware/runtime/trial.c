/* SPDX-License-Identifier: Apache-2.0 */
/* Which slot runs, and what the next reset boots: confirms a new image, goes back to the old one. */
#include <string.h>

#include "flash.h"
#include "image.h"
#include "records.h"
#include "registers.h"
#include "services.h"
#include "slots.h"

/* A new image confirms itself when it has run for so long and has passed its self-test. */
#define TRIAL_PERIOD 100 /* milliseconds */
#define PERIOD_MOST (TRIAL_PERIOD << 9) /* between two tries at a record that is not written */
#define TRIAL_TESTS (PAGEPRESS_SELF_TEST_RAM | PAGEPRESS_SELF_TEST_TIMER | PAGEPRESS_SELF_TEST_FLASH)

static uint32_t slot, started, period;
static bool trial;
/* What the log has of this trial, a bit a cause: it holds few events, and a trial may fail for hours. */
static uint32_t parts_told, statuses_told;

void trial_start(void)
{
	uint32_t report = READ(CORE_SYSTEM, SYSTEM_REPORT);

	slot = (report & PAGEPRESS_BOOT_REPORT_SLOT_MASK) >> PAGEPRESS_BOOT_REPORT_SLOT_SHIFT;
	trial = (report & PAGEPRESS_BOOT_REPORT_KIND_MASK) >> PAGEPRESS_BOOT_REPORT_KIND_SHIFT == PAGEPRESS_BOOT_TRIAL;
	started = milliseconds();
	period = TRIAL_PERIOD;
	parts_told = statuses_told = 0;
	LOG(INFO, BOOTED, running_image()->version);
}

uint32_t running_slot(void)
{
	return slot;
}

bool on_trial(void)
{
	return trial;
}

/* The floor rises only here, so a trial that fails leaves the way back open. */
static uint32_t confirm(void)
{
	const struct pagepress_image_header *header = running_image();
	struct pagepress_boot_record record;
	uint32_t status;

	records_read(&record);
	if (record.slot != slot || record.trial != TRIAL_BEGUN)
		return STATUS(WRONG_STATE); /* the host has asked for something else meanwhile */
	/* Once more: a floor that this image is below would keep it from ever booting again. */
	status = image_check_header(header, record.floor);
	if (status == STATUS(OK))
		status = records_append(slot, CONFIRMED, header->floor > record.floor ? header->floor : record.floor);
	if (status == STATUS(OK))
		LOG(INFO, CONFIRMED, header->version);
	return status;
}

/* Whether one of the causes has not been told yet; from now on they have. */
static bool is_news(uint32_t *told, uint32_t causes)
{
	bool news = causes & ~*told;

	*told |= causes;
	return news;
}

void trial_turn(void)
{
	uint32_t failed, status;

	if (!trial || milliseconds() - started < period)
		return;
	failed = self_test(TRIAL_TESTS);
	if (failed) {
		if (is_news(&parts_told, failed))
			LOG(ERROR, SELF_TEST_ENDED, failed);
		started = milliseconds(); /* and again: unless it passes, the next reset boots the old image */
		return;
	}
	status = confirm();
	trial = status != STATUS(OK);
	if (!trial)
		return;
	/* No record says so: the next reset boots the old image, and whoever asks is told. */
	if (status != STATUS(WRONG_STATE)) {
		count_flash_error();
		if (is_news(&statuses_told, 1u << status))
			LOG(ERROR, FLASH_TROUBLE, status);
	}
	started = milliseconds();
	if (period < PERIOD_MOST)
		period *= 2;
}

uint32_t message_identify(struct request *request)
{
	struct pagepress_boot_record record;
	struct pagepress_image_header header;
	struct pagepress_identity identity = {
		.slot = slot,
		.trial = trial,
		.flash_id = flash_identity(),
		.interface = PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_VALUE,
	};

	records_read(&record);
	identity.version = running_image()->version;
	identity.floor = record.floor;
	identity.next_slot = record.trial == TRIAL_BEGUN && trial ? other_slot(slot) : record.slot;
	flash_read(slot_offset(other_slot(slot)), &header, sizeof(header));
	identity.other_status = image_check_header(&header, record.floor);
	identity.other_version = header.magic == PAGEPRESS_IMAGE_MAGIC_VALUE ? header.version : 0;
	memcpy(request->response, &identity, sizeof(identity));
	request->response_bytes = sizeof(identity);
	return STATUS(OK);
}

uint32_t message_rollback(struct request *request)
{
	struct pagepress_boot_record record;
	struct pagepress_image_header header;
	uint32_t other = other_slot(slot), status;

	(void)request;
	records_read(&record);
	status = check_image(slot_offset(other), record.floor, &header);
	/* A confirmed image needs no trial: if that failed, the boot ROM would take this one, which may have none behind it, for the confirmed one. */
	return status == STATUS(OK) ? records_append(other, other == confirmed_slot(&record) ? CONFIRMED : TRIAL_ASKED, record.floor) : status;
}
