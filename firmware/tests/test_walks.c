/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates, rollbacks, resets and trials one behind the other, by lot, with power that fails now and then in the middle of what the flash does:
 * an image always boots, it is one that has been asked for or the one before, and no floor that has counted ever falls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "registers.h"
#include "services.h"

#define SIZE 1000u

static struct choice choice;
/* Versions: the one to fall back to, the one on trial or to be tried, and one that was to be tried when another took its place; 0: none. */
static uint32_t confirmed, asked, asked_before;
static uint32_t floor_seen;
static volatile uint32_t step, cuts, trials, refusals, rises;

static struct pagepress_identity identity(void)
{
	struct pagepress_identity told;

	CHECK(message(PAGEPRESS_MESSAGE_IDENTIFY, 0, NULL, 0) == STATUS(OK), "step %u: IDENTIFY", step);
	memcpy(&told, model.response + PAGEPRESS_MESSAGE_HEADER_BYTES, sizeof(told));
	return told;
}

static void look_at_floor(void)
{
	uint32_t floor = identity().floor;

	CHECK(floor >= floor_seen, "step %u: the floor falls from %u to %u", step, floor_seen, floor);
	rises += floor > floor_seen;
	floor_seen = floor;
}

/* Power fails once within the next few erases and programs, or not at all. */
static void maybe_cut(uint32_t within)
{
	model.cut_at = draw() % 3 ? -1 : (int64_t)model.operations + draw() % within;
}

/* Long enough for a trial to end. */
static void live(void)
{
	turns(2500);
}

/* As boot_card, with power that may fail in it. */
static void start(void)
{
	model_power_on();
	maybe_cut(3);
	choose_image(&choice, loaded);
	model.cut_at = -1;
}

static void boot(void)
{
	while (setjmp(model.lost))
		cuts++;
	start();
	CHECK(choice.slot != PAGEPRESS_SLOT_NONE, "step %u: no image runs: %u, %u", step, choice.status[0], choice.status[1]);
	model.report = choice_report(&choice);
	firmware_start();
	CHECK(choice.header.version == confirmed || choice.header.version == asked || choice.header.version == asked_before,
	      "step %u: %u runs, none of %u, %u and %u", step, choice.header.version, confirmed, asked, asked_before);
	asked_before = 0;
	CHECK(choice.header.version >= floor_seen, "step %u: %u runs below the floor %u", step, choice.header.version, floor_seen);
	look_at_floor();
	if (choice.kind == PAGEPRESS_BOOT_TRIAL)
		return;
	confirmed = choice.header.version;
	asked = 0;
	CHECK(choice.kind != PAGEPRESS_BOOT_NORMAL || identity().floor >= choice.header.floor, "step %u: %u is confirmed, its floor %u is not kept",
	      step, confirmed, choice.header.floor);
}

/* One that is on trial ends it in one of the ways there are. */
static void end_trial(void)
{
	uint32_t version = choice.header.version, floor = choice.header.floor, slot = choice.slot;

	trials++;
	switch (draw() % 4) {
	case 0: /* a reset before it has confirmed itself */
		asked = 0;
		boot();
		CHECK(choice.slot != slot && choice.kind != PAGEPRESS_BOOT_TRIAL, "step %u: what failed its trial runs", step);
		return;
	case 1: /* the host wants the old one back, and then something else again */
		asked = version;
		if (message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0) == STATUS(OK))
			asked = 0;
		live();
		CHECK(identity().trial == !asked, "step %u: %s", step, asked ? "it has not confirmed itself" : "it has, against the host");
		if (asked)
			confirmed = version;
		asked = 0;
		return;
	default:
		asked = version;
		if (setjmp(model.lost)) {
			cuts++;
			boot();
			if (choice.kind == PAGEPRESS_BOOT_TRIAL)
				end_trial();
			return;
		}
		maybe_cut(3);
		live();
		model.cut_at = -1;
		CHECK(!identity().trial, "step %u: it has not confirmed itself", step);
		confirmed = version;
		asked = 0;
		look_at_floor();
		CHECK(floor_seen >= floor, "step %u: confirmed, the floor stays below %u", step, floor);
	}
}

static void bring_image(void)
{
	static volatile uint32_t status;
	uint32_t version = floor_seen + draw() % 9, floor = draw() % 8 ? floor_seen : version - draw() % 4 % (version + 1);
	uint8_t *image = make_image(version, floor, SIZE);
	uint32_t expected = version ? STATUS(OK) : STATUS(IMAGE_BAD_HEADER);

	if (!(draw() % 8)) {
		image = make_image(floor_seen ? floor_seen - 1 : 0, 0, SIZE);
		expected = floor_seen > 1 ? STATUS(IMAGE_TOO_OLD) : STATUS(IMAGE_BAD_HEADER);
	} else if (version && !(draw() % 8)) {
		image[64 + 32 + draw() % (SIZE - 96)] ^= 1 << draw() % 8;
		expected = STATUS(IMAGE_BAD_SIGNATURE);
	}
	if (identity().trial)
		expected = STATUS(WRONG_STATE); /* the other slot is the way back */
	asked_before = asked;
	asked = expected == STATUS(OK) ? version : 0;
	if (setjmp(model.lost)) {
		cuts++;
		return;
	}
	maybe_cut(12);
	status = update(image, SIZE);
	model.cut_at = -1;
	CHECK(status == expected, "step %u: status %u, not %u", step, status, expected);
	refusals += status != STATUS(OK);
}

static void go_back(void)
{
	static volatile uint32_t status;
	struct pagepress_identity told = identity();

	asked = told.other_status == STATUS(OK) ? told.other_version : asked;
	if (setjmp(model.lost)) {
		cuts++;
		return;
	}
	maybe_cut(2);
	status = message(PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0);
	model.cut_at = -1;
	refusals += status != STATUS(OK);
}

int main(int count, char **arguments)
{
	uint32_t steps;

	CHECK(count == 4, "usage: test_walks KEY SEED STEPS");
	read_signing_key(arguments[1]);
	draw_from(strtoul(arguments[2], NULL, 0));
	steps = strtoul(arguments[3], NULL, 0);
	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	put_image(PAGEPRESS_SLOT_A, make_image(10, 4, SIZE));
	confirmed = 10;
	for (step = 0; step < steps; step++) {
		boot();
		if (choice.kind == PAGEPRESS_BOOT_TRIAL)
			end_trial();
		if (draw() % 4)
			bring_image();
		else
			go_back();
	}
	printf("walks: %u steps, %u power cuts, %u trials, %u refusals, the floor rose %u times to %u\n", steps, cuts, trials, refusals, rises, floor_seen);
	return 0;
}
