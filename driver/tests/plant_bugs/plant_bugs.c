// SPDX-License-Identifier: GPL-2.0-only
/*
 * plant_bugs.ko: does one thing wrong when it is loaded, to prove that a run in which a kernel does so fails.
 *
 * insmod plant_bugs.ko bug=warning|lock-order|leak|use-after-free|write-after-free|sleep|dma
 * All but warning are only noticed by a kernel that watches for them (KERNEL=debug).
 */
#include <linux/dma-mapping.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define LEAKS 16 /* what still lies in a register or on a stack is no leak */

static char *bug = "warning";
module_param(bug, charp, 0444);

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(other);
static DEFINE_SPINLOCK(spinning);

static int warning(void)
{
	WARN(1, "planted");
	return 0;
}

static int leak(void)
{
	unsigned int count;

	for (count = 0; count < LEAKS; count++) {
		void *lost = kmalloc(64, GFP_KERNEL);

		if (!lost)
			return -ENOMEM;
		memset(lost, 0, 64);
	}
	return 0;
}

static int use_after_free(void)
{
	unsigned int *number = kzalloc(sizeof(*number), GFP_KERNEL);

	if (!number)
		return -ENOMEM;
	kfree(number);
	WRITE_ONCE(*number, 1);
	return 0;
}

/* As a card would: past what the compiler watches. */
static int write_after_free(void)
{
	void *page = (void *)__get_free_page(GFP_KERNEL);

	if (!page)
		return -ENOMEM;
	free_page((unsigned long)page);
	asm volatile("movb $1, (%0)" : : "r" (page) : "memory");
	/* The page freed last is the next one given out. */
	page = (void *)__get_free_page(GFP_KERNEL);
	free_page((unsigned long)page);
	return 0;
}

static int lock_order(void)
{
	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);

	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
	return 0;
}

static int sleep(void)
{
	spin_lock(&spinning);
	might_sleep();
	spin_unlock(&spinning);
	return 0;
}

static int dma(void)
{
	struct platform_device *device = platform_device_register_simple("plant_bugs", -1, NULL, 0);
	void *page;
	dma_addr_t bus;
	int error;

	if (IS_ERR(device))
		return PTR_ERR(device);
	page = (void *)__get_free_page(GFP_KERNEL);
	error = page ? dma_coerce_mask_and_coherent(&device->dev, DMA_BIT_MASK(64)) : -ENOMEM;
	if (!error) {
		bus = dma_map_single(&device->dev, page, PAGE_SIZE, DMA_TO_DEVICE);
		error = dma_mapping_error(&device->dev, bus);
	}
	if (!error)
		dma_unmap_single(&device->dev, bus, PAGE_SIZE / 2, DMA_TO_DEVICE);
	free_page((unsigned long)page);
	platform_device_unregister(device);
	return error;
}

static const struct {
	const char *name;
	int (*plant)(void);
} bugs[] = {
	{ "warning", warning },
	{ "leak", leak },
	{ "use-after-free", use_after_free },
	{ "write-after-free", write_after_free },
	{ "lock-order", lock_order },
	{ "sleep", sleep },
	{ "dma", dma },
};

static int __init plant_bugs_init(void)
{
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(bugs); index++)
		if (!strcmp(bug, bugs[index].name))
			return bugs[index].plant();
	return -EINVAL;
}

static void __exit plant_bugs_exit(void)
{
}

module_init(plant_bugs_init);
module_exit(plant_bugs_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Does one thing wrong, to see that it is noticed");
