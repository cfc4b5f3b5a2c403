/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes a new image into the slot that does not run, piece by piece: UPDATE_BEGIN, UPDATE_DATA…, UPDATE_COMMIT. Until the
 * commit's record is written nothing has changed for the next reset, so power may fail at any moment.
 */
#include "flash.h"
#include "image.h"
#include "records.h"
#include "registers.h"
#include "services.h"
#include "slots.h"

static uint32_t expected; /* bytes of the image; 0: no update has begun */
static uint32_t received; /* bytes that stand in the flash */
static uint32_t erased; /* the sector that was erased and not written since, plus one; 0: none */

/* One piece on its way into the flash; `end` is 0 when there is none. */
static struct {
	const uint8_t *bytes;
	uint32_t begin, at, end; /* in the slot */
	uint32_t part; /* under way; 0: an erase */
	bool waits;
	uint32_t since, limit;
} piece;

static uint32_t target(void)
{
	return slot_offset(other_slot(running_slot()));
}

void update_start(void)
{
	expected = received = erased = piece.end = 0;
}

/* Whether the image that the update would write over is a confirmed one that may run, and ours has not passed its trial. */
static bool is_way_back(const struct pagepress_boot_record *record)
{
	struct pagepress_image_header header;

	return confirmed_slot(record) != running_slot() && check_image(target(), record->floor, &header) == STATUS(OK);
}

uint32_t message_update_begin(struct request *request)
{
	struct pagepress_boot_record record;

	expected = received = erased = 0;
	if (request->argument <= PAGEPRESS_IMAGE_HEADER_BYTES)
		return STATUS(IMAGE_TRUNCATED);
	if (request->argument > PAGEPRESS_IMAGE_MAX_BYTES)
		return STATUS(IMAGE_TOO_LARGE);
	if (!flash_identity())
		return STATUS(FLASH_TIMEOUT);
	records_read(&record);
	if (on_trial() || is_way_back(&record))
		return STATUS(WRONG_STATE);
	/* A reset in the middle must not boot the half that is there. */
	if (record.slot != running_slot() || record.trial != CONFIRMED) {
		uint32_t status = records_append(running_slot(), CONFIRMED, record.floor);

		if (status != STATUS(OK))
			return status;
	}
	expected = request->argument;
	LOG(INFO, UPDATE_BEGUN, expected);
	return STATUS(OK);
}

uint32_t message_update_data(struct request *request)
{
	if (!expected || request->argument != received)
		return STATUS(WRONG_STATE);
	if (request->bytes > expected - received)
		return STATUS(BAD_LENGTH);
	if (request->bytes % 4 && received + request->bytes != expected)
		return STATUS(BAD_LENGTH);
	piece.bytes = request->payload;
	piece.begin = piece.at = received;
	piece.end = received + request->bytes;
	piece.waits = false;
	return PENDING;
}

static void wait_for_flash(uint32_t part, uint32_t limit)
{
	piece.part = part;
	piece.waits = true;
	piece.since = milliseconds();
	piece.limit = limit;
}

/* Every sector is erased when its first byte comes. */
static void begin_part(void)
{
	uint32_t sector = piece.at / PAGEPRESS_FLASH_SECTOR_BYTES;
	uint32_t part = piece.end - piece.at;
	uint32_t left_of_page = PAGEPRESS_FLASH_PAGE_BYTES - piece.at % PAGEPRESS_FLASH_PAGE_BYTES;

	if (piece.at % PAGEPRESS_FLASH_SECTOR_BYTES == 0 && erased != sector + 1) {
		flash_begin_erase(target() + piece.at);
		erased = sector + 1;
		wait_for_flash(0, FLASH_ERASE_LIMIT);
		return;
	}
	if (part > left_of_page)
		part = left_of_page;
	flash_begin_program(target() + piece.at, piece.bytes + (piece.at - piece.begin), part);
	erased = 0;
	wait_for_flash(part, FLASH_PROGRAM_LIMIT);
}

static void end_piece(uint32_t status)
{
	if (status == STATUS(OK)) {
		received = piece.end;
	} else {
		expected = 0;
		count_flash_error();
		LOG(ERROR, FLASH_TROUBLE, status);
		LOG(ERROR, UPDATE_ENDED, status);
	}
	piece.end = 0;
	mailbox_answer(status);
}

void update_turn(void)
{
	if (!piece.end)
		return;
	if (!piece.waits) {
		begin_part();
		return;
	}
	if (flash_busy()) {
		if (milliseconds() - piece.since > piece.limit)
			end_piece(STATUS(FLASH_TIMEOUT));
		return;
	}
	piece.waits = false;
	if (!flash_holds(target() + piece.at, piece.bytes + (piece.at - piece.begin), piece.part)) {
		end_piece(STATUS(FLASH_FAILED));
		return;
	}
	piece.at += piece.part;
	if (piece.at == piece.end)
		end_piece(STATUS(OK));
}

static uint32_t commit(void)
{
	struct pagepress_image_header header;
	struct pagepress_boot_record record;
	uint32_t status;

	if (!expected || received != expected)
		return expected ? STATUS(IMAGE_TRUNCATED) : STATUS(WRONG_STATE);
	flash_read(target(), &header, sizeof(header));
	records_read(&record);
	status = image_check_header(&header, record.floor);
	if (status == STATUS(OK) && header.length != expected)
		status = header.length > expected ? STATUS(IMAGE_TRUNCATED) : STATUS(IMAGE_TOO_LARGE);
	if (status == STATUS(OK))
		status = check_image(target(), record.floor, &header);
	if (status == STATUS(OK))
		status = records_append(other_slot(running_slot()), TRIAL_ASKED, record.floor);
	return status;
}

uint32_t message_update_commit(struct request *request)
{
	uint32_t status = commit();

	(void)request;
	if (expected)
		log_event(status == STATUS(OK) ? PAGEPRESS_SEVERITY_INFO : PAGEPRESS_SEVERITY_ERROR, PAGEPRESS_EVENT_UPDATE_ENDED, status);
	expected = received = 0;
	return status;
}
