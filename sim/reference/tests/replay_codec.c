/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the golden CRCs and streams through the page codec: replay_codec crc32c.txt streams.txt cold.txt. */
#include "vector_file.h"

#include "cold.h"
#include "page_codec.h"
#include "pagepress_interface.h"

static void replay_crc(char *const *words)
{
	uint8_t bytes[MOST_BYTES];
	size_t count = parse_bytes(value_of(words, "data"), bytes);

	check(page_crc32c(bytes, count) == number_of(words, "crc"), words[0], "crc");
}

static int status_named(const char *name)
{
#define STATUS(status, number, kind) \
	if (!strcmp(name, #status)) \
		return number;
	PAGEPRESS_STATUSES(STATUS)
	return -1;
}

static void replay(char *const *words, uint8_t (*decompress)(const uint8_t *stream, size_t stream_bytes, uint8_t *page,
							     size_t page_bytes, size_t *length))
{
	uint8_t stream[MOST_BYTES], plain[MOST_BYTES], page[MOST_BYTES];
	size_t count = parse_bytes(value_of(words, "stream"), stream), length;
	size_t page_bytes = strtoull(value_of(words, "bytes"), NULL, 10);
	int status = decompress(stream, count, page, page_bytes, &length);

	check(status == status_named(value_of(words, "status")), words[0], "status");
	if (status == PAGEPRESS_STATUS_SUCCESS)
		check(parse_bytes(value_of(words, "plain"), plain) == page_bytes && !memcmp(page, plain, page_bytes),
		      words[0], "plain");
}

static void replay_stream(char *const *words)
{
	replay(words, page_decompress);
}

static void replay_cold(char *const *words)
{
	replay(words, cold_decompress);
}

int main(int count, char **paths)
{
	if (count != 4) {
		fprintf(stderr, "usage: replay_codec crc32c.txt streams.txt cold.txt\n");
		return 2;
	}
	replay_file(paths[1], replay_crc);
	replay_file(paths[2], replay_stream);
	replay_file(paths[3], replay_cold);
	return finish_replay();
}
