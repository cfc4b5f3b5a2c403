/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this room share: one request of the crypto API. */
#ifndef PAGEPRESS_ACOMP_REQUEST_H
#define PAGEPRESS_ACOMP_REQUEST_H

#include <linux/lzo.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "acomp/acomp.h"

struct acomp_req;

#define PAGEPRESS_ACOMP_MOST SZ_128K /* bytes of a source, as the kernel's own software (scomp) */

/*
 * What a CPU works in; a task that moves to another meanwhile goes on with it. The codecs of store/
 * do not serve: they hold a page, and whoever waits for one sleeps.
 */
struct pagepress_acomp_buffers {
	spinlock_t lock;	/* what follows */
	u8 workspace[LZO1X_1_MEM_COMPRESS] __aligned(sizeof(u64));
	u8 source[PAGEPRESS_ACOMP_MOST];
	u8 destination[lzo1x_worst_compress(PAGEPRESS_ACOMP_MOST)];
};

static inline void pagepress_acomp_count(enum pagepress_acomp_counter counter)
{
	atomic64_inc(&pagepress_acomp_counters[counter]);
}

/* software.c: in any context that the crypto API may be called in */
int pagepress_acomp_software_init(void);
void pagepress_acomp_software_exit(void);
struct pagepress_acomp_buffers *pagepress_acomp_buffers(void);
void *pagepress_acomp_destination(struct acomp_req *request, unsigned int length);
bool pagepress_acomp_fetch(struct acomp_req *request, void *data);
bool pagepress_acomp_give(struct acomp_req *request, void *data, u32 *crc);
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
