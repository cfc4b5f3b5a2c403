/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * A page image: the pages of a disk, each distinct content once, compressed, and found by its
 * SHA-256. `pagepressctl image` makes and checks it; the driver reads it from a block device
 * (origin_dev, lookaside_dev) and never writes to it. The one place where its layout is written.
 *
 *	0		header; what is left of its PAGEPRESS_IMAGE_BLOCK bytes is zeros
 *	BLOCK		streams, each from a multiple of PAGEPRESS_IMAGE_SECTOR on, in no order
 *	index_offset	`entries` entries, by ascending hash; no hash twice
 *	behind them	the map: for each of `pages` pages the number of its entry, 32 bits
 *
 * All numbers are little-endian. The file ends at `bytes`, a multiple of BLOCK; gaps are zeros.
 *
 * root is the SHA-256 of header (up to root), index and map, so whoever knows the root of an image
 * knows every byte of every page by way of the hashes, whoever delivers them. What has no matching
 * root or hash must not be used.
 */
#ifndef PAGEPRESS_PAGE_IMAGE_H
#define PAGEPRESS_PAGE_IMAGE_H

#include <linux/types.h>

#define PAGEPRESS_IMAGE_MAGIC	"PagePres"	/* 8 bytes, without the end of the string */
#define PAGEPRESS_IMAGE_VERSION	1
#define PAGEPRESS_IMAGE_BLOCK	4096u		/* bytes */
#define PAGEPRESS_IMAGE_SECTOR	512u		/* bytes */
#define PAGEPRESS_IMAGE_HASH	32u		/* bytes of a SHA-256 */

struct pagepress_image_header {
	__u8 magic[8];
	__le32 version;
	__le32 page_bytes;	/* of a page: 4096, 16384 or 65536 */
	__le64 bytes;		/* of the image */
	__le64 index_offset;	/* bytes; a multiple of BLOCK */
	__le32 pages;		/* of the disk */
	__le32 entries;		/* distinct contents; at most one a page */
	__u8 root[PAGEPRESS_IMAGE_HASH];
};

struct pagepress_image_entry {
	__u8 hash[PAGEPRESS_IMAGE_HASH];	/* SHA-256 of the plain page */
	__le32 sector;		/* where its stream begins, in units of SECTOR; 0 without one */
	/* Bytes of an LZO1X stream; page_bytes: the page as it is; 0: a page of zeros. */
	__le32 length;
};

static_assert(sizeof(struct pagepress_image_header) == 72, "the header's layout");
static_assert(sizeof(struct pagepress_image_entry) == 40, "an entry's layout");

#endif
