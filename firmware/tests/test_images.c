/* SPDX-License-Identifier: Apache-2.0 */
/* Which images run, which are refused and by which name, and that power may fail at every point of an update. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "flash.h"
#include "image.h"
#include "records.h"
#include "registers.h"
#include "services.h"
#include "slots.h"

#define OLD 0x01000000u
#define NEW 0x01000001u
#define SIZE 5000u

static struct choice choice;

static void fresh_card(void)
{
	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	put_image(PAGEPRESS_SLOT_A, make_image(OLD, 1, SIZE));
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "a card with one image boots it");
}

/* Long enough for a new image to confirm itself. */
static void live(void)
{
	turns(3000);
}

static void refused(const char *what, const uint8_t *image, uint32_t bytes, uint32_t expected)
{
	uint32_t status = update(image, bytes);

	CHECK(status == expected, "%s: status %u, not %u", what, status, expected);
	CHECK(model.last[PAGEPRESS_EVENT_MAILBOX_REFUSED].severity == PAGEPRESS_SEVERITY_WARNING &&
	      model.last[PAGEPRESS_EVENT_MAILBOX_REFUSED].argument >> 16 == expected, "%s: the log says why", what);
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.header.version == OLD && choice.kind == PAGEPRESS_BOOT_NORMAL,
	      "%s: the old image runs", what);
}

static void test_refusals(void)
{
	uint8_t *image;
	struct pagepress_image_header *header;

	fresh_card();
	image = make_image(NEW, 1, SIZE);
	header = (void *)image;
	image[3000] ^= 4;
	refused("bit-flipped", image, SIZE, STATUS(IMAGE_BAD_SIGNATURE));
	image = make_image(NEW, 1, SIZE);
	memset(header->signature, 0, 64);
	refused("unsigned", image, SIZE, STATUS(IMAGE_BAD_SIGNATURE));
	image = make_image(NEW, 1, SIZE);
	refused("truncated", image, SIZE - 512, STATUS(IMAGE_TRUNCATED));
	refused("a header alone", image, 96, STATUS(IMAGE_TRUNCATED));
	refused("longer than it says", image, SIZE + 4, STATUS(IMAGE_TOO_LARGE));
	refused("larger than the RAM", image, PAGEPRESS_IMAGE_MAX_BYTES + 4, STATUS(IMAGE_TOO_LARGE));
	header->magic ^= 1;
	sign_again(image);
	refused("no image", image, SIZE, STATUS(IMAGE_BAD_MAGIC));
	image = make_image(NEW, 1, SIZE);
	header->target++;
	sign_again(image);
	refused("another target", image, SIZE, STATUS(IMAGE_WRONG_TARGET));
	refused("version 0", make_image(0, 0, SIZE), SIZE, STATUS(IMAGE_BAD_HEADER));
	refused("a floor above its version", make_image(NEW, NEW + 1, SIZE), SIZE, STATUS(IMAGE_BAD_HEADER));
	memset(image, 0xFF, SIZE);
	refused("erased", image, SIZE, STATUS(IMAGE_EMPTY));
	/* What its header says of itself, one word too many or too few. */
	image = make_image(NEW, 1, SIZE);
	header->memory = SIZE - 4;
	sign_again(image);
	refused("less memory than bytes", image, SIZE, STATUS(IMAGE_TOO_LARGE));
	header->memory = PAGEPRESS_CORE_RAM_BYTES + 4;
	sign_again(image);
	refused("more memory than there is", image, SIZE, STATUS(IMAGE_TOO_LARGE));
	image = make_image(NEW, 1, SIZE);
	header->length = SIZE - 2;
	sign_again(image);
	refused("a length that ends within a word", image, SIZE - 2, STATUS(IMAGE_TRUNCATED));
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, PAGEPRESS_IMAGE_HEADER_BYTES, NULL, 0) == STATUS(IMAGE_TRUNCATED), "a header alone");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, PAGEPRESS_IMAGE_MAX_BYTES + 1, NULL, 0) == STATUS(IMAGE_TOO_LARGE), "a byte too many");
	LOGGED(MAILBOX_REFUSED, WARNING, STATUS(IMAGE_TOO_LARGE) << 16 | PAGEPRESS_MESSAGE_UPDATE_BEGIN, "kind and status");
}

