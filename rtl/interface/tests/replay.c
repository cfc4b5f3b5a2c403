/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the golden vectors: replay entries.txt crc32c.txt streams.txt. Exit 1 after naming what differs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "page_codec.h"
#include "pagepress_interface.h"

enum { LONGEST_LINE = 4096, MOST_BYTES = 1024, MOST_WORDS = 24 };

static int compared, differing;

static void check(int same, const char *name, const char *what)
{
	if (same)
		return;
	printf("%s: %s differs\n", name, what);
	differing++;
}

static size_t parse_bytes(const char *text, uint8_t *bytes)
{
	size_t count = 0;
	unsigned int byte;

	for (; count < MOST_BYTES && sscanf(text + 2 * count, "%2x", &byte) == 1; count++)
		bytes[count] = (uint8_t)byte;
	return count;
}

/* The value of "key=value" among the words of a line, or "" when the key is missing. */
static const char *value_of(char *const *words, const char *key)
{
	size_t length = strlen(key);

	for (; *words; words++)
		if (!strncmp(*words, key, length) && (*words)[length] == '=')
			return *words + length + 1;
	return "";
}

static uint64_t number_of(char *const *words, const char *key)
{
	const char *text = value_of(words, key);

	return *text ? strtoull(text, NULL, 16) : ~(uint64_t)0;
}

static void replay_submission(char *const *words, const uint8_t *bytes)
{
	struct pagepress_submission_entry entry;
	uint8_t reserved[sizeof(entry.reserved)];

	memcpy(&entry, bytes, sizeof(entry));
#define FIELD(name) check(entry.name == number_of(words, #name), words[1], #name)
	FIELD(opcode);
	FIELD(format);
	FIELD(flags);
	FIELD(tag);
	FIELD(source_address);
	FIELD(destination_address);
	FIELD(source_length);
	FIELD(destination_capacity);
	FIELD(expected_crc32c);
	check(parse_bytes(value_of(words, "reserved"), reserved) == sizeof(reserved) &&
	      !memcmp(reserved, entry.reserved, sizeof(reserved)), words[1], "reserved");
}

static void replay_completion(char *const *words, const uint8_t *bytes)
{
	struct pagepress_completion_entry entry;
	uint8_t reserved[2];

	memcpy(&entry, bytes, sizeof(entry));
	FIELD(fill_value);
	FIELD(produced_length);
	FIELD(crc32c);
	FIELD(engine_cycles);
	FIELD(submission_head);
	FIELD(tag);
	FIELD(status);
	FIELD(phase);
	parse_bytes(value_of(words, "reserved"), reserved);
	check(!memcmp(reserved, entry.reserved, 2), words[1], "reserved");
	parse_bytes(value_of(words, "reserved2"), reserved);
	check(!memcmp(reserved, entry.reserved2, 2), words[1], "reserved2");
}

static void replay_entry(char *const *words)
{
	uint8_t bytes[MOST_BYTES];
	size_t count = parse_bytes(value_of(words, "bytes"), bytes);

	if (!strcmp(words[0], "SubmissionEntry") && count == PAGEPRESS_SUBMISSION_ENTRY_BYTES)
		replay_submission(words, bytes);
	else if (!strcmp(words[0], "CompletionEntry") && count == PAGEPRESS_COMPLETION_ENTRY_BYTES)
		replay_completion(words, bytes);
	else
		check(0, words[0], "kind or size");
}

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

static void replay_stream(char *const *words)
{
	uint8_t stream[MOST_BYTES], plain[MOST_BYTES], page[MOST_BYTES];
	size_t count = parse_bytes(value_of(words, "stream"), stream), length;
	size_t page_bytes = strtoull(value_of(words, "bytes"), NULL, 10);
	int status = page_decompress(stream, count, page, page_bytes, &length);

	check(status == status_named(value_of(words, "status")), words[0], "status");
	if (status == PAGEPRESS_STATUS_SUCCESS)
		check(parse_bytes(value_of(words, "plain"), plain) == page_bytes && !memcmp(page, plain, page_bytes),
		      words[0], "plain");
}

static void replay_file(const char *path, void (*replay)(char *const *words))
{
	static char line[LONGEST_LINE];
	FILE *file = fopen(path, "r");

	if (!file) {
		perror(path);
		exit(2);
	}
	while (fgets(line, sizeof(line), file)) {
		char *words[MOST_WORDS] = { NULL };
		int count = 0;

		if (line[0] == '#')
			continue;
		for (char *word = strtok(line, " \n"); word && count < MOST_WORDS - 1; word = strtok(NULL, " \n"))
			words[count++] = word;
		replay(words);
		compared++;
	}
	fclose(file);
}

int main(int count, char **paths)
{
	if (count != 4) {
		fprintf(stderr, "usage: replay entries.txt crc32c.txt streams.txt\n");
		return 2;
	}
	replay_file(paths[1], replay_entry);
	replay_file(paths[2], replay_crc);
	replay_file(paths[3], replay_stream);
	printf("%d vectors\n", compared);
	return differing ? 1 : 0;
}
