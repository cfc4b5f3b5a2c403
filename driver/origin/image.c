// SPDX-License-Identifier: GPL-2.0-only
/*
 * Header, index and map of an image. The origin's are believed only with the root hash that the
 * administrator named; of a lookaside image nothing is believed, only places of streams are noted.
 */
#include <crypto/hash.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "origin/origin.h"

#define PIECE_ENTRIES 200 /* of an index that is gone through once */

static int refuse(const struct pagepress_source *source, const char *why)
{
	pr_err("%s: %s %s is of no use: %s\n", source->origin->disk->gendisk->disk_name,
	       source->role, source->path, why);
	return -EINVAL;
}

static int cannot_read(const struct pagepress_source *source, int error)
{
	pr_err("%s: %s %s cannot be read (error %d)\n", source->origin->disk->gendisk->disk_name,
	       source->role, source->path, error);
	return error;
}

/* Sleeps, and says in the log what is wrong: -EINVAL, or why the device cannot be read. */
int pagepress_image_read_header(struct pagepress_source *source, u64 timeout_ms,
				struct pagepress_image_header *header)
{
	u64 bytes, size;
	int error;

	if (source->bytes < PAGEPRESS_IMAGE_BLOCK)
		return refuse(source, "it holds no page image");
	error = pagepress_source_get(source, 0, header, sizeof(*header), timeout_ms);
	if (error)
		return cannot_read(source, error);
	if (memcmp(header->magic, PAGEPRESS_IMAGE_MAGIC, sizeof(header->magic)))
		return refuse(source, "it holds no page image");
	if (le32_to_cpu(header->version) != PAGEPRESS_IMAGE_VERSION)
		return refuse(source, "its page image has another version than this driver knows");
	if (le32_to_cpu(header->page_bytes) != PAGE_SIZE)
		return refuse(source, "its pages have another size than those of this kernel");
	bytes = le64_to_cpu(header->bytes);
	source->index_offset = le64_to_cpu(header->index_offset);
	source->pages = le32_to_cpu(header->pages);
	source->entries = le32_to_cpu(header->entries);
	if (bytes > source->bytes)
		return refuse(source, "its page image was cut off");
	size = source->entries * (u64)sizeof(struct pagepress_image_entry) +
	       source->pages * (u64)sizeof(__le32);
	if (!source->pages || !source->entries || source->entries > source->pages ||
	    source->index_offset % PAGEPRESS_IMAGE_BLOCK ||
	    source->index_offset < PAGEPRESS_IMAGE_BLOCK || source->index_offset > bytes ||
	    size > bytes - source->index_offset)
		return refuse(source, "its header contradicts itself");
	return 0;
}

/* Whether a stream lies where streams of this image may lie. */
static bool in_place(const struct pagepress_source *source, u32 sector, u32 length)
{
	u64 offset = (u64)sector * PAGEPRESS_IMAGE_SECTOR;

	return length <= PAGE_SIZE && offset >= PAGEPRESS_IMAGE_BLOCK &&
	       offset + length <= source->index_offset;
}

static int check_root(struct pagepress_origin *origin, const struct pagepress_image_header *header,
		      size_t index_bytes, size_t map_bytes)
{
	struct shash_desc *desc = kmalloc(sizeof(*desc) + crypto_shash_descsize(origin->sha256),
					  GFP_KERNEL);
	u8 root[PAGEPRESS_IMAGE_HASH];
	int error;

	if (!desc)
		return -ENOMEM;
	desc->tfm = origin->sha256;
	error = crypto_shash_init(desc);
	if (!error)
		error = crypto_shash_update(desc, (const u8 *)header,
					    offsetof(struct pagepress_image_header, root));
	if (!error)
		error = crypto_shash_update(desc, (const u8 *)origin->entries, index_bytes);
	if (!error)
		error = crypto_shash_update(desc, (const u8 *)origin->map, map_bytes);
	if (!error)
		error = crypto_shash_final(desc, root);
	kfree_sensitive(desc);
	if (error)
		return error;
	if (memcmp(root, origin->root, sizeof(root)))
		return refuse(origin->source,
			      "what it holds is not what origin_root stands for: another image, or a damaged one");
	return 0;
}

