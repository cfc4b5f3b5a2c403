/* SPDX-License-Identifier: Apache-2.0 */
/* When a new image may confirm itself, what its self-test says, and what the host may ask for meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "flash.h"
#include "records.h"
#include "registers.h"
#include "services.h"
#include "slots.h"

#define OLD 0x01000000u
#define NEW 0x01000001u
#define SIZE 1000u
#define LONG 3000u /* turns: far more than a trial takes */

static struct choice choice;

/* NEW runs on trial from slot B; OLD stands in slot A. */
static void on_a_trial(uint32_t floor)
{
	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	put_image(PAGEPRESS_SLOT_A, make_image(OLD, 1, SIZE));
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "it boots");
	CHECK(update(make_image(NEW, floor, SIZE), SIZE) == STATUS(OK), "a good image");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_TRIAL, "on trial");
	memset(model.events, 0, sizeof(model.events));
}

static struct pagepress_identity identity(void)
{
	struct pagepress_identity told;

	CHECK(message(PAGEPRESS_MESSAGE_IDENTIFY, 0, NULL, 0) == STATUS(OK), "IDENTIFY");
	memcpy(&told, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(told));
	return told;
}

static bool confirmed(void)
{
	return model.events[PAGEPRESS_EVENT_CONFIRMED];
}

/* Of a slot without an image there is no version, and of one whose image the floor keeps from running the reason is told. */
static void test_other_slot(void)
{
	struct pagepress_identity told;

	on_a_trial(NEW);
	told = identity();
	CHECK(told.slot == PAGEPRESS_SLOT_B && told.version == NEW, "slot %u", told.slot);
	CHECK(told.other_version == OLD && told.other_status == STATUS(OK), "the old image");
	CHECK(told.flash_id == 0xEF4014 && told.interface == PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_VALUE, "flash %06x", told.flash_id);
	turns(LONG);
	told = identity();
	CHECK(told.other_version == OLD && told.other_status == STATUS(IMAGE_TOO_OLD), "it stands below the floor: status %u", told.other_status);
	memset(model.flash + slot_offset(PAGEPRESS_SLOT_A), 0xFF, PAGEPRESS_FLASH_SECTOR_BYTES);
	told = identity();
	CHECK(!told.other_version && told.other_status == STATUS(IMAGE_EMPTY), "version %08x of an empty slot", told.other_version);
	model.flash[slot_offset(PAGEPRESS_SLOT_A)] = 0;
	CHECK(!identity().other_version && identity().other_status == STATUS(IMAGE_BAD_MAGIC), "nor of something else");
}

static void test_not_at_once(void)
{
	uint32_t began;

	on_a_trial(1);
	began = milliseconds();
	while (milliseconds() - began < 90)
		turns(1);
	CHECK(!confirmed() && identity().trial && identity().next_slot == PAGEPRESS_SLOT_A, "it has confirmed itself within 90 ms");
	turns(LONG);
	CHECK(confirmed() && !identity().trial && identity().next_slot == PAGEPRESS_SLOT_B, "and later it has");
}

/* It goes on trying: until it passes, the next reset boots the old image. */
static void test_not_untested(void)
{
	on_a_trial(1);
	model.flash_nameless = true;
	turns(LONG);
	CHECK(!confirmed(), "it has confirmed itself with a failed self-test");
	model.flash_nameless = false;
	turns(LONG);
	CHECK(confirmed(), "it passes at last");
	on_a_trial(1);
	break_memory(true);
	turns(LONG);
	CHECK(!confirmed(), "it has confirmed itself in a memory that is broken");
	break_memory(false);
	on_a_trial(1);
	model.flash_nameless = true;
	turns(LONG);
	model.flash_nameless = false;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_FALLBACK, "the old image boots");
}

