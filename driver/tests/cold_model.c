// SPDX-License-Identifier: GPL-2.0-only
/*
 * cold_model DICTIONARY PAGES SEED STREAMS: the decoder of cold streams that the driver has, against stock libzstd with the dictionary: pages of
 * the file PAGES as the model of the card compresses them, all truncations and all changes of one byte of some streams, changes of long
 * ones, noise, again and again until it has looked at that many STREAMS. What it takes, libzstd takes, and both give the same bytes; a page is given back only whole. Streams and pages lie in
 * memory of just their size, so that the sanitizers see each byte beside them. Prints how many streams it looked at, and how many
 * broken ones were taken.
 */
#include <dlfcn.h>

#include "model.h"

#define PAGE 4096
#define WORST (PAGE + 9)
#define SUCCESS 0

/* rtl/interface/cold_decompress.c, and the model of the card. */
u8 cold_decompress(const u8 *stream, size_t stream_bytes, u8 *page, size_t page_bytes, size_t *length);
u8 cold_compress(const u8 *page, size_t page_bytes, u8 *stream, size_t limit, size_t *length);

static size_t (*zstd_decompress)(void *context, void *to, size_t room, const void *from, size_t bytes, const void *dictionary,
				 size_t dictionary_bytes);
static unsigned int (*zstd_is_error)(size_t code);
static void *zstd;
static u8 *dictionary, *pages;
static size_t dictionary_bytes, page_count;
static unsigned long looked, taken;

static void *symbol(void *library, const char *name)
{
	void *found = library ? dlsym(library, name) : NULL;

	if (!found)
		wrong("no libzstd.so.1 that is one");
	return found;
}

static u8 *read_file(const char *name, size_t *bytes)
{
	FILE *file = fopen(name, "rb");
	u8 *data = malloc(64 << 20);

	*bytes = file && data ? fread(data, 1, 64 << 20, file) : 0;
	if (!*bytes)
		wrong("cannot read a file");
	fclose(file);
	return data;
}

/* The decoder's verdict on a copy of the stream, which libzstd must share when it is good; then `page`, of exactly `bytes`, is the page. */
static bool takes(const u8 *stream, size_t length, u8 *page, size_t bytes)
{
	u8 *copy = malloc(length), *theirs = malloc(bytes);
	size_t made = 0, theirs_made;
	u8 status;

	memcpy(copy, stream, length);
	status = cold_decompress(copy, length, page, bytes, &made);
	looked++;
	if (made > bytes || (status == SUCCESS && made != bytes))
		wrong("a length that cannot be");
	if (status == SUCCESS) {
		theirs_made = zstd_decompress(zstd, theirs, bytes, copy, length, dictionary, dictionary_bytes);
		if (zstd_is_error(theirs_made) || theirs_made != bytes || memcmp(page, theirs, bytes))
			wrong("taken, and libzstd refuses it or reads it otherwise");
	}
	free(copy);
	free(theirs);
	return status == SUCCESS;
}

/* A sound stream of the page's first bytes. */
static size_t stream_of(const u8 *data, size_t bytes, u8 *stream)
{
	u8 *page = malloc(bytes);
	size_t length = 0;

	if (cold_compress(data, bytes, stream, WORST, &length) != SUCCESS)
		wrong("the card's model has no stream of a page");
	if (!takes(stream, length, page, bytes) || memcmp(page, data, bytes))
		wrong("a page does not come back");
	free(page);
	return length;
}

/* All truncations, with the block header as it was and as it should be; then `values` other values at every place, 255 for all. */
static void break_everywhere(const u8 *data, size_t bytes, unsigned int values)
{
	u8 stream[WORST], changed[WORST], *page = malloc(bytes);
	size_t length = stream_of(data, bytes, stream), at, cut;
	unsigned int step;

	for (cut = 0; cut < length; cut++) {
		u32 header = (u32)(cut - 9) << 3 | (stream[6] & 7);

		if (takes(stream, cut, page, bytes))
			wrong("a truncated stream is taken");
		memcpy(changed, stream, cut);
		if (cut < 9)
			continue;
		changed[6] = header;
		changed[7] = header >> 8;
		changed[8] = header >> 16;
		taken += takes(changed, cut, page, bytes);
	}
	memcpy(changed, stream, length);
	for (at = 0; at < length; at++) {
		for (step = 1; step <= values; step++) {
			changed[at] = stream[at] ^ (values == 255 ? step : 1u + below(255));
			if (takes(changed, length, page, bytes)) {
				taken++;
				if (at < 6)
					wrong("another beginning is taken");
			}
		}
		changed[at] = stream[at];
	}
	free(page);
}

/* Bytes that nobody has written, behind a beginning that is right. */
static void noise(void)
{
	u8 stream[300] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x30 }, *page = malloc(PAGE);
	size_t length = 10 + below(sizeof(stream) - 10), at;
	u32 header = (u32)(length - 9) << 3 | 5;

	stream[6] = header;
	stream[7] = header >> 8;
	stream[8] = header >> 16;
	for (at = 9; at < length; at++)
		stream[at] = below(256);
	/* A header of literals that fit, half of the time: else nearly all end there. */
	if (below(2))
		stream[9] = below(12) << 3;
	taken += takes(stream, length, page, 1 + below(PAGE));
	free(page);
}

int main(int count, char **words)
{
	void *library = dlopen("libzstd.so.1", RTLD_NOW);
	unsigned long streams;
	u8 stream[WORST];
	size_t index;

	if (count != 5) {
		fprintf(stderr, "usage: cold_model DICTIONARY PAGES SEED STREAMS\n");
		return 2;
	}
	zstd_decompress = symbol(library, "ZSTD_decompress_usingDict");
	zstd_is_error = symbol(library, "ZSTD_isError");
	zstd = ((void *(*)(void))symbol(library, "ZSTD_createDCtx"))();
	dictionary = read_file(words[1], &dictionary_bytes);
	pages = read_file(words[2], &page_count);
	page_count /= PAGE;
	random_state = strtoull(words[3], NULL, 10);
	streams = strtoul(words[4], NULL, 10);

	for (index = 0; index < page_count; index++)
		stream_of(pages + index * PAGE, PAGE, stream);
	do {
		for (index = 0; index < 5; index++)
			break_everywhere(pages + below(page_count) * PAGE + below(PAGE - 400), 40 + 50 * index, 255);
		for (index = 0; index < 3; index++)
			break_everywhere(pages + below(page_count) * PAGE, PAGE, 3);
		for (index = 0; index < 60000; index++)
			noise();
	} while (looked < streams);
	printf("%lu %lu\n", looked, taken);
	free(dictionary);
	free(pages);
	((size_t (*)(void *))symbol(library, "ZSTD_freeDCtx"))(zstd);
	return 0;
}
