// SPDX-License-Identifier: GPL-2.0-only
/*
 * A request by this CPU: every length that is no page, every moment without a card, and what a card
 * has not done. Nothing here sleeps or allocates, so it may be done wherever the crypto API is
 * called, and for reclaim. Only who leaves the output to us (older kernels) may be refused memory.
 */
#include <linux/percpu.h>
#include <linux/sizes.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/lzo.h>
#include <linux/vmalloc.h>

#include "acomp/compat.h"
#include "acomp/request.h"
#include "store/codec.h"

#define MOST SZ_128K /* bytes of a source, as the kernel's own software (scomp) */

struct buffers {
	u8 workspace[LZO1X_1_MEM_COMPRESS] __aligned(sizeof(u64));
	u8 source[MOST];
	u8 destination[lzo1x_worst_compress(MOST)];
};

/*
 * Of a CPU; a task that moves to another meanwhile goes on with it. The codecs of store/ do not
 * serve: they hold a page, and whoever waits for one sleeps.
 */
struct scratch {
	spinlock_t lock;	/* the buffers */
	struct buffers *buffers;
};

static DEFINE_PER_CPU(struct scratch, scratches);

int pagepress_acomp_software_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct scratch *scratch = per_cpu_ptr(&scratches, cpu);

		spin_lock_init(&scratch->lock);
		scratch->buffers = vmalloc_node(sizeof(*scratch->buffers), cpu_to_node(cpu));
		if (!scratch->buffers) {
			pagepress_acomp_software_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void pagepress_acomp_software_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct scratch *scratch = per_cpu_ptr(&scratches, cpu);

		vfree(scratch->buffers);
		scratch->buffers = NULL;
	}
}

/* The whole source; false when its list is shorter than it says. */
bool pagepress_acomp_fetch(struct acomp_req *request, void *data)
{
	return sg_copy_to_buffer(request->src, sg_nents(request->src), data, request->slen) ==
	       request->slen;
}

/* Ends the request with data, if there is room for it. */
int pagepress_acomp_deliver(struct acomp_req *request, const void *data, unsigned int length)
{
	if (!request->dst) {
		request->dst = pagepress_acomp_output(length);
		if (!request->dst)
			return -ENOMEM;
	} else if (length > request->dlen) {
		return -ENOSPC;
	}
	if (sg_copy_from_buffer(request->dst, sg_nents(request->dst), data, length) != length)
		return -ENOSPC;
	request->dlen = length;
	return 0;
}

static int compress_with(struct buffers *buffers, struct acomp_req *request)
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

static int decompress_with(struct buffers *buffers, struct acomp_req *request)
{
	size_t length = MOST;

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
	struct scratch *scratch;
	int error = -EINVAL;

	if (request->slen > MOST)
		return -EINVAL;
	scratch = raw_cpu_ptr(&scratches);
	spin_lock_bh(&scratch->lock);
	if (pagepress_acomp_fetch(request, scratch->buffers->source))
		error = compress ? compress_with(scratch->buffers, request)
				 : decompress_with(scratch->buffers, request);
	spin_unlock_bh(&scratch->lock);
	return error;
}