/* However long a trial fails, and however its causes take turns: a line each, not one a try, which would drive all others out of the log. */
static void test_a_line_a_cause(void)
{
	on_a_trial(1);
	for (int again = 0; again < 3; again++) {
		model.flash_nameless = true;
		turns(LONG);
		CHECK(model.events[PAGEPRESS_EVENT_SELF_TEST_ENDED] == 1 + !!again, "%u lines", model.events[PAGEPRESS_EVENT_SELF_TEST_ENDED]);
		if (!again)
			LOGGED(SELF_TEST_ENDED, ERROR, PAGEPRESS_SELF_TEST_FLASH, "a flash without a name");
		model.flash_nameless = false;
		break_memory(true);
		turns(LONG);
		CHECK(model.events[PAGEPRESS_EVENT_SELF_TEST_ENDED] == 2, "%u lines", model.events[PAGEPRESS_EVENT_SELF_TEST_ENDED]);
		LOGGED(SELF_TEST_ENDED, ERROR, PAGEPRESS_SELF_TEST_RAM, "a memory that is broken");
		break_memory(false);
	}
	turns(LONG);
	CHECK(confirmed(), "it passes at last");
	/* The next trial tells anew. */
	on_a_trial(1);
	model.flash_nameless = true;
	turns(LONG);
	CHECK(model.events[PAGEPRESS_EVENT_SELF_TEST_ENDED] == 1, "%u lines of another trial", model.events[PAGEPRESS_EVENT_SELF_TEST_ENDED]);
}

static uint32_t flash_errors(void)
{
	struct pagepress_telemetry told;

	CHECK(message(PAGEPRESS_MESSAGE_TELEMETRY, 0, NULL, 0) == STATUS(OK), "TELEMETRY");
	memcpy(&told, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(told));
	return told.flash_errors;
}

/* Nor does it say so when no record of it could be written; it tries again, ever more seldom. */
static void test_not_unwritten(void)
{
	uint32_t tries, began;

	on_a_trial(NEW);
	model.flash_worn = true;
	turns(LONG);
	CHECK(model.events[PAGEPRESS_EVENT_FLASH_TROUBLE] && !confirmed(), "the flash does not take its record");
	LOGGED(FLASH_TROUBLE, ERROR, STATUS(FLASH_FAILED), "a worn flash");
	CHECK(identity().trial && identity().next_slot == PAGEPRESS_SLOT_A, "it says that it stays");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, SIZE, NULL, 0) == STATUS(WRONG_STATE), "nor is the way back written over");
	for (tries = 0, began = milliseconds(); milliseconds() - began < 60000;)
		turns(1);
	tries = flash_errors();
	CHECK(tries > 2 && tries < 15, "%u tries in a minute", tries);
	CHECK(model.events[PAGEPRESS_EVENT_FLASH_TROUBLE] == 1, "%u lines", model.events[PAGEPRESS_EVENT_FLASH_TROUBLE]);
	model.flash_worn = false;
	for (began = milliseconds(); !confirmed() && milliseconds() - began < 60000;)
		turns(1);
	CHECK(confirmed() && !identity().trial && identity().next_slot == PAGEPRESS_SLOT_B && identity().floor == NEW, "it is written at last");
	on_a_trial(1);
	model.flash_worn = true;
	turns(LONG);
	model.flash_worn = false;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_FALLBACK, "the old image boots");
}

static void test_not_against_the_host(void)
{
	on_a_trial(1);
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK), "back to the old one");
	turns(LONG);
	CHECK(!confirmed(), "it has confirmed itself though the host wants the other one");
	CHECK(identity().trial && identity().next_slot == PAGEPRESS_SLOT_A, "nor does it say so");
	CHECK(!model.events[PAGEPRESS_EVENT_FLASH_TROUBLE], "and nothing is wrong with the flash");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, SIZE, NULL, 0) == STATUS(WRONG_STATE), "an update would confirm it, and write over the way back");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_NORMAL, "what the host asked for, confirmed long ago");
}

/* `slot` boots without a trial, however often and however early the card is reset, and the floor is as it was. */
static void stays(uint32_t slot, uint32_t floor)
{
	for (int again = 0; again < 3; again++) {
		CHECK(boot_card(&choice) == slot && choice.kind == PAGEPRESS_BOOT_NORMAL, "reset %d boots slot %u, kind %u", again, choice.slot, choice.kind);
		CHECK(!identity().trial && identity().floor == floor, "floor %08x", identity().floor);
	}
}

