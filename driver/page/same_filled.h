/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that repeat one 8-byte value. */
#ifndef PAGEPRESS_SAME_FILLED_H
#define PAGEPRESS_SAME_FILLED_H

#include <linux/types.h>

bool pagepress_same_filled(const void *page, u64 *fill);
void pagepress_fill_page(void *page, u64 fill);

#endif
