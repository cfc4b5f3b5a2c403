/* SPDX-License-Identifier: GPL-2.0-only */
/* One page by a card: what is a page's in a request, and what the card's answer comes to. */
#ifndef PAGEPRESS_OFFLOAD_H
#define PAGEPRESS_OFFLOAD_H

#include <linux/workqueue.h>

#include "card/card.h"
#include "page/transfer.h"

struct pagepress_codec;

enum pagepress_verdict {
	PAGEPRESS_DONE,		/* the page is where it belongs */
	PAGEPRESS_KEPT,		/* the same, or on its way to the backing device; counted */
	PAGEPRESS_LATER,	/* the backing device must take it, and is busy */
	PAGEPRESS_FAILED,	/* nothing can take it; recorded */
	PAGEPRESS_CHANGED,	/* the card was given another page, by its owner or by itself */
	PAGEPRESS_DOUBTED,	/* the card says success, but it cannot be */
	PAGEPRESS_REPORTED,	/* the card says it could not */
};

/* What is a page's in a request. */
struct pagepress_offload {
	struct pagepress_transfer transfer;	/* the owner's page: software may start again */
	struct page *spare;		/* a write: memory set aside; NULL: given back */
	enum pagepress_prover prover;	/* a stream that may be right: who is to prove it */
	struct work_struct later;	/* does it here, when finishing it would have to wait */
};
static_assert(sizeof(struct pagepress_offload) <= PAGEPRESS_OWNED_BYTES);

static inline struct pagepress_offload *pagepress_offload_of(struct pagepress_request *request)
{
	return (struct pagepress_offload *)request->owned;
}

static inline const struct pagepress_transfer *
pagepress_transfer_of(const struct pagepress_request *request)
{
	return &((const struct pagepress_offload *)request->owned)->transfer;
}

/* answer.c */
bool pagepress_answer_may_be_right(const struct pagepress_request *request);
enum pagepress_verdict pagepress_answer_judge(struct pagepress_request *request,
					      struct pagepress_codec *codec);
void pagepress_answer_complain(const struct pagepress_request *request, const char *what);

#endif
