/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers that people write to files of sysfs: one parser for all. */
#ifndef PAGEPRESS_NUMBERS_H
#define PAGEPRESS_NUMBERS_H

#include <linux/types.h>

/* What a file takes. */
struct pagepress_range {
	u64 least, most;
	bool bytes;	/* K, M, G, T, P or E may follow, of 1024 */
};

int pagepress_parse_number(const char *text, const struct pagepress_range *range, u64 *number);

#endif
