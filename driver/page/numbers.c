// SPDX-License-Identifier: GPL-2.0-only
/* Numbers that people write: decimal, nothing before them, and at most a newline after. */
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "page/numbers.h"

/*
 * -EINVAL: no number; -ERANGE: too large for 64 bits, or not what the file takes. Then *number is
 * as it was.
 */
int pagepress_parse_number(const char *text, const struct pagepress_range *range, u64 *number)
{
	static const char units[] = "KMGTPE";
	u64 value = 0;
	const char *unit;
	bool fits = true;

	if (!isdigit(*text))
		return -EINVAL;
	for (; isdigit(*text); text++)
		fits = fits && !check_mul_overflow(value, 10ull, &value) &&
		       !check_add_overflow(value, (u64)(*text - '0'), &value);
	unit = range->bytes && *text ? strchr(units, toupper(*text)) : NULL;
	if (unit) {
		fits = fits && !check_mul_overflow(value, 1024ull << (unit - units) * 10, &value);
		text++;
	}
	if (!sysfs_streq(text, ""))
		return -EINVAL;
	if (!fits || value < range->least || value > range->most)
		return -ERANGE;
	*number = value;
	return 0;
}