/* The way back from an image that has not confirmed itself needs no trial: if that failed, the image without one would count as confirmed. */
static void test_way_back_is_no_trial(void)
{
	on_a_trial(NEW);
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK), "within the trial");
	stays(PAGEPRESS_SLOT_A, 1);
	/* It runs without a trial while the confirmed image cannot be read. */
	model.flash[slot_offset(PAGEPRESS_SLOT_A) + 500] ^= 1;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_FALLBACK, "the only one that may run");
	model.flash[slot_offset(PAGEPRESS_SLOT_A) + 500] ^= 1;
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK), "in its place");
	stays(PAGEPRESS_SLOT_A, 1);
	/* The same behind a trial that has failed. */
	on_a_trial(NEW);
	model.flash[slot_offset(PAGEPRESS_SLOT_A) + 500] ^= 1;
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_FALLBACK, "better than none");
	model.flash[slot_offset(PAGEPRESS_SLOT_A) + 500] ^= 1;
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK), "behind its trial");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, SIZE, NULL, 0) == STATUS(WRONG_STATE), "nothing is written over it");
	stays(PAGEPRESS_SLOT_A, 1);
	/* From a confirmed image the other one, which may never have been tried, is on trial. */
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK), "the other one");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_TRIAL, "on trial");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_FALLBACK, "which fails");
	stays(PAGEPRESS_SLOT_A, 1);
}

static void test_floor_never_falls(void)
{
	on_a_trial(NEW);
	turns(LONG);
	CHECK(identity().floor == NEW, "the floor rises to %u", identity().floor);
	CHECK(update(make_image(NEW + 1, 1, SIZE), SIZE) == STATUS(OK), "a newer image with a lower floor");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && choice.kind == PAGEPRESS_BOOT_TRIAL, "on trial");
	turns(LONG);
	CHECK(identity().floor == NEW && identity().version == NEW + 1, "the floor falls to %u", identity().floor);
	on_a_trial(NEW);
	CHECK(identity().floor < NEW, "a trial alone raises no floor");
}

/* Once it runs, what the flash says of its floor does not count: a misread one would keep every image from booting, for ever. */
static void test_floor_is_not_misread(void)
{
	on_a_trial(1);
	model.lie_at = slot_offset(PAGEPRESS_SLOT_B) + PAGEPRESS_IMAGE_HEADER_FLOOR_OFFSET + 3;
	model.lie = 0x80;
	turns(LONG);
	model.lie = 0;
	CHECK(confirmed() && identity().floor == 1, "the floor is %08x", identity().floor);
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL, "it boots");
}

/* Firmware that means harm: what the boot ROM keeps it neither erases nor programs, and its own records ask for nothing below that. */
static void test_floor_is_out_of_reach(void)
{
	static uint8_t kept[2 * PAGEPRESS_FLASH_SECTOR_BYTES];
	static const uint8_t zeros[16];

	on_a_trial(NEW);
	turns(LONG);
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL, "the new image, confirmed");
	memcpy(kept, model.flash + PAGEPRESS_FLASH_FLOOR_OFFSET, sizeof(kept));
	CHECK(READ(CORE_FLASH, FLASH_LOCK) == 1, "the floor is not locked");
	for (uint32_t map = 0; map < 3 * PAGEPRESS_FLASH_MAP_BYTES; map += PAGEPRESS_FLASH_MAP_BYTES)
		for (uint32_t at = 0; at < sizeof(kept); at += 256) {
			flash_begin_program(map + PAGEPRESS_FLASH_FLOOR_OFFSET + at, zeros, sizeof(zeros));
			flash_finish(FLASH_PROGRAM_LIMIT);
			flash_begin_erase(map + PAGEPRESS_FLASH_FLOOR_OFFSET + at);
			flash_finish(FLASH_ERASE_LIMIT);
		}
	CHECK(!memcmp(kept, model.flash + PAGEPRESS_FLASH_FLOOR_OFFSET, sizeof(kept)), "the floor has changed");
	CHECK(records_append(PAGEPRESS_SLOT_A, CONFIRMED, 0) == STATUS(OK), "records are its own");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_FALLBACK, "not the old image that it asks for");
	CHECK(choice.status[PAGEPRESS_SLOT_A] == STATUS(IMAGE_TOO_OLD) && identity().floor == NEW, "because it is below the floor");
	/* Nor can it ask for a floor that no image stands above. */
	CHECK(records_append(PAGEPRESS_SLOT_B, CONFIRMED, NEW + 1) == STATUS(OK), "records are its own");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_FALLBACK && identity().floor == NEW, "the kept floor alone counts");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL && identity().floor == NEW, "the other is forgotten");
	memset(model.flash + PAGEPRESS_FLASH_RECORDS_OFFSET, 0xFF, 2 * PAGEPRESS_FLASH_SECTOR_BYTES);
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && identity().floor == NEW, "whoever takes the records away finds the floor that was kept");
}

