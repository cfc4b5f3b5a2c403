/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* memfd_create */
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image.h"
#include "monocypher.h"
#include "registers.h"
#include "services.h"
#include "slots.h"

_Alignas(4) uint8_t loaded[PAGEPRESS_CORE_RAM_BYTES];

static uint8_t secret[64];
static uint8_t image_buffer[PAGEPRESS_IMAGE_MAX_BYTES];
static uint32_t free_words[4096];

/* What the linker script and the boot ROM give the firmware. */
uint32_t stack_size(void) { return 0; }
uint32_t stack_used(void) { return 0; }

static uint32_t *aliased;

/* A memory whose second page is its first one. */
void break_memory(bool broken)
{
	long page = sysconf(_SC_PAGESIZE);
	int file;

	if (aliased)
		munmap(aliased, 2 * page);
	aliased = NULL;
	if (!broken)
		return;
	file = memfd_create("memory", 0);
	aliased = mmap(NULL, 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(file >= 0 && !ftruncate(file, page), "a page of memory");
	for (int i = 0; i < 2; i++)
		CHECK(mmap((uint8_t *)aliased + i * page, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0) != MAP_FAILED, "page %d", i);
	close(file);
}

void free_memory(uint32_t **begin, uint32_t **end)
{
	*begin = aliased ? aliased : free_words;
	*end = *begin + (aliased ? 2 * sysconf(_SC_PAGESIZE) / 4 : 16);
}

const struct pagepress_image_header *running_image(void)
{
	return (const void *)loaded;
}

uint32_t check_image(uint32_t offset, uint32_t floor, struct pagepress_image_header *header)
{
	return image_check(offset, floor, header, NULL);
}

void read_signing_key(const char *path)
{
	FILE *file = fopen(path, "r");
	uint8_t seed[32], public[32];
	int count = 0;

	while (file && count < 32 && fscanf(file, "%2hhx", &seed[count]) == 1)
		count++;
	CHECK(count == 32, "%s is no key", path);
	fclose(file);
	crypto_eddsa_key_pair(secret, public, seed);
}

void sign_again(uint8_t *image)
{
	const struct pagepress_image_header *header = (const void *)image;
	uint32_t length = header->length <= sizeof(image_buffer) ? header->length : sizeof(image_buffer);

	if (length > PAGEPRESS_SIGNATURE_BYTES)
		crypto_eddsa_sign(image, secret, image + PAGEPRESS_SIGNATURE_BYTES, length - PAGEPRESS_SIGNATURE_BYTES);
}

uint8_t *make_image(uint32_t version, uint32_t floor, uint32_t bytes)
{
	struct pagepress_image_header *header = (void *)image_buffer;

	for (uint32_t i = sizeof(*header); i < bytes; i++)
		image_buffer[i] = i * version + i / 251;
	*header = (struct pagepress_image_header){
		.magic = PAGEPRESS_IMAGE_MAGIC_VALUE, .target = PAGEPRESS_IMAGE_TARGET_VALUE, .length = bytes,
		.version = version, .floor = floor, .memory = PAGEPRESS_CORE_RAM_BYTES,
	};
	sign_again(image_buffer);
	return image_buffer;
}

void put_image(uint32_t slot, const uint8_t *image)
{
	const struct pagepress_image_header *header = (const void *)image;

	memset(model.flash + slot_offset(slot), 0xFF, PAGEPRESS_IMAGE_MAX_BYTES);
	memcpy(model.flash + slot_offset(slot), image, header->length);
}

static uint32_t boot(struct choice *choice)
{
	choose_image(choice, loaded);
	if (choice->slot == PAGEPRESS_SLOT_NONE)
		return choice->slot;
	CHECK(!memcmp(loaded + PAGEPRESS_SIGNATURE_BYTES, model.flash + slot_offset(choice->slot) + PAGEPRESS_SIGNATURE_BYTES,
		      choice->header.length - PAGEPRESS_SIGNATURE_BYTES), "what runs is not what stands in slot %u", choice->slot);
	model.report = choice_report(choice);
	firmware_start();
	return choice->slot;
}

uint32_t boot_card(struct choice *choice)
{
	model_power_on();
	return boot(choice);
}

uint32_t reset_card(struct choice *choice)
{
	model_reset();
	return boot(choice);
}

void turns(uint32_t count)
{
	while (count--) {
		model.sensor_updates += !model.sensors_mute;
		firmware_turn();
	}
}

uint32_t message(uint32_t kind, uint32_t argument, const void *payload, uint32_t bytes)
{
	struct pagepress_message_header header = { .kind = kind, .tag = draw(), .argument = argument }, back;

	memcpy(model.request, &header, sizeof(header));
	if (bytes)
		memcpy(model.request + sizeof(header), payload, bytes);
	model.request_length = sizeof(header) + bytes;
	model.answered = false;
	for (int turn = 0; !model.answered; turn++) {
		CHECK(turn < 20000, "message %u is not answered", kind);
		turns(1);
	}
	memcpy(&back, model.response, sizeof(back));
	CHECK(back.kind == kind && back.tag == header.tag, "the answer to another message");
	return back.argument;
}

void logged(uint32_t event, uint32_t severity, uint32_t argument, const char *when)
{
	CHECK(model.events[event] && model.last[event].severity == severity && model.last[event].argument == argument,
	      "event %u, %u times, severity %u, argument %08x, not %u, %08x: %s", event, model.events[event], model.last[event].severity,
	      model.last[event].argument, severity, argument, when);
}

uint32_t update(const uint8_t *image, uint32_t bytes)
{
	uint32_t status = message(PAGEPRESS_MESSAGE_UPDATE_BEGIN, bytes, NULL, 0);

	for (uint32_t at = 0; status == STATUS(OK) && at < bytes; at += PAYLOAD_MAX)
		status = message(PAGEPRESS_MESSAGE_UPDATE_DATA, at, image + at, bytes - at < PAYLOAD_MAX ? bytes - at : PAYLOAD_MAX);
	return status == STATUS(OK) ? message(PAGEPRESS_MESSAGE_UPDATE_COMMIT, 0, NULL, 0) : status;
}
