// SPDX-License-Identifier: Apache-2.0
// What the driver shows of one disk in sysfs, in the order in which it is printed.
// driver/docs/sysfs-block-pagepress explains each file.
#ifndef PAGEPRESSCTL_ATTRIBUTES_H
#define PAGEPRESSCTL_ATTRIBUTES_H

#include <stddef.h>

enum attribute_kind { ATTRIBUTE_NUMBER, ATTRIBUTE_WORD };

// file: below the group's folder; value: filled in by status_read.
struct attribute {
	const char *file;
	enum attribute_kind kind;
	unsigned long long number;
	char word[32];
};

// One folder of sysfs. name: its key in JSON; title: its heading as text.
struct attribute_group {
	const char *name;
	const char *title;
	const char *folder; // below the disk's; "" is the disk's own
	struct attribute *attributes;
	size_t count;
};

extern struct attribute_group attribute_groups[];
extern const size_t attribute_group_count;

#endif
