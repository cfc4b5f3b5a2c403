/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the golden vector files beside it, for programs that replay them in C. */
#ifndef VECTOR_FILE_H
#define VECTOR_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The exit status: how many were compared is printed, and 1 when any differed. */
static int finish_replay(void)
{
	printf("%d vectors\n", compared);
	return differing ? 1 : 0;
}

#endif