/* Each number of a header at its limits, and where it would wrap; no image is so large that it would be loaded over the boot ROM's own memory. */
static void test_headers(void)
{
	static const struct {
		uint32_t length, memory, version, floor, asked, expected;
	} headers[] = {
		{ 100, 100, 1, 0, 0, STATUS(OK) },
		{ 100, 100, ~0u, ~0u, ~0u, STATUS(OK) },
		{ 100, 100, ~0u - 1, 0, ~0u, STATUS(IMAGE_TOO_OLD) },
		{ 100, 100, 0x80000000, 0x80000001, 0, STATUS(IMAGE_BAD_HEADER) },
		{ 0, 100, 1, 0, 0, STATUS(IMAGE_TRUNCATED) },
		{ 96, 100, 1, 0, 0, STATUS(IMAGE_TRUNCATED) },
		{ 97, 100, 1, 0, 0, STATUS(IMAGE_TRUNCATED) },
		{ ~0u, ~0u, 1, 0, 0, STATUS(IMAGE_TRUNCATED) },
		{ ~0u - 3, ~0u, 1, 0, 0, STATUS(IMAGE_TOO_LARGE) },
		{ 0x80000000, 0x80000000, 1, 0, 0, STATUS(IMAGE_TOO_LARGE) },
		{ PAGEPRESS_IMAGE_MAX_BYTES, PAGEPRESS_CORE_RAM_BYTES, 1, 0, 0, STATUS(OK) },
		{ PAGEPRESS_IMAGE_MAX_BYTES + 4, PAGEPRESS_CORE_RAM_BYTES, 1, 0, 0, STATUS(IMAGE_TOO_LARGE) },
		{ 100, PAGEPRESS_CORE_RAM_BYTES + 1, 1, 0, 0, STATUS(IMAGE_TOO_LARGE) },
		{ 100, ~0u, 1, 0, 0, STATUS(IMAGE_TOO_LARGE) },
		{ 100, 99, 1, 0, 0, STATUS(IMAGE_TOO_LARGE) },
	};

	for (uint32_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct pagepress_image_header header = {
			.magic = PAGEPRESS_IMAGE_MAGIC_VALUE, .target = PAGEPRESS_IMAGE_TARGET_VALUE, .length = headers[i].length,
			.memory = headers[i].memory, .version = headers[i].version, .floor = headers[i].floor,
		};
		uint32_t status = image_check_header(&header, headers[i].asked);

		CHECK(status == headers[i].expected, "header %u: status %u, not %u", i, status, headers[i].expected);
	}
}

/* A flash that says another version than it says later: what was judged must be what is hashed. */
static void test_header_that_changes(void)
{
	fresh_card();
	put_image(PAGEPRESS_SLOT_B, make_image(OLD, 1, SIZE));
	CHECK(records_append(PAGEPRESS_SLOT_B, CONFIRMED, NEW) == STATUS(OK), "OLD is below the floor");
	put_image(PAGEPRESS_SLOT_A, make_image(NEW, 1, SIZE));
	model.lie_at = slot_offset(PAGEPRESS_SLOT_B) + PAGEPRESS_IMAGE_HEADER_VERSION_OFFSET;
	model.lie = OLD ^ NEW;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && !model.lie, "the old image, by a version that it has not");
	CHECK(choice.status[PAGEPRESS_SLOT_B] == STATUS(IMAGE_BAD_SIGNATURE), "status %u", choice.status[PAGEPRESS_SLOT_B]);
}

/* What stands where the newest record would. */
static void test_records_that_are_none(void)
{
	struct pagepress_boot_record record;

	for (int wrong = 0; wrong < 5; wrong++) {
		fresh_card();
		CHECK(records_append(PAGEPRESS_SLOT_A, CONFIRMED, 0) == STATUS(OK), "one that counts");
		record = (struct pagepress_boot_record){ .number = 2, .floor = 0, .slot = PAGEPRESS_SLOT_B, .trial = TRIAL_ASKED };
		if (wrong == 0)
			record.slot = PAGEPRESS_SLOT_B + 1;
		if (wrong == 1)
			record.trial = TRIAL_BEGUN + 1;
		if (wrong == 2)
			record.number = ~0u;
		record.crc32c = crc32c_on(0, &record, PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET) ^ (wrong == 3);
		memcpy(model.flash + PAGEPRESS_FLASH_RECORDS_OFFSET + PAGEPRESS_BOOT_RECORD_BYTES, &record, sizeof(record));
		put_image(PAGEPRESS_SLOT_B, make_image(NEW, 1, SIZE));
		boot_card(&choice);
		if (wrong < 4)
			CHECK(choice.slot == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_NORMAL, "record %d counts", wrong);
		else
			CHECK(choice.slot == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_TRIAL, "a good one does not count");
	}
}

