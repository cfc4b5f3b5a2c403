// SPDX-License-Identifier: GPL-2.0-only
/*
 * race_blocks DEVICE SEED ROUNDS [APART]: two writers, a discarder and two readers work on the same few pages at once, which
 * lie APART pages from each other (1 unless given). Every page read must be one that somebody wrote, whole, or zeros; and
 * once all is quiet a page written last stays.
 * Exit status 0: so it was; 1: a line on stderr says what was not; 2: usage or an I/O error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE	4096
#define WORDS	(PAGE / 8)
#define PAGES	8

enum role { WRITER, SECOND_WRITER, DISCARDER, READER, SECOND_READER, ROLES };

static uint64_t page[WORDS] __attribute__((aligned(PAGE)));
static uint64_t apart = PAGE; /* bytes from a page to the next */

/* Compressible, and no two words alike: a page of two halves cannot pass. Odd numbers stay noise. */
static uint64_t word(uint64_t number, unsigned int index)
{
	uint64_t mixed = (number + index) * 0x9e3779b97f4a7c15ull;

	return number << 32 | index << 16 | (number % 2 ? mixed >> 48 : 0);
}

static void fill(uint64_t number)
{
	unsigned int index;

	for (index = 0; index < WORDS; index++)
		page[index] = word(number, index);
}

static void check(unsigned int at)
{
	uint64_t number = page[0] >> 32;
	unsigned int index;

	for (index = 0; index < WORDS; index++) {
		if (page[index] == (number ? word(number, index) : 0))
			continue;
		fprintf(stderr, "race_blocks: page %u begins with %llu, but word %u is %#llx\n", at,
			(unsigned long long)number, index, (unsigned long long)page[index]);
		exit(1);
	}
}

static void transfer(int file, int write, unsigned int at)
{
	ssize_t done = write ? pwrite(file, page, PAGE, at * apart) : pread(file, page, PAGE, at * apart);

	if (done == PAGE)
		return;
	fprintf(stderr, "race_blocks: %s of page %u: %s\n", write ? "write" : "read", at, strerror(errno));
	exit(2);
}

static void act(enum role role, int file, unsigned int rounds)
{
	while (rounds--) {
		unsigned int at = random() % PAGES;
		uint64_t range[2] = { at * apart, PAGE };

		if (role == WRITER || role == SECOND_WRITER) {
			fill(1 + random() % 1000000);
			transfer(file, 1, at);
		} else if (role != DISCARDER) {
			transfer(file, 0, at);
			check(at);
		} else if (rounds % 8 == 0 && ioctl(file, BLKDISCARD, range)) {
			exit(2);
		}
	}
	exit(0);
}

int main(int count, char **words)
{
	int file = count == 4 || count == 5 ? open(words[1], O_RDWR | O_DIRECT) : -1;
	uint64_t all[2] = { 0, PAGES * PAGE };
	unsigned int role, at;
	int status, worst = 0;

	if (file < 0) {
		fprintf(stderr, "usage: race_blocks DEVICE SEED ROUNDS [APART]\n");
		return 2;
	}
	if (count == 5)
		apart = strtoull(words[4], NULL, 0) * PAGE;
	all[1] = PAGES * apart;
	if (ioctl(file, BLKDISCARD, all))
		return 2;
	for (role = 0; role < ROLES; role++) {
		if (fork())
			continue;
		srandom(strtoul(words[2], NULL, 0) + role);
		act(role, file, atoi(words[3]));
	}
	while (wait(&status) > 0)
		if (status)
			worst = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
	for (at = 0; at < PAGES && !worst; at++) {
		fill(7 + at);
		transfer(file, 1, at);
	}
	for (at = 0; at < PAGES && !worst; at++) {
		transfer(file, 0, at);
		check(at);
		if (page[0] >> 32 != 7 + at) {
			fprintf(stderr, "race_blocks: page %u was written last but is another\n", at);
			worst = 1;
		}
	}
	return worst;
}
