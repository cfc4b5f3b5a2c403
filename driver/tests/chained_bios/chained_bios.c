// SPDX-License-Identifier: GPL-2.0-only
/*
 * chained_bios.ko: writes two pages by two bios of which the second stands for both (bio_chain), as XFS and md do. The first
 * is noise, the second zeros.
 *
 * insmod chained_bios.ko disk=/dev/pagepress0 first=PAGE second=PAGE
 * Fails to load with what the second bio ends with, else with EAGAIN: there is nothing to unload.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/version.h>

static char *disk = "/dev/pagepress0";
static ulong first, second;
module_param(disk, charp, 0444);
module_param(first, ulong, 0444);
module_param(second, ulong, 0444);

static struct bio *page_bio(struct block_device *device, struct page *page, ulong at)
{
	struct bio *bio = bio_alloc(device, 1, REQ_OP_WRITE, GFP_KERNEL);

	bio->bi_iter.bi_sector = at * (PAGE_SIZE / SECTOR_SIZE);
	if (bio_add_page(bio, page, PAGE_SIZE, 0) != PAGE_SIZE) {
		bio_put(bio);
		return NULL;
	}
	return bio;
}

static int write_both(struct block_device *device, struct page *noise, struct page *zeros)
{
	struct bio *refused, *taken;
	int error;

	get_random_bytes(page_address(noise), PAGE_SIZE);
	refused = page_bio(device, noise, first);
	taken = page_bio(device, zeros, second);
	if (!refused || !taken)
		return -EINVAL;
	bio_chain(refused, taken);
	submit_bio(refused);
	error = submit_bio_wait(taken);
	bio_put(taken);
	return error;
}

static int __init chained_bios_init(void)
{
	struct page *noise = alloc_page(GFP_KERNEL), *zeros = alloc_page(GFP_KERNEL | __GFP_ZERO);
	int error = -ENOMEM;
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	struct file *file = bdev_file_open_by_path(disk, BLK_OPEN_READ | BLK_OPEN_WRITE, NULL, NULL);

	if (noise && zeros)
		error = IS_ERR(file) ? PTR_ERR(file) : write_both(file_bdev(file), noise, zeros);
	if (!IS_ERR(file))
		bdev_fput(file);
#else
	struct block_device *device = blkdev_get_by_path(disk, FMODE_READ | FMODE_WRITE, NULL);

	if (noise && zeros)
		error = IS_ERR(device) ? PTR_ERR(device) : write_both(device, noise, zeros);
	if (!IS_ERR(device))
		blkdev_put(device, FMODE_READ | FMODE_WRITE);
#endif
	if (noise)
		__free_page(noise);
	if (zeros)
		__free_page(zeros);
	return error ?: -EAGAIN;
}

module_init(chained_bios_init);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Writes two pages by chained bios");
