// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cards that are part of a system on chip: described by the device tree (devicetree/), or by
 * whoever registers a platform device of this driver's name. Clocks and a reset line are optional.
 */
#include <linux/clk.h>
#include <linux/delay.h>
#include <linux/interrupt.h>
#include <linux/mod_devicetable.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/reset.h>

#include "card/bus.h"
#include "card/compat.h"

#define RESET_US 10	/* longer than any synchroniser of a reset takes */

struct platform_card;

/* Interrupts may be levels: one that nobody takes back would keep this CPU busy for good. */
struct line {
	struct platform_card *card;
	unsigned int number;	/* as Linux counts interrupts */
	struct mutex lock;	/* off */
	bool off;		/* disabled, until the card works again */
};

struct platform_card {
	struct pagepress_card card;
	struct reset_control *reset;	/* NULL without */
	struct clk_bulk_data *clocks;
	int clock_count;
	unsigned int line_count;	/* one for all, or one for events and one a queue */
	struct line lines[PAGEPRESS_FIRST_QUEUE_VECTOR + PAGEPRESS_MAX_QUEUE_PAIRS];
};

static struct platform_card *of_platform(struct pagepress_card *card)
{
	return container_of(card, struct platform_card, card);
}

/* ---- interrupts ---- */

/* A card that is not READY takes no level back, and nobody needs to hear of it. True: it is off. */
static bool switch_line(struct line *line)
{
	bool works, off;

	mutex_lock(&line->lock);
	works = READ_ONCE(line->card->card.state) == PAGEPRESS_CARD_READY;
	off = line->off;
	if (off && works)
		enable_irq(line->number);
	else if (!off && !works)
		disable_irq_nosync(line->number);
	line->off = !works;
	mutex_unlock(&line->lock);
	return !works;
}

static irqreturn_t wake_thread(int number, void *context)
{
	return IRQ_WAKE_THREAD;
}

static bool reap(struct pagepress_queue *queue)
{
	bool some = false;

	while (pagepress_queue_reap(queue, queue->request_count)) {
		some = true;
		cond_resched();
	}
	return some;
}

/*
 * What a line tells of: events, a queue, or anything. In a thread that exists already, as
 * completions free memory, so they must not need any to get going. IRQ_NONE: there was nothing; of
 * a line that goes on like that the kernel tires, and the watchdog does without.
 */
static irqreturn_t line_thread(int number, void *context)
{
	struct line *line = context;
	struct platform_card *platform = line->card;
	struct pagepress_card *card = &platform->card;
	unsigned int vector = line - platform->lines, queue;
	bool some = false;

	if (vector >= PAGEPRESS_FIRST_QUEUE_VECTOR) {
		some = reap(&card->queues[vector - PAGEPRESS_FIRST_QUEUE_VECTOR]);
	} else if (platform->line_count == 1) {
		for (queue = 0; queue < card->queue_count; queue++)
			some |= reap(&card->queues[queue]);
	}
	if (!some)
		pagepress_card_check(card);
	return switch_line(line) || some ? IRQ_HANDLED : IRQ_NONE;
}

/* Sets which lines there are; returns how many queues these can serve, or an errno. */
static int find_interrupts(struct platform_device *device, struct platform_card *platform)
{
	int pairs = pagepress_card_queue_pairs(&platform->card), count, number;

	if (pairs < 0)
		return pairs;
	count = platform_irq_count(device);
	if (count < 0)
		return count;
	if (!count) {
		dev_err(&device->dev, "the card has no interrupt: describe one, or one for events and one for each queue\n");
		return -ENODEV;
	}
	if (count > 1) {
		pairs = min(pairs, count - (int)PAGEPRESS_FIRST_QUEUE_VECTOR);
		count = PAGEPRESS_FIRST_QUEUE_VECTOR + pairs;
	}
	for (number = 0; number < count; number++) {
		struct line *line = &platform->lines[number];
		int interrupt = platform_get_irq(device, number);

		if (interrupt < 0)
			return interrupt;
		line->card = platform;
		line->number = interrupt;
		mutex_init(&line->lock);
	}
	platform->line_count = count;
	return pairs;
}

static void free_interrupts(struct platform_card *platform, unsigned int count)
{
	while (count--)
		free_irq(platform->lines[count].number, &platform->lines[count]);
}

static int request_interrupts(struct platform_card *platform)
{
	struct device *device = platform->card.device;
	unsigned int number;
	int error;

	for (number = 0; number < platform->line_count; number++) {
		struct line *line = &platform->lines[number];
		const char *name = devm_kasprintf(device, GFP_KERNEL, "%s-%s-%u", KBUILD_MODNAME,
						  dev_name(device), number);

		error = name ? request_threaded_irq(line->number, wake_thread, line_thread,
						    IRQF_ONESHOT, name, line)
			     : -ENOMEM;
		if (error) {
			free_interrupts(platform, number);
			return error;
		}
	}
	return 0;
}

/* ---- what the rest of the driver asks ---- */

/* Nothing but its own registers tells whether it is there. */
static bool present(struct pagepress_card *card)
{
	return true;
}

/* It may reach memory whenever it likes. */
static void open(struct pagepress_card *card)
{
}

static void ready(struct pagepress_card *card)
{
	struct platform_card *platform = of_platform(card);
	unsigned int number;

	for (number = 0; number < platform->line_count; number++)
		switch_line(&platform->lines[number]);
}