/* An update without its commit. */
static uint32_t bring(const uint8_t *image)
{
	uint32_t status = message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, SIZE, NULL, 0);

	for (uint32_t at = 0; status == STATUS(OK) && at < SIZE; at += 200)
		status = message(PAGEPRESS_MESSAGE_UPDATE_DATA, at, image + at, 200);
	return status;
}

/* The newest record is misread while the next one is written, so both have the same number: what is asked for counts, or is refused. */
static void test_records_misread(void)
{
	for (uint32_t misreads = 1; misreads < 12; misreads++) {
		uint32_t status;

		fresh_card();
		CHECK(records_append(PAGEPRESS_SLOT_A, CONFIRMED, 0) == STATUS(OK), "the first");
		CHECK(bring(make_image(NEW, 1, SIZE)) == STATUS(OK), "all but the commit");
		CHECK(records_append(PAGEPRESS_SLOT_A, CONFIRMED, 0) == STATUS(OK), "the newest");
		model.lie_at = PAGEPRESS_FLASH_RECORDS_OFFSET + PAGEPRESS_BOOT_RECORD_BYTES + PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET;
		model.lie = 4;
		model.lies = misreads - 1;
		status = message(PAGEPRESS_MESSAGE_UPDATE_COMMIT, 0, NULL, 0);
		model.lie = model.lies = 0;
		CHECK(status == STATUS(OK), "%u misreads: status %u", misreads, status);
		CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_TRIAL, "%u misreads: it does not count", misreads);
	}
}

/* A place that reads as if nothing stood there hides what is behind it; nothing is then said to be written that does not count. */
static void test_record_that_does_not_count(void)
{
	struct pagepress_boot_record record = { .number = 7, .slot = PAGEPRESS_SLOT_A, .trial = CONFIRMED };

	fresh_card();
	CHECK(records_append(PAGEPRESS_SLOT_A, CONFIRMED, 0) == STATUS(OK), "number 1");
	record.crc32c = crc32c_on(0, &record, PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET);
	memcpy(model.flash + PAGEPRESS_FLASH_RECORDS_OFFSET + PAGEPRESS_FLASH_SECTOR_BYTES, &record, sizeof(record));
	/* Number 7 is misread until 2 is written, and counts again when that is looked for. */
	model.lie_at = PAGEPRESS_FLASH_RECORDS_OFFSET + PAGEPRESS_FLASH_SECTOR_BYTES;
	model.lie = 1;
	model.lies = 1;
	CHECK(records_append(PAGEPRESS_SLOT_B, TRIAL_ASKED, 0) == STATUS(FLASH_FAILED), "number 2 counts");
	CHECK(records_append(PAGEPRESS_SLOT_B, TRIAL_ASKED, 0) == STATUS(OK), "number 8 does not");
	records_read(&record);
	CHECK(record.number == 8 && record.slot == PAGEPRESS_SLOT_B, "number %u counts", record.number);
}

/* A record of this number counts, and power fails in the erase or program number `cut` behind it; -1: it does not. */
static void record_behind(uint32_t number, int cut)
{
	struct pagepress_boot_record record = { .number = number, .slot = PAGEPRESS_SLOT_A, .trial = CONFIRMED };
	uint32_t slot;

	fresh_card();
	record.crc32c = crc32c_on(0, &record, PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET);
	memcpy(model.flash + PAGEPRESS_FLASH_RECORDS_OFFSET, &record, sizeof(record));
	put_image(PAGEPRESS_SLOT_B, make_image(NEW, 1, SIZE));
	model_power_on();
	model.cut_at = cut < 0 ? -1 : (int64_t)model.operations + cut;
	if (!setjmp(model.lost))
		CHECK(records_append(PAGEPRESS_SLOT_B, TRIAL_ASKED, 0) == STATUS(OK), "behind a high number");
	else
		CHECK(model.cut_at >= 0, "power failed");
	slot = boot_card(&choice);
	live();
	CHECK(boot_card(&choice) == slot && choice.kind == PAGEPRESS_BOOT_NORMAL, "a trial without end");
}

