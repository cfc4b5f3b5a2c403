/* SPDX-License-Identifier: GPL-2.0-only */
/* Where kernels differ in what the management part needs. */
#ifndef PAGEPRESS_MANAGEMENT_COMPAT_H
#define PAGEPRESS_MANAGEMENT_COMPAT_H

#include "kernel_features.h"

/* A binary file of sysfs, as its reader and whoever says who may see it are given it. */
#ifdef PAGEPRESS_HAS_CONST_BINARY_READ
#define PAGEPRESS_BINARY_READ	const struct bin_attribute
#else
#define PAGEPRESS_BINARY_READ	struct bin_attribute
#endif
#ifdef PAGEPRESS_HAS_CONST_BINARY_VISIBLE
#define PAGEPRESS_BINARY_VISIBLE	const struct bin_attribute
#else
#define PAGEPRESS_BINARY_VISIBLE	struct bin_attribute
#endif

/* Of an image that is refused. */
#ifdef PAGEPRESS_HAS_UPLOAD_INVALID
#define PAGEPRESS_UPLOAD_INVALID	FW_UPLOAD_ERR_FW_INVALID
#else
#define PAGEPRESS_UPLOAD_INVALID	FW_UPLOAD_ERR_RW_ERROR
#endif

#endif
