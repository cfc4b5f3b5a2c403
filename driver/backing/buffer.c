// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory set aside for a segment, to the device or from it in one bio: no write of many pages asks
 * for any.
 */
#include <linux/bio.h>
#include <linux/vmalloc.h>

#include "backing/backing.h"

/* -ENOMEM without memory. */
int pagepress_buffer_create(struct pagepress_buffer *buffer)
{
	buffer->data = vmalloc(PAGEPRESS_SEGMENT_BYTES);
	return buffer->data ? 0 : -ENOMEM;
}

void pagepress_buffer_destroy(struct pagepress_buffer *buffer)
{
	vfree(buffer->data);
	buffer->data = NULL;
}

static int transfer(struct pagepress_backing *backing, struct pagepress_buffer *buffer,
		    blk_opf_t operation, u64 address, u32 bytes)
{
	u32 at;

	bio_init(&buffer->bio, backing->bdev, buffer->vectors, ARRAY_SIZE(buffer->vectors),
		 operation);
	buffer->bio.bi_iter.bi_sector = address >> SECTOR_SHIFT;
	for (at = 0; at < bytes; at += PAGE_SIZE)
		__bio_add_page(&buffer->bio, vmalloc_to_page(buffer->data + at),
			       min_t(u32, bytes - at, PAGE_SIZE), 0);
	return submit_bio_wait(&buffer->bio);
}

/* What is used of the buffer, and zeros up to the extent's end. */
int pagepress_buffer_write(struct pagepress_backing *backing, struct pagepress_buffer *buffer,
			   const struct pagepress_extent *extent, u32 used)
{
	memset(buffer->data + used, 0, extent->bytes - used);
	flush_kernel_vmap_range(buffer->data, extent->bytes);
	return transfer(backing, buffer, PAGEPRESS_WRITE_OUT, extent->address, extent->bytes);
}

/* A whole segment, from address on. */
int pagepress_buffer_read(struct pagepress_backing *backing, struct pagepress_buffer *buffer,
			  u64 address)
{
	int error = transfer(backing, buffer, REQ_OP_READ, address, PAGEPRESS_SEGMENT_BYTES);

	invalidate_kernel_vmap_range(buffer->data, PAGEPRESS_SEGMENT_BYTES);
	return error;
}
