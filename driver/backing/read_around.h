/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether an access of a disk with an arm should bring what lies around a page as well. Decides and
 * moves nothing; knows neither disk nor buffer.
 *
 * Such an access takes long however little it brings, and what lies around was swapped out
 * together. Bringing it costs the time of its bytes, and saves an access each time that somebody
 * wants of it afterwards. Both are seen: so long as it does not pay, hardly any access does it.
 */
#ifndef PAGEPRESS_READ_AROUND_H
#define PAGEPRESS_READ_AROUND_H

#include <linux/types.h>

struct pagepress_read_around {
	u64 alone_ns;		/* what accesses take that bring pages alone; 0: none yet */
	u64 around_ns;		/* and those that bring what lies around */
	u32 brought;		/* of the latter, lately */
	u32 saved;		/* accesses that they made unnecessary */
	u32 refused;		/* since it was last tried */
};

bool pagepress_read_around_decide(struct pagepress_read_around *state, u32 live, u32 all);
void pagepress_read_around_measured(struct pagepress_read_around *state, bool around, u64 ns);
void pagepress_read_around_saved(struct pagepress_read_around *state);

#endif
