// SPDX-License-Identifier: Apache-2.0
// The hungry program's command line, and how it gives up.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdint.h>

struct options {
	const char *image; // a disk or a file, of at least one block
	const char *report; // file that receives progress and result, a line each; may be NULL
	const char *at_full; // command run when memory is filled and nothing is read back yet; may be NULL
	const char *at_end; // command run while the memory is still held; may be NULL
	uint64_t out; // pages that must have been swapped out when filling ends, by /proc/vmstat; 0: fill with the whole image
	uint64_t pace; // most pages under writeback before filling goes on; 0: no limit
	uint64_t seed; // of the reading order
};

// Parses words after the program's name, up to a NULL. Ends the program when they are malformed.
struct options options_parse(char **words);

// Prints one line and ends the program with status 2.
__attribute__((format(printf, 1, 2), noreturn)) void die(const char *format, ...);

#endif
