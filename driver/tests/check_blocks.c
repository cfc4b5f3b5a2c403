// SPDX-License-Identifier: GPL-2.0-only
/*
 * check_blocks DEVICE SEED PROCESSES ROUNDS [tolerant]: writes, overwrites, discards, zeroes and reads pages of a block device in
 * random order from several processes at once, each in a range of its own, and compares every byte read with what was
 * written last. Direct I/O of 1 to 32 pages, at times from buffers that are aligned to sectors only.
 * tolerant: a write may fail for want of room or memory; each of its pages must then be the old or the new one.
 * Exit status 0: every byte right; 1: a line on stderr says which was wrong; 2: usage or an I/O error.
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

#ifndef PAGE /* of the machine that runs it */
#define PAGE	4096
#endif
#define PAGES	1024	/* in each process's range */
#define MOST	32	/* pages in one request */

static uint64_t state;
static int tolerant;

static uint32_t draw(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 32) % below;
}

/* The page that number, a non-zero draw, stands for; 0 stands for zeros. Eight kinds from zeros to noise. */
static void make_page(unsigned char *page, uint64_t number)
{
	uint64_t noise = number * 0x9e3779b97f4a7c15ull | 1, *words = (uint64_t *)page;
	unsigned int kind = number % 8, at;

	memset(page, 0, PAGE);
	if (!number || kind == 0)
		return;
	for (at = 0; at < PAGE / 8; at++) {
		noise ^= noise << 13;
		noise ^= noise >> 7;
		noise ^= noise << 17;
		if (kind == 1)
			words[at] = number;
		else if (kind == 2)
			words[at] = noise;
		else if (kind == 3)
			words[at] = at < PAGE / 16 ? noise : number;
		else if (kind == 4)
			words[at] = at == PAGE / 8 - 1 ? number : 0;
		else
			words[at] = (noise & 0x0f0f0f0full << (kind & 1) * 32) | (uint64_t)(at % 64) << 56 | number % 251;
	}
}

static void stop(const char *what, uint64_t page)
{
	fprintf(stderr, "check_blocks: %s at page %llu: %s\n", what, (unsigned long long)page, strerror(errno));
	exit(2);
}

static void compare(const unsigned char *got, const uint64_t *numbers, uint64_t page, unsigned int count)
{
	unsigned char expected[PAGE];
	unsigned int index, at;

	for (index = 0; index < count; index++) {
		make_page(expected, numbers[index]);
		if (!memcmp(got + index * PAGE, expected, PAGE))
			continue;
		for (at = 0; at < PAGE; at++) {
			if (got[index * PAGE + at] == expected[at])
				continue;
			fprintf(stderr, "check_blocks: page %llu byte %u is %#x, not %#x (kind %u)\n",
				(unsigned long long)page + index, at, got[index * PAGE + at], expected[at],
				(unsigned int)(numbers[index] % 8));
			exit(1);
		}
	}
}

static int holds(const unsigned char *page, uint64_t number)
{
	unsigned char expected[PAGE];

	make_page(expected, number);
	return !memcmp(page, expected, PAGE);
}

/* A write that failed has put down some of its pages and not others: numbers become what is there. */
static void settle(int file, unsigned char *buffer, uint64_t *numbers, const uint64_t *wanted, uint64_t page,
		   unsigned int count)
{
	unsigned int index;

	if (pread(file, buffer, count * PAGE, page * PAGE) != (ssize_t)(count * PAGE))
		stop("read after a failed write", page);
	for (index = 0; index < count; index++) {
		if (holds(buffer + index * PAGE, wanted[index])) {
			numbers[index] = wanted[index];
		} else if (!holds(buffer + index * PAGE, numbers[index])) {
			fprintf(stderr, "check_blocks: page %llu is neither the old nor the new one after a failed write\n",
				(unsigned long long)page + index);
			exit(1);
		}
	}
}

static void work(const char *device, unsigned int rounds, uint64_t first)
{
	static uint64_t numbers[PAGES];
	unsigned char *room = aligned_alloc(PAGE, (MOST + 1) * PAGE);
	int file = open(device, O_RDWR | O_DIRECT);
	uint64_t all[2] = { first * PAGE, PAGES * PAGE };
	unsigned int index, at, count, action;

	if (file < 0 || !room)
		stop("open", first);
	if (ioctl(file, BLKDISCARD, all))
		stop("first discard", first);
	for (; rounds; rounds--) {
		unsigned char *buffer = room + (draw(4) ? 0 : 512);
		uint64_t range[2];

		at = draw(PAGES);
		count = 1 + draw(draw(2) ? 1 : MOST);
		if (count > PAGES - at)
			count = PAGES - at;
		range[0] = (first + at) * PAGE;
		range[1] = (uint64_t)count * PAGE;
		action = draw(20);
		if (action < 9) {
			uint64_t wanted[MOST];

			for (index = 0; index < count; index++) {
				wanted[index] = 1 + draw(1u << 30);
				make_page(buffer + index * PAGE, wanted[index]);
			}
			if (pwrite(file, buffer, range[1], range[0]) == (ssize_t)range[1])
				memcpy(numbers + at, wanted, count * sizeof(*wanted));
			else if (tolerant && (errno == ENOSPC || errno == ENOMEM))
				settle(file, buffer, numbers + at, wanted, first + at, count);
			else
				stop("write", first + at);
		} else if (action < 11) {
			if (ioctl(file, draw(2) ? BLKDISCARD : BLKZEROOUT, range))
				stop("discard", first + at);
			memset(numbers + at, 0, count * sizeof(*numbers));
		} else {
			if (pread(file, buffer, range[1], range[0]) != (ssize_t)range[1])
				stop("read", first + at);
			compare(buffer, numbers + at, first + at, count);
		}
	}
	for (at = 0; at < PAGES; at += MOST) {
		if (pread(file, room, MOST * PAGE, (first + at) * PAGE) != MOST * PAGE)
			stop("last read", first + at);
		compare(room, numbers + at, first + at, MOST);
	}
}

int main(int count, char **words)
{
	unsigned int process, processes, worst = 0;

	tolerant = count == 6 && !strcmp(words[5], "tolerant");
	if (count != 5 + tolerant) {
		fprintf(stderr, "usage: check_blocks DEVICE SEED PROCESSES ROUNDS [tolerant]\n");
		return 2;
	}
	processes = atoi(words[3]);
	for (process = 0; process < processes; process++) {
		if (fork())
			continue;
		state = strtoull(words[2], NULL, 0) * 1000003 + process * 7919 + 1;
		for (count = 0; count < 20; count++)
			draw(2);
		work(words[1], atoi(words[4]), (uint64_t)process * PAGES);
		exit(0);
	}
	for (process = 0; process < processes; process++) {
		int status;

		wait(&status);
		if (!WIFEXITED(status) || WEXITSTATUS(status) > worst)
			worst = WIFEXITED(status) ? WEXITSTATUS(status) : 2;
	}
	return worst;
}
