/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that people write to files of sysfs and parameters of the module: one parser for all. */
#ifndef PAGEPRESS_NUMBERS_H
#define PAGEPRESS_NUMBERS_H

#include <linux/types.h>

/* What is taken. */
struct pagepress_range {
	u64 least, most;
	bool bytes;	/* K, M, G, T, P or E may follow, of 1024 */
};

int pagepress_parse_number(const char *text, const struct pagepress_range *range, u64 *number);

#endif