/* Nothing stands between it and memory: only its own word, or its reset, proves it quiet. */
static bool close(struct pagepress_card *card)
{
	return false;
}

static int reset(struct pagepress_card *card)
{
	struct platform_card *platform = of_platform(card);
	int error;

	if (!platform->reset)
		return -EAGAIN;
	error = reset_control_assert(platform->reset);
	if (error)
		return error;
	udelay(RESET_US);
	return reset_control_deassert(platform->reset);
}

/* A reset leaves nothing that a start would not set. */
static void restore(struct pagepress_card *card)
{
}

static bool offline(struct pagepress_card *card)
{
	return false;
}

static const struct pagepress_bus bus = {
	.reset_name = "reset",
	.present = present,
	.open = open,
	.ready = ready,
	.close = close,
	.reset = reset,
	.restore = restore,
	.offline = offline,
};

/* ---- coming and going ---- */

static int map_registers(struct platform_device *device, struct pagepress_card *card)
{
	struct resource *place = platform_get_resource(device, IORESOURCE_MEM, 0);

	if (!place || resource_size(place) < PAGEPRESS_BAR0_BYTES) {
		dev_err(&device->dev, "the card has no %u bytes of registers: describe them\n",
			PAGEPRESS_BAR0_BYTES);
		return -ENODEV;
	}
	if (!devm_request_mem_region(&device->dev, place->start, PAGEPRESS_BAR0_BYTES,
				     KBUILD_MODNAME))
		return -EBUSY;
	card->registers = devm_ioremap(&device->dev, place->start, PAGEPRESS_PUSH_BASE);
	if (!card->registers)
		return -ENOMEM;
	/* Nothing but speed is lost without; larger pages would have registers in the same one. */
	if (PAGE_SIZE <= PAGEPRESS_PUSH_BASE)
		card->push_windows =
			devm_ioremap_wc(&device->dev, place->start + PAGEPRESS_PUSH_BASE,
					PAGEPRESS_PUSH_STRIDE * PAGEPRESS_PUSH_COUNT);
	return pagepress_card_set_dma_mask(card);
}

/* Clocks before the end of the reset, so that it is seen. */
static int switch_on(struct platform_card *platform)
{
	struct device *device = platform->card.device;
	int error;

	platform->clock_count = devm_clk_bulk_get_all(device, &platform->clocks);
	if (platform->clock_count < 0)
		return dev_err_probe(device, platform->clock_count, "the card's clocks\n");
	platform->reset = devm_reset_control_array_get_optional_exclusive(device);
	if (IS_ERR(platform->reset))
		return dev_err_probe(device, PTR_ERR(platform->reset), "the card's reset\n");
	error = clk_bulk_prepare_enable(platform->clock_count, platform->clocks);
	if (error)
		return error;
	error = reset_control_deassert(platform->reset);
	if (error)
		clk_bulk_disable_unprepare(platform->clock_count, platform->clocks);
	return error;
}

/* One that may still be writing is not broken off: its bus might never recover. */
static void switch_off(struct platform_card *platform)
{
	if (!platform->card.stopped)
		return;
	reset_control_assert(platform->reset);
	clk_bulk_disable_unprepare(platform->clock_count, platform->clocks);
}

static int probe(struct platform_device *device)
{
	struct pagepress_card *card = pagepress_card_allocate(&device->dev, &bus,
							      sizeof(struct platform_card));
	struct platform_card *platform;
	int error, queues;

	if (!card)
		return -ENOMEM;
	platform = of_platform(card);
	error = map_registers(device, card);
	if (error)
		goto free_card;
	error = switch_on(platform);
	if (error)
		goto free_card;
	error = pagepress_card_identify(card);
	if (error)
		goto switch_off;
	queues = find_interrupts(device, platform);
	if (queues < 0) {
		error = queues;
		goto switch_off;
	}
	error = pagepress_card_create_queues(card, queues);
	if (error)
		goto switch_off;
	error = request_interrupts(platform);
	if (error)
		goto free_queues;
	error = pagepress_card_join(card);
	if (error)
		goto free_interrupts;
	return 0;

free_interrupts:
	free_interrupts(platform, platform->line_count);
free_queues:
	pagepress_card_destroy_queues(card);
switch_off:
	switch_off(platform);
free_card:
	kref_put(&card->references, pagepress_card_release);
	return error;
}

static void remove(struct platform_device *device)
{
	struct pagepress_card *card = platform_get_drvdata(device);
	struct platform_card *platform = of_platform(card);

	pagepress_card_leave(card);
	free_interrupts(platform, platform->line_count);
	pagepress_card_destroy_queues(card);
	switch_off(platform);
	pagepress_card_left(card);
}

static int __maybe_unused remove_returning(struct platform_device *device)
{
	remove(device);
	return 0;
}

static void shutdown(struct platform_device *device)
{
	pagepress_card_take_down(platform_get_drvdata(device));
}

static const struct of_device_id identities[] = { { .compatible = "pagepress,swap" }, {} };
MODULE_DEVICE_TABLE(of, identities);

static struct platform_driver driver = {
	.probe = probe,
	.remove = PAGEPRESS_PLATFORM_REMOVE(remove, remove_returning),
	.shutdown = shutdown,
	.driver = {
		.name = KBUILD_MODNAME,
		.of_match_table = identities,
		.pm = &pagepress_card_power_operations,
	},
};

int pagepress_platform_register(void)
{
	return platform_driver_register(&driver);
}

void pagepress_platform_unregister(void)
{
	platform_driver_unregister(&driver);
}
