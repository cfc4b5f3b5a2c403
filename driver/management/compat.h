/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels differ in what the management part needs. */
#ifndef PAGEPRESS_MANAGEMENT_COMPAT_H
#define PAGEPRESS_MANAGEMENT_COMPAT_H

#include "kernel_features.h"

/* Of an image that is refused. */
#ifdef PAGEPRESS_HAS_UPLOAD_INVALID
#define PAGEPRESS_UPLOAD_INVALID	FW_UPLOAD_ERR_FW_INVALID
#else
#define PAGEPRESS_UPLOAD_INVALID	FW_UPLOAD_ERR_RW_ERROR
#endif

#endif