/* Whatever floor a record asks for, for whichever slot: an image boots, none below the floor that is kept, and updates are taken. */
static void test_floor_above_all(void)
{
	for (uint32_t floor = NEW + 1; floor; floor = floor == ~0u ? 0 : ~0u)
		for (uint32_t trial = CONFIRMED; trial <= TRIAL_BEGUN; trial++)
			for (uint32_t slot = PAGEPRESS_SLOT_A; slot <= PAGEPRESS_SLOT_B; slot++)
				for (uint32_t damaged = 0; damaged < 2; damaged++) {
					on_a_trial(NEW);
					turns(LONG);
					boot_card(&choice);
					model.flash[slot_offset(PAGEPRESS_SLOT_B) + 500] ^= damaged;
					CHECK(records_append(slot, trial, floor) == STATUS(OK), "records are its own");
					boot_card(&choice);
					CHECK(choice.status[PAGEPRESS_SLOT_A] == STATUS(IMAGE_TOO_OLD), "status %u", choice.status[PAGEPRESS_SLOT_A]);
					if (damaged) {
						CHECK(choice.slot == PAGEPRESS_SLOT_NONE, "an image below the kept floor");
						continue;
					}
					CHECK(choice.slot == PAGEPRESS_SLOT_B && identity().floor == NEW, "floor %08x of slot %u boots slot %u", floor, slot, choice.slot);
					CHECK(update(make_image(NEW + 1, 1, SIZE), SIZE) == STATUS(OK), "and takes an update");
				}
}

/* An update that was not ended is nothing: what was asked for before is forgotten with its first piece. */
static void test_begun_is_not_asked(void)
{
	uint8_t piece[128];

	on_a_trial(1);
	turns(LONG);
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK), "back to the old one");
	model.flash_worn = true;
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, SIZE, NULL, 0) == STATUS(FLASH_FAILED), "the next reset still boots that slot");
	model.flash_worn = false;
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, SIZE, NULL, 0) == STATUS(OK), "or rather an update");
	memcpy(piece, make_image(NEW + 1, 1, SIZE), sizeof(piece));
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 0, piece, 64) == STATUS(OK), "its first piece");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 64, piece, 30) == STATUS(BAD_LENGTH), "a piece that ends within a word");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 0, piece, 64) == STATUS(WRONG_STATE), "the same piece again");
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_B && choice.kind == PAGEPRESS_BOOT_NORMAL, "the running image, and no trial of half an image");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 64, piece, 64) == STATUS(WRONG_STATE), "nor does it go on");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_COMMIT, 0, NULL, 0) == STATUS(WRONG_STATE), "there is nothing to commit");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, 128, NULL, 0) == STATUS(OK), "a short one");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 0, piece, 64) == STATUS(OK), "half of it");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 64, piece, sizeof(piece)) == STATUS(BAD_LENGTH), "more than it said");
	CHECK(message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) != STATUS(OK), "the other slot is half of an image");
	/* Another begin forgets it, also one that is refused. */
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, PAGEPRESS_IMAGE_MAX_BYTES + 1, NULL, 0) == STATUS(IMAGE_TOO_LARGE), "one that cannot be");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 64, piece, 64) == STATUS(WRONG_STATE), "the one before goes on");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, SIZE, NULL, 0) == STATUS(OK), "once more");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 0, piece, 64) == STATUS(OK), "from its first byte on");
	model.flash_worn = true;
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 64, piece, 64) == STATUS(FLASH_FAILED), "a piece that the flash does not hold");
	model.flash_worn = false;
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_DATA, 64, piece, 64) == STATUS(WRONG_STATE), "ends it");
	CHECK(update(make_image(NEW + 1, 1, SIZE), SIZE) == STATUS(OK), "a good image");
	CHECK(message(PAGEPRESS_MESSAGE_UPDATE_COMMIT, 0, NULL, 0) == STATUS(WRONG_STATE), "is committed once");
}

