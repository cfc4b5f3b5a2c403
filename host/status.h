// SPDX-License-Identifier: Apache-2.0
// Reading a disk's attributes from sysfs and printing them.
#ifndef PAGEPRESSCTL_STATUS_H
#define PAGEPRESSCTL_STATUS_H

enum exit_code {
	EXIT_FINE = 0,
	EXIT_ABSENT = 1, // no such disk, or a file is missing or cannot be read
	EXIT_USAGE = 2,
	EXIT_MALFORMED = 3, // a file does not hold what it should
	EXIT_OUTPUT = 4, // standard output cannot be written
};

// Fills in every attribute of `device` below `sysfs` (normally "/sys"). On failure prints one
// line to standard error.
enum exit_code status_read(const char *sysfs, const char *device);

// Print what status_read found: for people, or as one line of JSON, an object of objects.
void status_print_text(const char *device);
void status_print_json(const char *device);

#endif
