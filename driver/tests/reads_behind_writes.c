// SPDX-License-Identifier: GPL-2.0-only
/*
 * reads_behind_writes DEVICE WRITES READS SEED: submits READS requests of a page each, of the device's first pages, right behind WRITES
 * requests of 256 pages each, which go to where the pages read do not lie, and waits for all. The pages read must be SEED's, as some_pages
 * wrote them.
 * Exit status 0: well; 1: a wrong byte; 2: usage or an unexpected error.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "made_pages.h"

#define WRITTEN	256	/* pages of a write */
#define MOST	64	/* reads, and writes */

static int trouble(const char *what)
{
	perror(what);
	return 2;
}

int main(int words, char **word)
{
	unsigned long writes = words == 5 ? strtoul(word[2], NULL, 0) : 0, reads = writes ? strtoul(word[3], NULL, 0) : 0;
	unsigned long index, ended, seed = reads ? strtoul(word[4], NULL, 0) : 0;
	unsigned char *written = aligned_alloc(PAGE, WRITTEN * PAGE), *read = aligned_alloc(PAGE, MOST * PAGE);
	unsigned char expected[PAGE];
	aio_context_t context = 0;
	struct io_event event;
	int file;

	if (!reads || writes > MOST || reads > MOST) {
		fprintf(stderr, "usage: reads_behind_writes DEVICE WRITES READS SEED\n");
		return 2;
	}
	file = open(word[1], O_RDWR | O_DIRECT);
	if (file < 0 || !written || !read || syscall(SYS_io_setup, 2 * MOST, &context))
		return trouble(word[1]);
	for (index = 0; index < WRITTEN; index++)
		make_page(written + index * PAGE, seed, index);
	for (index = 0; index < writes + reads; index++) {
		int writing = index < writes;
		struct iocb request = {
			.aio_fildes = file,
			.aio_lio_opcode = writing ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
			.aio_buf = (uintptr_t)(writing ? written : read + (index - writes) * PAGE),
			.aio_nbytes = writing ? WRITTEN * PAGE : PAGE,
			.aio_offset = writing ? (index + 1) * WRITTEN * PAGE : (index - writes) * PAGE,
		};
		struct iocb *requests[] = { &request };

		if (syscall(SYS_io_submit, context, 1, requests) != 1)
			return trouble("io_submit");
	}
	for (ended = 0; ended < writes + reads; ended++)
		if (syscall(SYS_io_getevents, context, 1, 1, &event, NULL) != 1 || event.res < 0)
			return trouble("io_getevents");
	for (index = 0; index < reads; index++) {
		make_page(expected, seed, index);
		if (memcmp(expected, read + index * PAGE, PAGE)) {
			fprintf(stderr, "reads_behind_writes: page %lu is not what was written\n", index);
			return 1;
		}
	}
	return 0;
}
