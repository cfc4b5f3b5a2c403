/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels differ in asynchronous compression; as page/compat.h. */
#ifndef PAGEPRESS_ACOMP_COMPAT_H
#define PAGEPRESS_ACOMP_COMPAT_H

#include <crypto/internal/acompress.h>
#include <linux/scatterlist.h>

#include "kernel_features.h"

/* Kernels before 6.15 let the algorithm allocate what it writes to: who leaves dst NULL. */
#ifdef PAGEPRESS_HAS_ACOMP_OUTPUT
#define PAGEPRESS_ACOMP_OUTPUT	.dst_free = sgl_free,

static inline struct scatterlist *pagepress_acomp_output(size_t length)
{
	return sgl_alloc(length, GFP_ATOMIC, NULL);
}
#else
#define PAGEPRESS_ACOMP_OUTPUT

static inline struct scatterlist *pagepress_acomp_output(size_t length)
{
	return NULL;
}
#endif

#endif
