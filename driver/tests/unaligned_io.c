// SPDX-License-Identifier: GPL-2.0-only
/*
 * unaligned_io DEVICE: direct reads and writes that are no whole pages must fail with EINVAL.
 * Exit status 0: all did; 1: a line on stderr says which did not; 2: usage, or no device.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE 4096

static const struct {
	size_t length;
	off_t offset;
} cases[] = { { 512, 0 }, { PAGE, 512 }, { PAGE + 512, 0 }, { PAGE / 2, PAGE / 2 } };

int main(int count, char **words)
{
	unsigned char *buffer = aligned_alloc(PAGE, 2 * PAGE);
	int file = count == 2 ? open(words[1], O_RDWR | O_DIRECT) : -1;
	int worst = 0;

	if (file < 0 || !buffer) {
		fprintf(stderr, "usage: unaligned_io DEVICE\n");
		return 2;
	}
	for (unsigned int index = 0; index < 2 * sizeof(cases) / sizeof(*cases); index++) {
		size_t length = cases[index / 2].length;
		off_t offset = cases[index / 2].offset;
		ssize_t done = index % 2 ? pwrite(file, buffer, length, offset) :
					   pread(file, buffer, length, offset);

		if (done >= 0 || errno != EINVAL) {
			fprintf(stderr, "unaligned_io: %s of %zu bytes at %lld: result %zd, errno %d\n",
				index % 2 ? "write" : "read", length, (long long)offset, done, errno);
			worst = 1;
		}
	}
	return worst;
}
