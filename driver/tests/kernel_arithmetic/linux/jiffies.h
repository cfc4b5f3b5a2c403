/* SPDX-License-Identifier: GPL-2.0-only */
#include <linux/types.h>

#define HZ 250
#define time_after_eq(left, right) ((long)((left) - (right)) >= 0)
