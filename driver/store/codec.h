/* SPDX-License-Identifier: GPL-2.0-only */
/* LZO1X and the cold format on this CPU, with memory taken at load so that reclaim needs none. */
#ifndef PAGEPRESS_CODEC_H
#define PAGEPRESS_CODEC_H

#include <linux/mutex.h>
#include <linux/types.h>

/*
 * One a CPU. Reclaim needs it to write pages out, so its holder waits for nothing: no memory that
 * reclaim would have to find, no device, no other codec. A mutex, not disabled preemption, because
 * a page takes tens of microseconds.
 */
struct pagepress_codec {
	struct mutex lock;	/* the buffers below */
	void *workspace;	/* LZO1X_1_MEM_COMPRESS bytes */
	void *plain;		/* one page */
	void *stream;		/* room for the worst stream of a page */
};

int pagepress_codec_init(void);
void pagepress_codec_exit(void);
struct pagepress_codec *pagepress_codec_get(void);
void pagepress_codec_put(struct pagepress_codec *codec);
size_t pagepress_codec_compress(struct pagepress_codec *codec);
int pagepress_decompress(const void *stream, size_t length, bool cold, void *page);
int pagepress_codec_decompress(struct pagepress_codec *codec, size_t length, bool cold);
u32 pagepress_checksum(const void *page);
u32 pagepress_checksum_bytes(const void *data, size_t bytes);

#endif
