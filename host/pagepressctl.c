// SPDX-License-Identifier: Apache-2.0
// The command line: what to do, for which disk, from which sysfs.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pagepress_interface.h"
#include "status.h"

static const char usage[] =
	"usage: pagepressctl status [--json] [--sysfs FOLDER] [DEVICE]\n"
	"       pagepressctl --help | --version\n"
	"\n"
	"Shows what a Pagepress disk holds, which way its pages went, and the cards' own counters.\n"
	"\n"
	"  DEVICE          the disk, pagepress0 or /dev/pagepress0 (default pagepress0)\n"
	"  --json          one line of JSON instead of text\n"
	"  --sysfs FOLDER  where sysfs is mounted (default $PAGEPRESS_SYSFS, else /sys)\n"
	"\n"
	"Exit status: 0 fine, 1 no such disk or a file of it is missing, 2 wrong usage,\n"
	"3 a file holds something unexpected, 4 the output cannot be written.\n";

static int wrong_usage(const char *problem, const char *word)
{
	fprintf(stderr, "pagepressctl: %s '%s': see pagepressctl --help\n", problem, word);
	return EXIT_USAGE;
}

static int finish_output(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	perror("pagepressctl: cannot write the output");
	return EXIT_OUTPUT;
}

static int status_command(char **words)
{
	const char *sysfs = getenv("PAGEPRESS_SYSFS");
	const char *device = NULL;
	bool json = false;
	int code;

	if (!sysfs || !*sysfs)
		sysfs = "/sys";
	for (; *words; words++) {
		if (!strcmp(*words, "--json")) {
			json = true;
		} else if (!strcmp(*words, "--sysfs")) {
			if (!words[1])
				return wrong_usage("a folder must follow", *words);
			sysfs = *++words;
		} else if (**words == '-') {
			return wrong_usage("unknown option", *words);
		} else if (device) {
			return wrong_usage("one disk at a time, not also", *words);
		} else {
			device = *words;
		}
	}
	if (!device)
		device = "pagepress0";
	if (!strncmp(device, "/dev/", 5))
		device += 5;

	code = status_read(sysfs, device);
	if (code != EXIT_FINE)
		return code;
	if (json)
		status_print_json(device);
	else
		status_print_text(device);
	return finish_output(EXIT_FINE);
}

int main(int count, char **words)
{
	if (count < 2) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(words[1], "--help") || !strcmp(words[1], "-h")) {
		fputs(usage, stdout);
		return finish_output(EXIT_FINE);
	}
	if (!strcmp(words[1], "--version")) {
		printf("pagepressctl for interface %u.%u\n", PAGEPRESS_VERSION_MAJOR, PAGEPRESS_VERSION_MINOR);
		return finish_output(EXIT_FINE);
	}
	if (!strcmp(words[1], "status"))
		return status_command(words + 2);
	return wrong_usage("unknown command", words[1]);
}
