/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and images that nobody meant to write: everything is answered with a named status, and the running image stays. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "image.h"
#include "registers.h"
#include "services.h"
#include "slots.h"

#define SIZE 1000u

static struct choice choice;

static bool is_named(uint32_t status)
{
#define NAMED(name, value) || status == (value)
	return false PAGEPRESS_MANAGEMENT_STATUS_TABLE(NAMED);
}

/* Mostly kinds that there are, with lengths and arguments near their limits. */
static void write_request(void)
{
	static const uint32_t arguments[] = { 0, 1, 4, 95, 96, 97, SIZE, 248, 57344, 57345, 0xFFFFFFFF, 0x7FFFFFFF, 8500 | 9500 << 16 };
	struct pagepress_message_header header = {
		.kind = draw() % 8 ? draw() % 16 : draw(), .tag = draw(),
		.argument = draw() % 4 ? arguments[draw() % (sizeof(arguments) / sizeof(arguments[0]))] : draw(),
	};

	for (uint32_t i = 0; i < PAGEPRESS_MAILBOX_BYTES; i += 4) {
		uint32_t word = draw();

		memcpy(model.request + i, &word, 4);
	}
	memcpy(model.request, &header, sizeof(header));
	model.request_length = draw() % 3 ? 8 + draw() % 5 : 1 + draw() % PAGEPRESS_MAILBOX_BYTES;
	if (draw() % 64 == 0)
		model.request_length = draw() | 1; /* the hardware would not */
}

/* Of the others the header says all: what follows it would be of a message before. */
static bool has_payload(uint32_t kind)
{
	return kind == PAGEPRESS_MESSAGE_PING || kind == PAGEPRESS_MESSAGE_IDENTIFY || kind == PAGEPRESS_MESSAGE_TELEMETRY ||
	       kind == PAGEPRESS_MESSAGE_SELF_TEST || kind == PAGEPRESS_MESSAGE_LANES;
}

static void fuzz_request(uint32_t number)
{
	struct pagepress_message_header header, back;

	write_request();
	memcpy(&header, model.request, sizeof(header));
	if (model.request_length < sizeof(header))
		memset((uint8_t *)&header + model.request_length, 0, sizeof(header) - model.request_length);
	model.answered = false;
	for (int turn = 0; !model.answered; turn++) {
		CHECK(turn < 20000, "case %u: message %u is not answered", number, header.kind);
		turns(1);
	}
	memcpy(&back, model.response, sizeof(back));
	CHECK(back.kind == header.kind && back.tag == header.tag, "case %u: the answer to another message", number);
	CHECK(is_named(back.argument), "case %u: status %u has no name", number, back.argument);
	CHECK(has_payload(back.kind) || model.response_length == sizeof(back), "case %u: message %u is answered with %u bytes", number, back.kind,
	      model.response_length);
}

static void fuzz_mailbox(uint32_t cases)
{
	static uint8_t slot_a[PAGEPRESS_IMAGE_MAX_BYTES];
	static volatile uint32_t done, resets;

	memset(&model, 0, sizeof(model));
	memset(model.flash, 0xFF, sizeof(model.flash));
	put_image(PAGEPRESS_SLOT_A, make_image(2, 1, SIZE));
	memcpy(slot_a, model.flash + slot_offset(PAGEPRESS_SLOT_A), sizeof(slot_a));
	for (done = 0; done < cases; done++) {
		if (setjmp(model.lost) || !done) {
			resets++;
			CHECK(boot_card(&choice) == PAGEPRESS_SLOT_A, "case %u: the image runs again", done);
		}
		fuzz_request(done);
		if (done % 1024 == 0)
			CHECK(!memcmp(slot_a, model.flash + slot_offset(PAGEPRESS_SLOT_A), sizeof(slot_a)), "case %u: the running image changed", done);
	}
	printf("mailbox: %u requests, %u resets\n", cases, resets);
}

/* A header with some fields redrawn and signed anew (so that the parser, not the signature, must notice), or any byte altered. */
static void fuzz_images(uint32_t cases)
{
	uint32_t accepted = 0;

	memset(&model, 0, sizeof(model));
	model_power_on();
	for (uint32_t i = 0; i < cases; i++) {
		uint8_t *image = make_image(2, 1, SIZE);
		struct pagepress_image_header *header = (void *)image, found;
		bool same = true, again = draw() % 2;
		uint32_t status;

		for (uint32_t changes = 1 + draw() % 3; changes--;) {
			uint32_t word = draw() % 3 ? draw() % 8 : draw();

			if (again) {
				memcpy(image + 64 + 4 * (draw() % 8), &word, 4);
			} else {
				image[draw() % SIZE] ^= 1 << draw() % 8;
				same = false;
			}
		}
		if (again)
			sign_again(image);
		else
			same = !memcmp(image, make_image(2, 1, SIZE), SIZE); /* two changes may cancel out */
		memset(model.flash + slot_offset(0), 0xFF, PAGEPRESS_IMAGE_MAX_BYTES);
		memcpy(model.flash + slot_offset(0), image, SIZE);
		memset(loaded, 0xA5, sizeof(loaded));
		status = image_check(slot_offset(0), 1, &found, loaded);
		CHECK(is_named(status), "case %u: status %u has no name", i, status);
		for (uint32_t at = PAGEPRESS_IMAGE_MAX_BYTES; at < sizeof(loaded); at++)
			CHECK(loaded[at] == 0xA5, "case %u: byte %u of the boot ROM's own memory was written", i, at);
		if (status != STATUS(OK))
			continue;
		accepted++;
		CHECK(same, "case %u: an altered image was accepted", i);
		CHECK(found.magic == PAGEPRESS_IMAGE_MAGIC_VALUE && found.target == PAGEPRESS_IMAGE_TARGET_VALUE && found.version >= 1 &&
		      found.floor <= found.version && found.length <= PAGEPRESS_IMAGE_MAX_BYTES && found.length > 96, "case %u", i);
		(void)header;
	}
	CHECK(accepted, "some of %u images are good", cases);
	printf("images: %u, of which %u good\n", cases, accepted);
}

int main(int count, char **arguments)
{
	CHECK(count == 5, "usage: test_fuzz KEY SEED REQUESTS IMAGES");
	read_signing_key(arguments[1]);
	draw_from(strtoul(arguments[2], NULL, 0));
	fuzz_mailbox(strtoul(arguments[3], NULL, 0));
	fuzz_images(strtoul(arguments[4], NULL, 0));
	return 0;
}
