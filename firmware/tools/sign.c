/* SPDX-License-Identifier: Apache-2.0 */
/* Puts header and signature before a program, and writes the public key that the boot ROM holds. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monocypher.h"
#include "pagepress_management.h"

static const char usage[] =
	"usage: sign image KEY PROGRAM OUTPUT VERSION FLOOR MEMORY   header and signature before PROGRAM\n"
	"       sign key KEY                                         the public key as a C header, on standard output\n"
	"KEY is a file with 64 hexadecimal digits; VERSION and FLOOR are MAJOR.MINOR.PATCH; MEMORY is in bytes.\n";

static _Noreturn void fail(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("sign: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(1);
}

/* The digits stand in pairs, in any number of lines; what begins with # is a comment. */
static void read_key(const char *path, uint8_t secret[64], uint8_t public[32])
{
	FILE *file = fopen(path, "r");
	uint8_t seed[33];
	char line[256];
	size_t count = 0;
	bool good = true;

	if (!file)
		fail("%s: %s", path, strerror(errno));
	while (good && fgets(line, sizeof(line), file)) {
		const char *next = line;

		while (isxdigit((unsigned char)next[0]) && isxdigit((unsigned char)next[1]) && count <= 32) {
			sscanf(next, "%2hhx", &seed[count++]);
			next += 2;
		}
		good = *next == '\n' || *next == '#' || (!*next && feof(file) && next > line);
		if (*next == '#')
			while (!strchr(next, '\n') && fgets(line, sizeof(line), file)) /* the rest of a long one */
				next = line;
	}
	fclose(file);
	if (!good || count != 32)
		fail("%s: not 64 hexadecimal digits", path);
	crypto_eddsa_key_pair(secret, public, seed);
}

static uint32_t parse_version(const char *text)
{
	unsigned int major, minor, patch;
	char end;

	if (sscanf(text, "%u.%u.%u%c", &major, &minor, &patch, &end) != 3 || major > 255 || minor > 255 || patch > 65535)
		fail("'%s' is no version: MAJOR.MINOR.PATCH, up to 255.255.65535", text);
	return major << 24 | minor << 16 | patch;
}

static void sign_image(char **arguments)
{
	static uint8_t image[1 << 20];
	struct pagepress_image_header *header = (void *)image;
	uint8_t secret[64], public[32];
	size_t program;
	char *end;
	FILE *file;

	read_key(arguments[0], secret, public);
	file = fopen(arguments[1], "rb");
	if (!file)
		fail("%s: %s", arguments[1], strerror(errno));
	program = fread(image + sizeof(*header), 1, sizeof(image) - sizeof(*header) - 4, file);
	fclose(file);
	header->length = (sizeof(*header) + program + 3) & ~3u;
	if (!program || header->length > PAGEPRESS_IMAGE_MAX_BYTES)
		fail("%s: %zu bytes; an image has 1 to %u", arguments[1], program,
		     (unsigned int)(PAGEPRESS_IMAGE_MAX_BYTES - sizeof(*header)));
	header->magic = PAGEPRESS_IMAGE_MAGIC_VALUE;
	header->target = PAGEPRESS_IMAGE_TARGET_VALUE;
	header->version = parse_version(arguments[3]);
	header->floor = parse_version(arguments[4]);
	header->memory = strtoul(arguments[5], &end, 0);
	if (header->floor > header->version || !header->version)
		fail("version %s: must be above 0.0.0 and not below its floor %s", arguments[3], arguments[4]);
	if (*end || header->memory < header->length || header->memory > PAGEPRESS_CORE_RAM_BYTES)
		fail("MEMORY %s: must be %u to %u bytes", arguments[5], header->length, PAGEPRESS_CORE_RAM_BYTES);
	crypto_eddsa_sign(header->signature, secret, image + PAGEPRESS_SIGNATURE_BYTES, header->length - PAGEPRESS_SIGNATURE_BYTES);
	file = fopen(arguments[2], "wb");
	if (!file || fwrite(image, 1, header->length, file) != header->length || fclose(file))
		fail("%s: %s", arguments[2], strerror(errno));
}

static void print_key(const char *path)
{
	uint8_t secret[64], public[32];

	read_key(path, secret, public);
	printf("/* Made by firmware/tools/sign. */\n#include <stdint.h>\n\nstatic const uint8_t public_key[32] = {");
	for (int i = 0; i < 32; i++)
		printf("%s0x%02X,", i % 8 ? " " : "\n\t", public[i]);
	printf("\n};\n");
}

int main(int count, char **arguments)
{
	if (count == 2 && (!strcmp(arguments[1], "--help") || !strcmp(arguments[1], "-h"))) {
		fputs(usage, stdout);
	} else if (count == 8 && !strcmp(arguments[1], "image")) {
		sign_image(arguments + 2);
	} else if (count == 3 && !strcmp(arguments[1], "key")) {
		print_key(arguments[2]);
	} else {
		fputs(usage, stderr);
		return 2;
	}
	return 0;
}