/* A hundred a second, whatever else it does: the driver takes it for dead after one and a half seconds without. */
static void test_heartbeat(void)
{
	uint32_t began, beats;

	on_a_trial(1);
	began = milliseconds();
	beats = model.beats;
	while (milliseconds() - began < 1000)
		turns(1);
	CHECK(model.beats - beats > 80 && model.beats - beats < 120, "%u beats in a second", model.beats - beats);
}

static uint32_t failed_parts(uint32_t parts)
{
	struct pagepress_self_test_result result;
	uint32_t status = message(PAGEPRESS_MESSAGE_SELF_TEST, parts, NULL, 0);

	memcpy(&result, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(result));
	CHECK(status == (result.failed ? STATUS(SELF_TEST_FAILED) : STATUS(OK)), "status %u of %u", status, result.failed);
	CHECK(parts ? result.ran == parts : result.ran > 0, "ran %u", result.ran);
	logged(PAGEPRESS_EVENT_SELF_TEST_ENDED, result.failed ? PAGEPRESS_SEVERITY_ERROR : PAGEPRESS_SEVERITY_INFO, result.failed, "what failed");
	return result.failed;
}

static void test_self_test(void)
{
	static const uint32_t calm[] = { 41500, 18568, 39321, 18568 };

	on_a_trial(1);
	turns(LONG);
	memcpy(model.codes, calm, sizeof(calm));
	turns(LONG);
	CHECK(!failed_parts(0), "all parts of a healthy card");
	CHECK(message(PAGEPRESS_MESSAGE_SELF_TEST, 32, NULL, 0) == STATUS(BAD_ARGUMENT), "there is no sixth part");
	model.flash_nameless = true;
	CHECK(failed_parts(0) == PAGEPRESS_SELF_TEST_FLASH, "a flash without a name");
	model.flash_nameless = false;
	for (uint32_t channel = 0; channel < 4; channel++) {
		model.codes[channel] = 65535;
		turns(LONG);
		CHECK(failed_parts(0) == PAGEPRESS_SELF_TEST_SENSORS, "channel %u is beyond belief", channel);
		model.codes[channel] = calm[channel];
		turns(LONG);
	}
	model.flash[slot_offset(PAGEPRESS_SLOT_B) + 500] ^= 1;
	CHECK(failed_parts(0) == PAGEPRESS_SELF_TEST_IMAGE, "a byte of its own image has changed");
	CHECK(!failed_parts(PAGEPRESS_SELF_TEST_RAM | PAGEPRESS_SELF_TEST_TIMER), "of other parts nobody asked");
	memset(model.flash + slot_offset(PAGEPRESS_SLOT_B), 0, SIZE);
	CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A && !failed_parts(PAGEPRESS_SELF_TEST_IMAGE), "it is the other slot that is broken now");
	model.time_stands = true;
	CHECK(failed_parts(PAGEPRESS_SELF_TEST_TIMER) == PAGEPRESS_SELF_TEST_TIMER, "time stands still");
	model.time_stands = false;
	break_memory(true);
	CHECK(failed_parts(PAGEPRESS_SELF_TEST_RAM) == PAGEPRESS_SELF_TEST_RAM, "memory that holds less than it has addresses");
}

int main(int count, char **arguments)
{
	CHECK(count == 3, "usage: test_trials KEY SEED");
	read_signing_key(arguments[1]);
	draw_from(strtoul(arguments[2], NULL, 0));
	test_other_slot();
	test_not_at_once();
	test_not_untested();
	test_a_line_a_cause();
	test_not_unwritten();
	test_not_against_the_host();
	test_way_back_is_no_trial();
	test_floor_never_falls();
	test_floor_is_not_misread();
	test_floor_is_out_of_reach();
	test_floor_above_all();
	test_begun_is_not_asked();
	test_heartbeat();
	test_self_test();
	puts("trials: all as expected");
	return 0;
}
