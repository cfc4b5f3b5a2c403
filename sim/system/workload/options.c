// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goals.h"

void die(const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "hungry: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	exit(2);
}

static uint64_t number(const char *name, const char *text)
{
	char *end;
	unsigned long long value;

	errno = 0;
	value = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno)
		die("--%s takes a whole number, not '%s'", name, text);
	return value;
}

struct options options_parse(char **words)
{
	struct options options = { 0 };

	for (; *words; words += 2) {
		const char *name = *words, *value = words[1];

		if (strncmp(name, "--", 2) || !value)
			die("usage: hungry --image FILE [--out PAGES] [--goal FILE:COUNT]... [--pace PAGES] [--seed N] [--report FILE] [--at-full COMMAND] [--at-end COMMAND]");
		name += 2;
		if (!strcmp(name, "image"))
			options.image = value;
		else if (!strcmp(name, "report"))
			options.report = value;
		else if (!strcmp(name, "at-full"))
			options.at_full = value;
		else if (!strcmp(name, "at-end"))
			options.at_end = value;
		else if (!strcmp(name, "out"))
			options.out = number(name, value);
		else if (!strcmp(name, "goal"))
			goals_add(value);
		else if (!strcmp(name, "pace"))
			options.pace = number(name, value);
		else if (!strcmp(name, "seed"))
			options.seed = number(name, value);
		else
			die("unknown option --%s", name);
	}
	if (!options.image)
		die("--image is missing");
	return options;
}
