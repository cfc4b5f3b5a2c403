/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What page_io.c and read.c share: one page on its way to the backing device or back.
 *
 * Life of a read. It is taken from the reserve, waits for the end of its task's plug, and is
 * started by the work, which asks the slot where the page rests. Those that rest side by side are
 * read by one access: the first is the leader, has the others in span, and its bio brings all, to
 * their buffers or to a window. Then each goes on alone: it ends, or is started anew, and goes back
 * to the reserve.
 */
#ifndef PAGEPRESS_PAGE_IO_H
#define PAGEPRESS_PAGE_IO_H

#include <linux/bio.h>

#include "backing/backing.h"

#define PAGEPRESS_PAGE_IO_BYTES	(2 * PAGE_SIZE) /* a page, and what rounding it to blocks adds */
#define PAGEPRESS_SPAN_PAGES	16 /* at most, of one access */

struct pagepress_page_io {
	struct list_head link;		/* starting, completed, or a span or plug */
	struct pagepress_backing *backing;
	struct pagepress_transfer transfer;	/* of a write, the slot's writer */
	struct pagepress_content place;	/* where it rests: address, length, CRC32C */
	struct pagepress_extent extent;	/* whole blocks around it: what is read or written */
	enum pagepress_statistic counter;	/* of a write, once it has succeeded */
	void *buffer;			/* PAGEPRESS_PAGE_IO_BYTES */
	/* Of a read: */
	u64 started, answered;		/* ktime_get_ns(); the latter of a leader */
	u64 from;			/* address of the buffer's first byte */
	struct pagepress_window *window;	/* that brings it in the buffer's place, or NULL */
	bool again;			/* the first answer, of an access of its own, was no page */
	/* Of a write, a read alone or a leader: */
	struct list_head span;		/* reads that follow it on the device, nearest first */
	struct bio bio;
	struct bio_vec vectors[PAGEPRESS_SPAN_PAGES];
};

/* page_io.c */
void pagepress_page_io_end(struct pagepress_page_io *page_io);
void pagepress_page_io_submit(struct pagepress_page_io *page_io);
void pagepress_page_io_complain(const struct pagepress_page_io *page_io,
				struct ratelimit_state *seldom, const char *what);

/* read.c: all by the work */
bool pagepress_read_place(struct pagepress_page_io *page_io);
void pagepress_read_start(struct pagepress_backing *backing, struct list_head *reads);
void pagepress_read_finish(struct pagepress_page_io *leader);

#endif
