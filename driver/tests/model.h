/* SPDX-License-Identifier: GPL-2.0-only */
/* What the models of the driver's parts have in common: numbers drawn from a seed, and how one says that something is wrong. */
#ifndef PAGEPRESS_TESTS_MODEL_H
#define PAGEPRESS_TESTS_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <linux/types.h>

static u64 random_state; /* the seed, to begin with */

/* One of 0 .. end - 1. */
static inline u32 below(u32 end)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (random_state >> 33) * end >> 31;
}

static inline void wrong(const char *what)
{
	printf("%s\n", what);
	exit(1);
}

#endif
