/* SPDX-License-Identifier: Apache-2.0 */
/* Replays the golden ring entries through the generated header: replay_entries entries.txt. */
#include "vector_file.h"

#include "pagepress_interface.h"

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
	FIELD(detail);
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

int main(int count, char **paths)
{
	if (count != 2) {
		fprintf(stderr, "usage: replay_entries entries.txt\n");
		return 2;
	}
	replay_file(paths[1], replay_entry);
	return finish_replay();
}
