// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request by this CPU: every length that is no page, every moment without a card, and what a card
 * has not done. Nothing here sleeps or allocates, so it may be done wherever the crypto API is
 * called (with interrupts on), and for reclaim. Only who leaves the output to us (older kernels)
 * may be refused memory.
 */
#include <linux/highmem.h>
#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/vmalloc.h>

#include "acomp/compat.h"
#include "acomp/request.h"
#include "store/codec.h"

static DEFINE_PER_CPU(struct pagepress_acomp_buffers *, of_cpu);

int pagepress_acomp_software_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pagepress_acomp_buffers *buffers =
			vmalloc_node(sizeof(*buffers), cpu_to_node(cpu));

		if (!buffers) {
			pagepress_acomp_software_exit();
			return -ENOMEM;
		}
		spin_lock_init(&buffers->lock);
		per_cpu(of_cpu, cpu) = buffers;
	}
	return 0;
}

void pagepress_acomp_software_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu(of_cpu, cpu));
		per_cpu(of_cpu, cpu) = NULL;
	}
}

/* Their lock is to be taken with soft interrupts off. */
struct pagepress_acomp_buffers *pagepress_acomp_buffers(void)
{
	return raw_cpu_read(of_cpu);
}

/* The first length bytes of a list, if they lie in one piece and this CPU has them mapped. */
static void *in_one_piece(struct scatterlist *list, unsigned int length)
{
	return list->length >= length && !PageHighMem(sg_page(list)) ? sg_virt(list) : NULL;
}

/*
 * Room for length bytes in the destination, where an answer may lie before it is beyond doubt: in
 * one piece, and apart from the source, from which the request must be able to start again. Else
 * NULL.
 */
void *pagepress_acomp_destination(struct acomp_req *request, unsigned int length)
{
	u8 *from = in_one_piece(request->src, request->slen);
	u8 *to = in_one_piece(request->dst, length);

	if (!from || !to || (from < to + length && to < from + request->slen))
		return NULL;
	return to;
}

/* The whole source; false when its list is shorter than it says. */
bool pagepress_acomp_fetch(struct acomp_req *request, void *data)
{
	const void *piece = in_one_piece(request->src, request->slen);

	/* Of a length that the compiler knows, a page is copied in a third of the instructions. */
	if (piece && request->slen == PAGE_SIZE)
		memcpy(data, piece, PAGE_SIZE);
	else if (piece)
		memcpy(data, piece, request->slen);
	if (piece)
		return true;
	return sg_copy_to_buffer(request->src, sg_nents(request->src), data, request->slen) ==
	       request->slen;
}

/*
 * The source for a card: copied to where the card can write, so its checksum is of what lies out of
 * reach. False as above.
 */
bool pagepress_acomp_give(struct acomp_req *request, void *data, u32 *crc)
{
	const void *piece = in_one_piece(request->src, request->slen);
	struct pagepress_acomp_buffers *buffers;
	bool whole;

	if (piece) {
		*crc = pagepress_checksum_bytes(piece, request->slen);
		return pagepress_acomp_fetch(request, data);
	}
	buffers = pagepress_acomp_buffers();
	spin_lock_bh(&buffers->lock);
	whole = pagepress_acomp_fetch(request, buffers->source);
	if (whole) {
		*crc = pagepress_checksum_bytes(buffers->source, request->slen);
		memcpy(data, buffers->source, request->slen);
	}
	spin_unlock_bh(&buffers->lock);
	return whole;
}

/* As sg_copy_from_buffer() does: programs may have these pages mapped at other addresses. */
static void flush(struct scatterlist *list, unsigned int length)
{
	unsigned long pfn = page_to_pfn(sg_page(list)), end = list->offset + length, at;

	for (at = list->offset & PAGE_MASK; at < end; at += PAGE_SIZE)
		flush_dcache_page(pfn_to_page(pfn + (at >> PAGE_SHIFT)));
}

/* Ends the request with data, if there is room for it; data may lie there already. */
int pagepress_acomp_deliver(struct acomp_req *request, const void *data, unsigned int length)
{
	if (!request->dst) {
		request->dst = pagepress_acomp_output(length);
		if (!request->dst)
			return -ENOMEM;
	} else if (length > request->dlen) {
		return -ENOSPC;
	}
	if (data == in_one_piece(request->dst, length))
		flush(request->dst, length);
	else if (sg_copy_from_buffer(request->dst, sg_nents(request->dst), data, length) != length)
		return -ENOSPC;
	request->dlen = length;
	return 0;
}

static int compress_with(struct pagepress_acomp_buffers *buffers, struct acomp_req *request)
{
	size_t length = sizeof(buffers->destination);

	if (lzo1x_1_compress(buffers->source, request->slen, buffers->destination, &length,
			     buffers->workspace) != LZO_E_OK)
		return -EINVAL;
	/* A card may be asked for this page later. */
	if (request->slen == PAGE_SIZE && length <= PAGE_SIZE)
		pagepress_witness_remember(pagepress_checksum_bytes(buffers->destination, length),
					   length, pagepress_checksum(buffers->source));
	pagepress_acomp_count(PAGEPRESS_ACOMP_SOFTWARE_OUT);
	return pagepress_acomp_deliver(request, buffers->destination, length);
}

static int decompress_with(struct pagepress_acomp_buffers *buffers, struct acomp_req *request)
{
	size_t length = PAGEPRESS_ACOMP_MOST;

	if (request->dst)
		length = min_t(size_t, length, request->dlen);
	if (lzo1x_decompress_safe(buffers->source, request->slen, buffers->destination, &length) !=
	    LZO_E_OK)
		return -EINVAL;
	pagepress_acomp_count(PAGEPRESS_ACOMP_SOFTWARE_IN);
	return pagepress_acomp_deliver(request, buffers->destination, length);
}

int pagepress_acomp_software(struct acomp_req *request, bool compress)
{
	struct pagepress_acomp_buffers *buffers = pagepress_acomp_buffers();
	int error = -EINVAL;

	if (request->slen > PAGEPRESS_ACOMP_MOST)
		return -EINVAL;
	spin_lock_bh(&buffers->lock);
	if (pagepress_acomp_fetch(request, buffers->source))
		error = compress ? compress_with(buffers, request)
				 : decompress_with(buffers, request);
	spin_unlock_bh(&buffers->lock);
	return error;
}