/*
 * Index and map of the origin's image become origin->entries and map, which the caller frees.
 * Sleeps, and says in the log what is wrong.
 */
int pagepress_image_load(struct pagepress_origin *origin,
			 const struct pagepress_image_header *header)
{
	struct pagepress_source *source = origin->source;
	size_t index_bytes = array_size(source->entries, sizeof(*origin->entries));
	size_t map_bytes = array_size(source->pages, sizeof(*origin->map));
	u32 at;
	int error;

	/*
	 * Both lie on the device, so they are no larger than that. kvmalloc() gives 2 GiB at most:
	 * 53 million contents, and 536 million pages; of what 32 bits do not count, nothing.
	 */
	origin->entries = kvmalloc(index_bytes, PAGEPRESS_IMAGE_MEMORY);
	origin->map = kvmalloc(map_bytes, PAGEPRESS_IMAGE_MEMORY);
	if (!origin->entries || !origin->map)
		return -ENOMEM;
	error = pagepress_source_get(source, source->index_offset, origin->entries, index_bytes,
				     origin->timeout_ms);
	if (!error)
		error = pagepress_source_get(source, source->index_offset + index_bytes,
					     origin->map, map_bytes, origin->timeout_ms);
	if (error)
		return cannot_read(source, error);
	error = check_root(origin, header, index_bytes, map_bytes);
	if (error)
		return error;
	for (at = 0; at < source->entries; at++) {
		const struct pagepress_image_entry *entry = &origin->entries[at];

		if (entry->length && !in_place(source, le32_to_cpu(entry->sector),
					       le32_to_cpu(entry->length)))
			return refuse(source, "its index names a place beyond its streams");
		if (at && memcmp(entry[-1].hash, entry->hash, sizeof(entry->hash)) >= 0)
			return refuse(source, "its index is not in order");
	}
	for (at = 0; at < source->pages; at++)
		if (le32_to_cpu(origin->map[at]) >= source->entries)
			return refuse(source, "its map names entries that are not there");
	return 0;
}

/*
 * Goes once through the index of a lookaside image, beside the origin's, and notes where it has
 * what. Both are in order; what is not is not found. Sleeps, and says in the log what is wrong.
 * The caller frees *matched.
 */
int pagepress_image_match(struct pagepress_origin *origin, struct pagepress_source *lookaside,
			  struct pagepress_place **matched, unsigned long *found)
{
	u32 ours = 0, all = origin->source->entries, at, piece, index;
	struct pagepress_image_entry *theirs;
	struct pagepress_place *places;
	int error = -ENOMEM;

	*found = 0;
	places = kvcalloc(all, sizeof(*places), PAGEPRESS_IMAGE_MEMORY);
	theirs = kvmalloc_array(PIECE_ENTRIES, sizeof(*theirs), GFP_KERNEL);
	if (!places || !theirs)
		goto fail;
	for (at = 0; at < lookaside->entries && ours < all; at += piece) {
		piece = min_t(u32, PIECE_ENTRIES, lookaside->entries - at);
		error = pagepress_source_get(lookaside,
					     lookaside->index_offset + at * (u64)sizeof(*theirs),
					     theirs, piece * sizeof(*theirs),
					     origin->lookaside_timeout_ms);
		if (error)
			goto fail;
		for (index = 0; index < piece; index++) {
			const struct pagepress_image_entry *entry = &theirs[index];
			u32 sector = le32_to_cpu(entry->sector);
			u32 length = le32_to_cpu(entry->length);
			int order = -1;

			while (ours < all &&
			       (order = memcmp(origin->entries[ours].hash, entry->hash,
					       sizeof(entry->hash))) < 0)
				ours++;
			if (ours == all || order || !length || !in_place(lookaside, sector, length))
				continue;
			places[ours].sector = sector;
			places[ours].length = length;
			(*found)++;
		}
	}
	kvfree(theirs);
	*matched = places;
	return 0;

fail:
	kvfree(theirs);
	kvfree(places);
	return error == -ENOMEM ? error : cannot_read(lookaside, error);
}
