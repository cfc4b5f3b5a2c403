/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include <stdbool.h>
#include <string.h>

#include "flash.h"
#include "monocypher.h"
#include "public_key.h"
#include "registers.h"

/* What the signature is over. */
#define SIGNED_OFFSET PAGEPRESS_SIGNATURE_BYTES
#define CHUNK 256

/* Signature of what stands in the flash, read once: EdDSA hashes R, the public key, the message. */
static bool signature_holds(uint32_t offset, const struct pagepress_image_header *header, uint8_t *load)
{
	crypto_blake2b_ctx hash;
	uint8_t chunk[CHUNK], digest[64], reduced[32];
	uint32_t at = SIGNED_OFFSET;

	crypto_blake2b_init(&hash, sizeof(digest));
	crypto_blake2b_update(&hash, header->signature, 32);
	crypto_blake2b_update(&hash, public_key, 32);
	while (at < header->length) {
		uint32_t part = header->length - at < CHUNK ? header->length - at : CHUNK;
		uint8_t *to = load ? load + at : chunk;

		flash_read(offset + at, to, part);
		/* The header was judged before it was hashed: it must be the one that is hashed. */
		if (at == SIGNED_OFFSET &&
		    memcmp(to, (const uint8_t *)header + SIGNED_OFFSET, sizeof(*header) - SIGNED_OFFSET))
			return false;
		crypto_blake2b_update(&hash, to, part);
		at += part;
		feed_watchdog();
	}
	crypto_blake2b_final(&hash, digest);
	crypto_eddsa_reduce(reduced, digest);
	return !crypto_eddsa_check_equation(header->signature, public_key, reduced);
}

uint32_t image_check(uint32_t offset, uint32_t floor, struct pagepress_image_header *header, uint8_t *load)
{
	uint32_t status;

	flash_read(offset, header, sizeof(*header));
	status = image_check_header(header, floor);
	if (status == STATUS(OK) && !signature_holds(offset, header, load))
		status = STATUS(IMAGE_BAD_SIGNATURE);
	feed_watchdog();
	return status;
}
