// SPDX-License-Identifier: Apache-2.0
#include "goals.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GOALS 4

static struct {
	char *file;
	unsigned long long count;
} goals[MOST_GOALS];
static unsigned int remaining;

static unsigned long long read_count(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned long long count;

	if (!file || fscanf(file, "%llu", &count) != 1) {
		fprintf(stderr, "hungry: no count in %s: %s\n", path, strerror(errno));
		exit(2);
	}
	fclose(file);
	return count;
}

void goals_add(const char *text)
{
	const char *colon = strrchr(text, ':');
	char *end;

	if (!colon || remaining == MOST_GOALS) {
		fprintf(stderr, "hungry: --goal takes FILE:COUNT, at most %d times, not '%s'\n", MOST_GOALS, text);
		exit(2);
	}
	goals[remaining].file = strndup(text, (size_t)(colon - text));
	goals[remaining].count = strtoull(colon + 1, &end, 10);
	if (end == colon + 1 || *end) {
		fprintf(stderr, "hungry: --goal takes FILE:COUNT, not '%s'\n", text);
		exit(2);
	}
	read_count(goals[remaining].file);
	remaining++;
}

bool goals_reached(void)
{
	while (remaining && read_count(goals[remaining - 1].file) >= goals[remaining - 1].count)
		remaining--;
	return remaining == 0;
}

void goals_abandon(void)
{
	remaining = 0;
}