/* The highest numbers there can be, as firmware that means harm may write them: records go on, wherever power fails. */
static void test_last_number(void)
{
	for (uint32_t number = ~0u - 3; number < ~0u; number++)
		for (int cut = -1; cut < 3; cut++) {
			record_behind(number, cut);
			CHECK(cut >= 0 || choice.slot == PAGEPRESS_SLOT_B, "behind %08x: slot %u", number, choice.slot);
		}
}

/* As large as an image can be, and as low as the floor lets it. */
static void test_limits(void)
{
	fresh_card();
	CHECK(update(make_image(NEW, NEW, PAGEPRESS_IMAGE_MAX_BYTES), PAGEPRESS_IMAGE_MAX_BYTES) == STATUS(OK), "the largest image");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B, "on trial");
	live();
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(OK), "one that stands on the floor");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.header.version == NEW, "boots");
}

static void test_update_and_floor(void)
{
	fresh_card();
	CHECK(update(make_image(NEW, NEW, SIZE), SIZE) == STATUS(OK), "a good image");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_TRIAL, "on trial");
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(WRONG_STATE), "no update while on trial: the other slot is the way back");
	live();
	CHECK(model.events[PAGEPRESS_EVENT_CONFIRMED] == 1, "it confirms itself");
	LOGGED(CONFIRMED, INFO, NEW, "its version");
	LOGGED(BOOTED, INFO, NEW, "its version");
	LOGGED(UPDATE_BEGUN, INFO, SIZE, "bytes to come");
	LOGGED(UPDATE_ENDED, INFO, STATUS(OK), "a good image");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL, "confirmed");
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(IMAGE_TOO_OLD), "no way below the floor");
	CHECK(update(make_image(OLD, 1, SIZE), SIZE) == STATUS(IMAGE_TOO_OLD), "nor by an update");
	LOGGED(UPDATE_ENDED, ERROR, STATUS(IMAGE_TOO_OLD), "an old one");
	LOGGED(MAILBOX_REFUSED, WARNING, STATUS(IMAGE_TOO_OLD) << 16 | PAGEPRESS_MESSAGE_UPDATE_COMMIT, "kind and status");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.header.version == NEW, "the new image runs");
}

static void test_rollback(void)
{
	fresh_card();
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(IMAGE_EMPTY), "nothing to go back to");
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(OK), "a good image");
	boot_card(&choice);
	live();
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK), "above the floor");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_TRIAL, "the old one, on trial");
	live();
	model.flash[slot_offset(PAGEPRESS_SLOT_B) + SIZE - 1] ^= 1;
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(IMAGE_BAD_SIGNATURE), "one that has changed meanwhile");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_NORMAL, "is not tried");
}

static void test_failed_trial(void)
{
	fresh_card();
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(OK), "a good image");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_TRIAL, "on trial");
	/* It hangs before it has confirmed itself: the watchdog's reset boots the old one, and so does every later one. */
	for (int again = 0; again < 3; again++) {
		CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.header.version == OLD, "the old image runs");
		CHECK(choice.kind == (again ? PAGEPRESS_BOOT_NORMAL : PAGEPRESS_BOOT_FALLBACK), "and says how it came to that");
		CHECK(again || choice.status[PAGEPRESS_SLOT_B] == STATUS(IMAGE_TRIAL_FAILED), "and why");
		LOGGED(SLOT_REFUSED, WARNING, PAGEPRESS_SLOT_B << 8 | STATUS(IMAGE_TRIAL_FAILED), "slot and status");
	}
	live();
	CHECK(update(make_image(NEW + 1, 1, SIZE), SIZE) == STATUS(OK), "and takes another update");
	/* The image is damaged between its check and its trial. */
	model.flash[slot_offset(PAGEPRESS_SLOT_B) + 2000] ^= 1;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.status[PAGEPRESS_SLOT_B] == STATUS(IMAGE_BAD_SIGNATURE), "refused");
	LOGGED(SLOT_REFUSED, WARNING, PAGEPRESS_SLOT_B << 8 | STATUS(IMAGE_BAD_SIGNATURE), "slot and status");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_NORMAL, "and forgotten");
	/* An image whose trial failed is better than none. */
	CHECK(update(make_image(NEW + 2, 1, SIZE), SIZE) == STATUS(OK), "a good image");
	boot_card(&choice);
	model.flash[slot_offset(PAGEPRESS_SLOT_A) + 2000] ^= 1;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_FALLBACK, "the only one that may run");
	/* Unless it is below the floor. */
	model_power_on();
	CHECK(floor_raise(NEW + 3) == STATUS(OK) && records_append(PAGEPRESS_SLOT_B, TRIAL_BEGUN, 0) == STATUS(OK), "a floor");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_NONE && choice.status[PAGEPRESS_SLOT_B] == STATUS(IMAGE_TOO_OLD), "one below the floor is not");
}

