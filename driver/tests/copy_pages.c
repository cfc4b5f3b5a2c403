// SPDX-License-Identifier: GPL-2.0-only
/*
 * copy_pages write|check DEVICE FILE COUNT [AT FIRST]...: for each AT and FIRST, COUNT pages of FILE from page FIRST on, which goes on with
 * its beginning where it ends, are written to the pages of DEVICE from AT on in one direct request, or must be there.
 * Exit status 0: well; 1: a page that is another; 2: usage or an unexpected error; 3: the device has no room or no memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE	4096

static int trouble(const char *what)
{
	perror(what);
	return 2;
}

int main(int words, char **word)
{
	unsigned long count, first, index, pages;
	unsigned char *held, *buffer;
	int device, file, writing;
	struct stat status;
	ssize_t done;
	off_t at;

	writing = words > 1 && !strcmp(word[1], "write");
	count = words > 4 ? strtoul(word[4], NULL, 0) : 0;
	if (!count || words % 2 == 0 || (!writing && strcmp(word[1], "check"))) {
		fprintf(stderr, "usage: copy_pages write|check DEVICE FILE COUNT [AT FIRST]...\n");
		return 2;
	}
	device = open(word[2], O_RDWR | O_DIRECT);
	if (device < 0)
		return trouble(word[2]);
	file = open(word[3], O_RDONLY);
	if (file < 0 || fstat(file, &status) || status.st_size < PAGE)
		return trouble(word[3]);
	pages = status.st_size / PAGE;
	held = mmap(NULL, status.st_size, PROT_READ, MAP_SHARED, file, 0);
	buffer = aligned_alloc(PAGE, count * PAGE);
	if (held == MAP_FAILED || !buffer)
		return trouble(word[3]);
	for (word += 5; *word; word += 2) {
		at = strtoul(word[0], NULL, 0);
		first = strtoul(word[1], NULL, 0);
		for (index = 0; writing && index < count; index++)
			memcpy(buffer + index * PAGE, held + (first + index) % pages * PAGE, PAGE);
		errno = 0;
		done = writing ? pwrite(device, buffer, count * PAGE, at * PAGE) : pread(device, buffer, count * PAGE, at * PAGE);
		if (done != (ssize_t)(count * PAGE)) {
			fprintf(stderr, "copy_pages: page %s gives %zd: %s\n", word[0], done, strerror(errno));
			return writing && (done > 0 || errno == ENOSPC || errno == ENOMEM) ? 3 : 2;
		}
		for (index = 0; !writing && index < count; index++) {
			if (memcmp(buffer + index * PAGE, held + (first + index) % pages * PAGE, PAGE)) {
				fprintf(stderr, "copy_pages: page %lu is not what was written\n", at + index);
				return 1;
			}
		}
	}
	return 0;
}
