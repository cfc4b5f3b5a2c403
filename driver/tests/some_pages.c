// SPDX-License-Identifier: GPL-2.0-only
/*
 * some_pages write|read DEVICE FIRST COUNT SEED [OTHER]: one direct request of COUNT pages from page FIRST on, with
 * content that depends on SEED; it compresses, unless SEED is at least NOISE. read: each page must be SEED's, or, where given, OTHER's. While the pages are
 * in flight the task can be frozen.
 * Exit status 0: well; 1: a wrong byte; 2: usage or an unexpected error; 3: the device has no room or no memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "made_pages.h"

#define MOST	256

/* Returns as pread() and pwrite() do, which could not be frozen. */
static ssize_t transfer(int file, int writing, void *buffer, size_t bytes, off_t at)
{
	struct iocb request = {
		.aio_fildes = file,
		.aio_lio_opcode = writing ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
		.aio_buf = (uintptr_t)buffer,
		.aio_nbytes = bytes,
		.aio_offset = at,
	};
	struct iocb *requests[] = { &request };
	aio_context_t context = 0;
	struct io_event event;

	if (syscall(SYS_io_setup, 1, &context) || syscall(SYS_io_submit, context, 1, requests) != 1)
		return -1;
	while (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1)
		if (errno != EINTR)
			return -1;
	if (event.res < 0)
		errno = -event.res;
	return event.res < 0 ? -1 : event.res;
}

static int usage(void)
{
	fprintf(stderr, "usage: some_pages write|read DEVICE FIRST COUNT SEED [OTHER]\n");
	return 2;
}

int main(int words, char **word)
{
	unsigned long first, count, index;
	unsigned char expected[PAGE], *buffer;
	int file, writing, seed;
	ssize_t done;

	if (words < 6 || words > 7)
		return usage();
	writing = !strcmp(word[1], "write");
	first = strtoul(word[3], NULL, 0);
	count = strtoul(word[4], NULL, 0);
	if ((!writing && strcmp(word[1], "read")) || !count || count > MOST || (writing && words == 7))
		return usage();
	buffer = aligned_alloc(PAGE, count * PAGE);
	file = open(word[2], O_RDWR | O_DIRECT);
	if (!buffer || file < 0) {
		perror(word[2]);
		return 2;
	}
	for (index = 0; writing && index < count; index++)
		make_page(buffer + index * PAGE, strtoul(word[5], NULL, 0), first + index);
	errno = 0;
	done = transfer(file, writing, buffer, count * PAGE, first * PAGE);
	if (done != (ssize_t)(count * PAGE)) {
		fprintf(stderr, "some_pages: %s gives %zd: %s\n", word[1], done, strerror(errno));
		return writing && (errno == ENOSPC || errno == ENOMEM) ? 3 : 2;
	}
	for (index = 0; !writing && index < count; index++) {
		for (seed = 5; seed < words; seed++) {
			make_page(expected, strtoul(word[seed], NULL, 0), first + index);
			if (!memcmp(expected, buffer + index * PAGE, PAGE))
				break;
		}
		if (seed == words) {
			fprintf(stderr, "some_pages: page %lu is not what was written\n", first + index);
			return 1;
		}
	}
	return 0;
}
