/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's crypto API as a client of cards: its algorithm `lzo`, asynchronous compression. */
#ifndef PAGEPRESS_ACOMP_H
#define PAGEPRESS_ACOMP_H

#include <linux/atomic.h>
#include <linux/printk.h>
#include <linux/types.h>

/* Name in the source, name in sysfs; docs/sysfs-block-pagepress tells their meaning. */
#define PAGEPRESS_ACOMP_COUNTERS(X) \
	X(CARD_PAGES_OUT, acomp_card_pages_out) \
	X(CARD_PAGES_IN, acomp_card_pages_in) \
	X(SOFTWARE_OUT, acomp_software_out) \
	X(SOFTWARE_IN, acomp_software_in) \
	X(REDONE, acomp_redone) \
	X(ERRORS, acomp_card_errors) \
	X(MISMATCHES, acomp_card_mismatches) \
	X(VERIFIED, acomp_verified_streams) \
	X(PROVEN_BY_CARD, acomp_streams_proven_by_card)

enum pagepress_acomp_counter {
#define X(name, file) PAGEPRESS_ACOMP_##name,
	PAGEPRESS_ACOMP_COUNTERS(X)
#undef X
	PAGEPRESS_ACOMP_COUNTER_COUNT
};

/* counters.c */
extern bool pagepress_acomp_wanted;	/* module parameter */
extern atomic64_t pagepress_acomp_counters[PAGEPRESS_ACOMP_COUNTER_COUNT];

/* provider.c */
#if IS_ENABLED(CONFIG_CRYPTO_ACOMP2)
int pagepress_acomp_init(void);
void pagepress_acomp_exit(void);
#else
static inline int pagepress_acomp_init(void)
{
	if (pagepress_acomp_wanted)
		pr_info("acomp=1: this kernel has no asynchronous compression\n");
	return 0;
}

static inline void pagepress_acomp_exit(void)
{
}
#endif

#endif
