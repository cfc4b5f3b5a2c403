// SPDX-License-Identifier: GPL-2.0-only
/*
 * write_cost DEVICE FILE ROUNDS: writes FILE's whole pages to DEVICE by direct requests of up to 32 pages, ROUNDS times,
 * and prints how many pages that were and how long this task ran for it on a CPU, nanoseconds. Exit status 2: an error.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096
#define MOST	32

static void stop(const char *what)
{
	perror(what);
	exit(2);
}

static unsigned long long run_time(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time))
		stop("clock");
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

int main(int count, char **words)
{
	unsigned long long before, written = 0;
	unsigned char *pages;
	struct stat status;
	int device, file, rounds;
	off_t size, at;

	if (count != 4) {
		fprintf(stderr, "usage: write_cost DEVICE FILE ROUNDS\n");
		return 2;
	}
	device = open(words[1], O_WRONLY | O_DIRECT);
	if (device < 0)
		stop(words[1]);
	file = open(words[2], O_RDONLY);
	if (file < 0 || fstat(file, &status))
		stop(words[2]);
	size = status.st_size / PAGE * PAGE;
	pages = aligned_alloc(PAGE, size);
	if (!pages || read(file, pages, size) != size)
		stop(words[2]);
	before = run_time();
	for (rounds = atoi(words[3]); rounds > 0; rounds--) {
		for (at = 0; at < size; at += MOST * PAGE) {
			size_t length = size - at < MOST * PAGE ? size - at : MOST * PAGE;

			if (pwrite(device, pages + at, length, at) != (ssize_t)length)
				stop(words[1]);
			written += length / PAGE;
		}
	}
	printf("%llu %llu\n", written, run_time() - before);
	return 0;
}
