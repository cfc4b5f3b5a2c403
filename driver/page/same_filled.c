// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pages that repeat one 8-byte value: they take no memory but their slot. Eight bytes, because the
 * card finds the same.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "page/same_filled.h"

#define WORDS (PAGE_SIZE / sizeof(u64))

/* The last word first: most pages that begin with a run of zeros end otherwise. */
bool pagepress_same_filled(const void *page, u64 *fill)
{
	const u64 *words = page;
	unsigned int index;

	if (words[0] != words[WORDS - 1])
		return false;
	for (index = 1; index < WORDS - 1; index++)
		if (words[index] != words[0])
			return false;
	*fill = words[0];
	return true;
}

void pagepress_fill_page(void *page, u64 fill)
{
	u64 *words = page;
	unsigned int index;

	if (!fill) {
		clear_page(page);
		return;
	}
	for (index = 0; index < WORDS; index++)
		words[index] = fill;
}