/* A trial that the flash does not note does not take place: it could be one without end. */
static void test_trial_that_is_not_noted(void)
{
	fresh_card();
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(OK), "a good image");
	model.flash_worn = true;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_FALLBACK, "the old image");
	CHECK(choice.status[PAGEPRESS_SLOT_B] == STATUS(IMAGE_TRIAL_FAILED), "status %u", choice.status[PAGEPRESS_SLOT_B]);
}

static void test_both_corrupt(void)
{
	fresh_card();
	put_image(PAGEPRESS_SLOT_B, make_image(NEW, 1, SIZE));
	model.flash[slot_offset(PAGEPRESS_SLOT_A) + 200] ^= 1;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_FALLBACK, "the other slot");
	model.flash[slot_offset(PAGEPRESS_SLOT_B) + 4] ^= 1;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_NONE, "neither may run");
	CHECK(choice.status[0] == STATUS(IMAGE_BAD_SIGNATURE) && choice.status[1] == STATUS(IMAGE_BAD_SIGNATURE), "and says why");
	model.flash_dead = true;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_NONE && choice.status[0] == STATUS(FLASH_TIMEOUT), "a silent flash boots nothing");
}

/*
 * A reset of the core while the flash is at an erase or a program, which goes on: until it has ended the flash answers no read, and that is neither an
 * empty flash nor one without a floor.
 */
static void test_busy_flash(void)
{
	static const uint8_t zeros[16];

	for (uint32_t polls = 0; polls < 25; polls++) {
		for (int erase = 0; erase < 2; erase++) {
			fresh_card();
			CHECK(update(make_image(NEW, NEW, SIZE), SIZE) == STATUS(OK), "a good image");
			boot_card(&choice);
			live();
			CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL, "the new image, confirmed");
			if (erase)
				flash_begin_erase(slot_offset(PAGEPRESS_SLOT_A));
			else
				flash_begin_program(slot_offset(PAGEPRESS_SLOT_A) + 8192, zeros, sizeof(zeros));
			for (uint32_t poll = 0; poll < polls; poll++)
				flash_busy();
			CHECK(reset_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL, "it boots after %u looks", polls);
			CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == (erase ? STATUS(IMAGE_EMPTY) : STATUS(IMAGE_TOO_OLD)), "the floor counts");
		}
	}
	flash_begin_erase(slot_offset(PAGEPRESS_SLOT_A));
	model.flash_stuck = true;
	CHECK(reset_card(&choice) == PAGEPRESS_SLOT_NONE && choice.status[0] == STATUS(FLASH_TIMEOUT) && choice.status[1] == STATUS(FLASH_TIMEOUT),
	      "a flash that stays busy boots nothing");
	LOGGED(FLASH_TROUBLE, ERROR, STATUS(FLASH_TIMEOUT), "a flash that stays busy");
	model.flash_stuck = false;
	CHECK(reset_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL, "and boots when it has ended");
}

