// SPDX-License-Identifier: Apache-2.0
// The kernel's own count of swapped pages, from /proc/vmstat.
#ifndef MEMORY_STATISTICS_H
#define MEMORY_STATISTICS_H

#include <stdint.h>

// All in pages. The first two only grow.
struct memory_statistics {
	uint64_t swapped_in;
	uint64_t swapped_out;
	uint64_t under_writeback; // handed to a disk and not done yet
};

// Opens the file once; must come first. Both end the program when the kernel has no such figures.
void memory_statistics_open(void);
struct memory_statistics memory_statistics_read(void);

#endif
