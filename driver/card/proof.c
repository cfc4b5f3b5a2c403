// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stream that one part of the card has made is decompressed by another: a fault of either shows,
 * and this CPU need not decompress. What it looks at itself is the page that comes back.
 */
#include "card/card.h"

#define WORDS (PAGE_SIZE / sizeof(u64))

/*
 * A compression is answered: has one of the card's decompressors show what the stream holds, in the
 * place of the page, of which each bit is turned round before: what is not written is not right.
 * done() is called with that answer, proving being set. False as pagepress_queue_submit().
 */
bool pagepress_queue_prove(struct pagepress_request *request)
{
	u64 *words = request->plain;
	unsigned int index;
	u32 tag;

	/* By one, this loop would cost half as much as all the rest of a proof. */
#pragma GCC unroll 16
	for (index = 0; index < WORDS; index++)
		words[index] = ~words[index];
	request->proving = true;
	request->stream_length = request->produced_length;
	request->stream_crc = request->detail;
	if (!pagepress_queue_submit(request, &tag))
		return false;
	WRITE_ONCE(request->queue->to_prove, true);
	return true;
}

/* By whoever has called done(). Who clears the mark rings for all that was submitted before. */
void pagepress_queue_ring_for_proofs(struct pagepress_queue *queue)
{
	if (!READ_ONCE(queue->to_prove))
		return;
	WRITE_ONCE(queue->to_prove, false);
	pagepress_queue_ring(queue, true);
}
