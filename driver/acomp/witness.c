// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which page a stream holds: the CRC32C of pages that have been compressed, found by the CRC32C and
 * the length of their streams. The crypto API hands back a stream and nothing else; without this,
 * no page that a card decompresses could be checked. A table that forgets: an entry is overwritten
 * by the next stream of its place, and who is not found is decompressed by this CPU. A wrong entry
 * (two streams alike in both, or one half read on a machine of 32 bits) makes a card's right answer
 * look wrong, and never a wrong one right.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>

#include "acomp/request.h"

#define PAGES_AN_ENTRY 2 /* of memory: no more of it is worth compressing */

static u64 *table; /* CRC32C of the stream above that of the page; 0: none */
static unsigned int bits;

int pagepress_witness_init(void)
{
	bits = order_base_2(max(totalram_pages() / PAGES_AN_ENTRY, 2ul));
	bits = min(bits, 32u);
	table = vzalloc(sizeof(*table) << bits);
	return table ? 0 : -ENOMEM;
}

void pagepress_witness_exit(void)
{
	vfree(table);
	table = NULL;
}

static u64 *entry(u32 stream_crc, unsigned int length)
{
	return &table[hash_32(stream_crc + length, bits)];
}

void pagepress_witness_remember(u32 stream_crc, unsigned int length, u32 page_crc)
{
	WRITE_ONCE(*entry(stream_crc, length), (u64)stream_crc << 32 | page_crc);
}

bool pagepress_witness_recall(u32 stream_crc, unsigned int length, u32 *page_crc)
{
	u64 found = READ_ONCE(*entry(stream_crc, length));

	*page_crc = lower_32_bits(found);
	return found && upper_32_bits(found) == stream_crc;
}
