/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that a seed and their number decide, for programs that write them and want them back. */
#ifndef PAGEPRESS_TESTS_MADE_PAGES_H
#define PAGEPRESS_TESTS_MADE_PAGES_H

#include <string.h>

#ifndef PAGE /* of the machine that runs it */
#define PAGE	4096
#endif
#define RUN	5
#define NOISE	(1ul << 32) /* beyond the seed of any run */

static inline unsigned long drawn(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 32;
}

/* Text-like: sixteen letters in runs; or noise. Both with a number every 64 bytes. An emulated guest makes many of them. */
static inline void make_page(unsigned char *page, unsigned long seed, unsigned long number)
{
	unsigned long state = (seed * 1000003 + number) * 0x9e3779b97f4a7c15ul | 1, run;
	unsigned int at;

	if (seed >= NOISE)
		for (at = 0; at < PAGE; at++)
			page[at] = drawn(&state);
	else
		for (at = 0; at < PAGE; at += RUN) {
			/* Eight at once, of which the next run takes what is more. */
			run = ('a' + drawn(&state) % 16) * 0x0101010101010101ul;
			memcpy(page + at, &run, PAGE - at < sizeof(run) ? PAGE - at : sizeof(run));
		}
	for (at = 0; at < PAGE; at += 64)
		memcpy(page + at, &number, sizeof(number));
}

#endif
