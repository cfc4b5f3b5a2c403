// SPDX-License-Identifier: GPL-2.0-only
/*
 * copy_cost.ko: what this CPU takes to copy a page and a stream as the driver does, in nanoseconds,
 * which in a guest with ICOUNT=1 are instructions: parameters/page and parameters/stream.
 *
 * insmod copy_cost.ko [bytes=2048], of the stream
 */
#include <linux/gfp.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/string.h>

#define TIMES 1000

static unsigned int bytes = 2048;
static unsigned long page, stream;
module_param(bytes, uint, 0444);
module_param(page, ulong, 0444);
module_param(stream, ulong, 0444);

/* Nobody else runs meanwhile. */
static unsigned long cost(void *to, const void *from, unsigned int length)
{
	unsigned long flags;
	unsigned int turn;
	u64 began, ended;

	local_irq_save(flags);
	began = ktime_get_ns();
	for (turn = 0; turn < TIMES; turn++) {
		/* As acomp/software.c: the compiler knows a page's length, not a stream's. */
		if (length == PAGE_SIZE)
			memcpy(to, from, PAGE_SIZE);
		else
			memcpy(to, from, length);
		barrier();
	}
	ended = ktime_get_ns();
	local_irq_restore(flags);
	return div_u64(ended - began, TIMES);
}

/* Not __init: what is called by that alone is compiled for size. */
static int copy_cost_init(void)
{
	u8 *pages;

	if (bytes >= PAGE_SIZE)
		return -EINVAL;
	pages = (u8 *)__get_free_pages(GFP_KERNEL, 1);
	if (!pages)
		return -ENOMEM;
	page = cost(pages + PAGE_SIZE, pages, PAGE_SIZE);
	stream = cost(pages + PAGE_SIZE, pages, bytes);
	free_pages((unsigned long)pages, 1);
	return 0;
}

static void __exit copy_cost_exit(void)
{
}

module_init(copy_cost_init);
module_exit(copy_cost_exit);
MODULE_DESCRIPTION("What copies cost");
MODULE_LICENSE("GPL");
