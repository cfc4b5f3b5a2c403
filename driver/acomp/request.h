/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share: one request of the crypto API. */
#ifndef PAGEPRESS_ACOMP_REQUEST_H
#define PAGEPRESS_ACOMP_REQUEST_H

#include <linux/types.h>

#include "acomp/acomp.h"

struct acomp_req;

static inline void pagepress_acomp_count(enum pagepress_acomp_counter counter)
{
	atomic64_inc(&pagepress_acomp_counters[counter]);
}

/* software.c: in any context that the crypto API may be called in */
int pagepress_acomp_software_init(void);
void pagepress_acomp_software_exit(void);
bool pagepress_acomp_fetch(struct acomp_req *request, void *data);
int pagepress_acomp_deliver(struct acomp_req *request, const void *data, unsigned int length);
int pagepress_acomp_software(struct acomp_req *request, bool compress);

/* offload.c */
bool pagepress_acomp_offload(struct acomp_req *request, bool compress);

/* witness.c */
int pagepress_witness_init(void);
void pagepress_witness_exit(void);
void pagepress_witness_remember(u32 stream_crc, unsigned int length, u32 page_crc);
bool pagepress_witness_recall(u32 stream_crc, unsigned int length, u32 *page_crc);

#endif
