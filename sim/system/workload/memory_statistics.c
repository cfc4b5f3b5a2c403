// SPDX-License-Identifier: Apache-2.0
#include "memory_statistics.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int file = -1;
static char text[32768]; // the whole of /proc/vmstat

void memory_statistics_open(void)
{
	file = open("/proc/vmstat", O_RDONLY);
	if (file < 0) {
		perror("cannot open /proc/vmstat");
		exit(2);
	}
}

static uint64_t value_of(const char *name)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && line[length] == ' ')
			return strtoull(line + length, NULL, 10);
	}
	fprintf(stderr, "/proc/vmstat has no %s\n", name);
	exit(2);
}

struct memory_statistics memory_statistics_read(void)
{
	ssize_t got = pread(file, text, sizeof(text) - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	return (struct memory_statistics){
		.swapped_in = value_of("pswpin"),
		.swapped_out = value_of("pswpout"),
		.under_writeback = value_of("nr_writeback"),
	};
}
