// SPDX-License-Identifier: GPL-2.0-only
/*
 * swap_cost FILE RECLAIM COMMAND: has memory that holds FILE's whole pages swapped out by its control group's file memory.reclaim and
 * reads it again in order, runs COMMAND with the words `filled`, `out` and `read` between, and prints how many pages there are and how
 * long this task ran on a CPU for either, nanoseconds. Exit status 0: well; 1: a wrong byte; 2: usage or an unexpected error; 3: COMMAND
 * failed; 4: the pages do not go.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096
#define TURNS	1000
#define MOST	256	/* pages of a turn */
#define PAUSE	2000	/* microseconds for writes to end: what was written is freed when reclaim comes by again */

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

/* No fork: a child that shares the pages would change how they are swapped in. glibc's system() spawns. */
static void tell(const char *command, const char *what)
{
	char line[256];

	snprintf(line, sizeof(line), "%s %s", command, what);
	if (system(line))
		exit(3);
}

static size_t present(unsigned char *memory, size_t bytes, unsigned char *seen)
{
	size_t page, count = 0;

	if (mincore(memory, bytes, seen))
		stop("mincore");
	for (page = 0; page < bytes / PAGE; page++)
		count += seen[page] & 1;
	return count;
}

/* Some pages. That not all of them went is no error. */
static void reclaim(int group, size_t pages)
{
	char bytes[32];

	snprintf(bytes, sizeof(bytes), "%zu", (pages < MOST ? pages : MOST) * PAGE);
	if (write(group, bytes, strlen(bytes)) < 0 && errno != EAGAIN)
		stop("memory.reclaim");
}

int main(int count, char **words)
{
	unsigned long long before, out, in;
	unsigned char *memory, *seen;
	unsigned int sum = 0, turn;
	struct stat status;
	size_t bytes, at, left;
	int file, group;

	if (count != 4) {
		fprintf(stderr, "usage: swap_cost FILE RECLAIM COMMAND\n");
		return 2;
	}
	group = open(words[2], O_WRONLY);
	if (group < 0)
		stop(words[2]);
	file = open(words[1], O_RDONLY);
	if (file < 0 || fstat(file, &status))
		stop(words[1]);
	bytes = status.st_size / PAGE * PAGE;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	seen = malloc(bytes / PAGE);
	if (memory == MAP_FAILED || !seen || pread(file, memory, bytes, 0) != (ssize_t)bytes)
		stop(words[1]);

	tell(words[3], "filled");
	before = run_time();
	for (turn = 0; turn < TURNS && (left = present(memory, bytes, seen)); turn++) {
		reclaim(group, left);
		usleep(PAUSE);
	}
	out = run_time() - before;
	if (left) {
		fprintf(stderr, "swap_cost: %zu pages stay in memory\n", left);
		return 4;
	}
	tell(words[3], "out");
	before = run_time();
	for (at = 0; at < bytes; at += PAGE)
		sum += *(volatile unsigned char *)(memory + at);
	in = run_time() - before;
	tell(words[3], "read");

	for (at = 0; at < bytes; at += PAGE) {
		unsigned char page[PAGE];

		if (pread(file, page, PAGE, at) != PAGE)
			stop(words[1]);
		if (memcmp(memory + at, page, PAGE)) {
			fprintf(stderr, "swap_cost: page %zu has changed\n", at / PAGE);
			return 1;
		}
	}
	printf("%zu %llu %llu\n", bytes / PAGE, out, in);
	return sum == ~0u;
}
