// SPDX-License-Identifier: GPL-2.0-only
/* What is counted of the crypto API's requests, there whether or not the kernel has it. */
#include "acomp/acomp.h"

bool pagepress_acomp_wanted;
atomic64_t pagepress_acomp_counters[PAGEPRESS_ACOMP_COUNTER_COUNT];