static void test_broken_flash(void)
{
	fresh_card();
	model.flash_dead = true;
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(FLASH_TIMEOUT), "a flash that does not answer");
	fresh_card();
	model.flash_stuck = true;
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(FLASH_TIMEOUT), "a flash that stays busy");
	CHECK(message(PAGEPRESS_MESSAGE_PING, 0, NULL, 0) == STATUS(OK), "and the firmware lives");
	fresh_card();
	model.flash_worn = true;
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(FLASH_FAILED), "a flash that does not hold what was written");
	LOGGED(FLASH_TROUBLE, ERROR, STATUS(FLASH_FAILED), "a worn flash");
	model.flash_worn = false;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.header.version == OLD, "the old image runs");
	model.lie_at = slot_offset(PAGEPRESS_SLOT_B) + 100;
	model.lie = 1;
	CHECK(update(make_image(NEW, 1, SIZE), SIZE) == STATUS(FLASH_FAILED) && !model.lie, "nor one byte of it");
	CHECK(bring(make_image(NEW, 1, SIZE)) == STATUS(OK), "all but the commit");
	model.flash_worn = true;
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_COMMIT, 0, NULL, 0) == STATUS(FLASH_FAILED), "nothing says that it is to be booted");
	model.flash_worn = false;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.header.version == OLD, "the old image runs");
}

/* Power fails in the middle of erase or program number `cut`; false when there were not so many. */
static bool cut_update(uint32_t cut)
{
	static volatile bool was_cut;
	uint32_t slot;

	fresh_card();
	model.operations = 0;
	model.cut_at = cut;
	was_cut = false;
	switch (setjmp(model.lost)) {
	case 0: {
		CHECK(update(make_image(NEW, NEW, SIZE), SIZE) == STATUS(OK), "a good image");
		int64_t armed = model.cut_at; /* power_on disarms it */
		model_power_on();
		model.cut_at = armed;
		choose_image(&choice, loaded);
		model.report = choice.slot << PAGEPRESS_BOOT_REPORT_SLOT_SHIFT | choice.kind << PAGEPRESS_BOOT_REPORT_KIND_SHIFT;
		firmware_start();
		live();
		break;
	}
	default:
		was_cut = true;
	}
	model.cut_at = -1;
	/* Whatever was cut: an image that passes its check runs, confirms itself, and an update brings the new one. */
	for (int again = 0; again < 2; again++) {
		slot = boot_card(&choice);
		CHECK(slot != PAGEPRESS_SLOT_NONE, "cut at operation %u: no image runs", cut);
		CHECK(choice.header.version == OLD || choice.header.version == NEW, "cut at operation %u", cut);
		live();
	}
	if (choice.header.version == OLD) {
		CHECK(update(make_image(NEW, NEW, SIZE), SIZE) == STATUS(OK), "cut at operation %u: the update again", cut);
		boot_card(&choice);
		live();
	}
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.header.version == NEW && choice.kind == PAGEPRESS_BOOT_NORMAL,
	      "cut at operation %u: the new image in the end", cut);
	return was_cut;
}

static void test_power_cuts(void)
{
	uint32_t cut = 0;

	while (cut_update(cut))
		cut++;
	CHECK(cut > 20, "an update has more operations than %u", cut);
	printf("power cut at each of %u erases and programs\n", cut);
}

/* Records fill both sectors many times over; power fails now and then; the last one that was reported written counts. */
static void test_records(uint32_t seed)
{
	static volatile uint32_t floor, kept;
	struct pagepress_boot_record record;

	draw_from(seed);
	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	model_power_on();
	for (floor = 1, kept = 0; floor < 1500; floor++) {
		model.cut_at = draw() % 5 ? -1 : (int64_t)model.operations + draw() % 2;
		if (!setjmp(model.lost)) {
			CHECK(records_append(floor & 1, CONFIRMED, floor) == STATUS(OK), "record %u", floor);
			kept = floor;
		}
		model_power_on();
		records_read(&record);
		CHECK(record.floor == kept || record.floor == floor, "after record %u: the one of %u counts", floor, record.floor);
		kept = record.floor;
	}
}

int main(int count, char **arguments)
{
	CHECK(count == 3, "usage: test_images KEY SEED");
	read_signing_key(arguments[1]);
	draw_from(strtoul(arguments[2], NULL, 0));
	test_refusals();
	test_headers();
	test_header_that_changes();
	test_records_that_are_none();
	test_records_misread();
	test_record_that_does_not_count();
	test_last_number();
	test_limits();
	test_update_and_floor();
	test_rollback();
	test_failed_trial();
	test_trial_that_is_not_noted();
	test_both_corrupt();
	test_busy_flash();
	test_broken_flash();
	test_power_cuts();
	test_records(strtoul(arguments[2], NULL, 0));
	puts("images: all as expected");
	return 0;
}
