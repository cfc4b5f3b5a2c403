/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All mutants of a program stand in it at once; mutant_is says whether a number runs. 0 is the sound program, which says which ones
 * are reached: `mutant 7 reached`.
 *
 * Processes take the number from PAGEPRESS_MUTANT and say it in the file that PAGEPRESS_REACHED names; the kernel module has a parameter
 * `mutant` and says it in the log (mutant_module.c). With -DMUTANT=N the compiler knows the number: what then compiles to the sound
 * program's code is harmless.
 */
#ifndef MUTANT_H
#define MUTANT_H

/* Boundaries moved by one. */
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#ifdef MUTANT
#define mutant_is(number) ((number) == MUTANT)
#else

#ifdef __KERNEL__
extern unsigned int pagepress_mutant;
extern unsigned char pagepress_mutants_reached[1 << 16];
void pagepress_mutant_reached(unsigned int number);
#else

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Every source has these; weak, so that a program has them once, whichever of its sources are in it. */
#define MUTANT_SHARED __attribute__((weak))
#ifdef __cplusplus
extern "C" {
#endif
MUTANT_SHARED unsigned int pagepress_mutant;
MUTANT_SHARED unsigned char pagepress_mutants_reached[1 << 16];
MUTANT_SHARED int pagepress_reached_file;

MUTANT_SHARED __attribute__((constructor)) void pagepress_choose_mutant(void)
{
	const char *number = getenv("PAGEPRESS_MUTANT"), *path = getenv("PAGEPRESS_REACHED");

	pagepress_mutant = number ? (unsigned int)atoi(number) : 0;
	if (path && !pagepress_reached_file)
		pagepress_reached_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

MUTANT_SHARED void pagepress_mutant_reached(unsigned int number)
{
	pagepress_mutants_reached[number] = 1;
	if (pagepress_reached_file > 0)
		dprintf(pagepress_reached_file, "mutant %u reached\n", number);
}
#ifdef __cplusplus
}
#endif
#endif

static inline int mutant_is(unsigned int number)
{
	if (!pagepress_mutants_reached[number])
		pagepress_mutant_reached(number);
	return number == pagepress_mutant;
}

#endif
#endif
