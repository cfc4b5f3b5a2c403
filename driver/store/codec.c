// SPDX-License-Identifier: GPL-2.0-only
/*
 * LZO1X on this CPU: the same stream format as the card's, so that either decompresses what the
 * other compressed. The cold format is only decompressed here; cards alone write it.
 */
#include <linux/cpumask.h>
#include <linux/crc32c.h>
#include <linux/lzo.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "pagepress_interface.h"
#include "store/codec.h"
#include "store/cold_decompress.h"

static DEFINE_PER_CPU(struct pagepress_codec, codecs);

int pagepress_codec_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pagepress_codec *codec = per_cpu_ptr(&codecs, cpu);

		mutex_init(&codec->lock);
		codec->workspace = vmalloc_node(LZO1X_1_MEM_COMPRESS, cpu_to_node(cpu));
		codec->plain = (void *)__get_free_page(GFP_KERNEL);
		codec->stream = vmalloc_node(lzo1x_worst_compress(PAGE_SIZE), cpu_to_node(cpu));
		if (!codec->workspace || !codec->plain || !codec->stream) {
			pagepress_codec_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void pagepress_codec_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pagepress_codec *codec = per_cpu_ptr(&codecs, cpu);

		vfree(codec->workspace);
		free_page((unsigned long)codec->plain);
		vfree(codec->stream);
		codec->workspace = NULL;
		codec->plain = NULL;
		codec->stream = NULL;
	}
}

/*
 * This CPU's, unless a task has it that has lost the CPU with it: then another's. Sleeps only while
 * each has somebody who compresses a page: never for hardware.
 */
struct pagepress_codec *pagepress_codec_get(void)
{
	struct pagepress_codec *codec = raw_cpu_ptr(&codecs);
	int cpu;

	if (mutex_trylock(&codec->lock))
		return codec;
	for_each_possible_cpu(cpu) {
		struct pagepress_codec *other = per_cpu_ptr(&codecs, cpu);

		if (mutex_trylock(&other->lock))
			return other;
	}
	mutex_lock(&codec->lock);
	return codec;
}

void pagepress_codec_put(struct pagepress_codec *codec)
{
	mutex_unlock(&codec->lock);
}

/* From plain to stream; returns the stream's length, which may exceed a page. */
size_t pagepress_codec_compress(struct pagepress_codec *codec)
{
	size_t length = lzo1x_worst_compress(PAGE_SIZE);

	if (lzo1x_1_compress(codec->plain, PAGE_SIZE, codec->stream, &length, codec->workspace) !=
	    LZO_E_OK)
		return PAGE_SIZE;
	return length;
}

/*
 * A stream of LZO1X, or a cold one, to a page; -EIO unless it is sound and holds exactly one. Needs
 * no memory but these.
 */
int pagepress_decompress(const void *stream, size_t length, bool cold, void *page)
{
	size_t produced = PAGE_SIZE;
	bool sound;

	if (cold)
		sound = cold_decompress(stream, length, page, PAGE_SIZE, &produced) ==
			PAGEPRESS_STATUS_SUCCESS;
	else
		sound = lzo1x_decompress_safe(stream, length, page, &produced) == LZO_E_OK;
	return sound && produced == PAGE_SIZE ? 0 : -EIO;
}

/* From stream to plain, as above. */
int pagepress_codec_decompress(struct pagepress_codec *codec, size_t length, bool cold)
{
	return pagepress_decompress(codec->stream, length, cold, codec->plain);
}

/* CRC32C as the card computes it: all ones before, inverted after. */
u32 pagepress_checksum_bytes(const void *data, size_t bytes)
{
	return ~crc32c(~0u, data, bytes);
}

u32 pagepress_checksum(const void *page)
{
	return pagepress_checksum_bytes(page, PAGE_SIZE);
}
