// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/debug/pagepress/: for whoever looks for a fault. No promise is made of its form;
 * docs/tracing.md says what stands there.
 */
#include <linux/debugfs.h>
#include <linux/ktime.h>
#include <linux/seq_file.h>

#include "card/bus.h"
#include "observe/observe.h"
#include "path/latency.h"

static struct dentry *folder;

DEFINE_SHOW_ATTRIBUTE(pagepress_latency);

/* One that is suspended, leaves, or that the bus has cut off is not. */
static bool may_be_asked(struct pagepress_card *card)
{
	return READ_ONCE(card->state) != PAGEPRESS_CARD_STOPPED && !card->bus->offline(card);
}

/* What the card has. The owner has it in hand as long as it is ON_CARD, so under the lock. */
static void show_requests(struct seq_file *file, struct pagepress_queue *queue)
{
	u64 now = ktime_get_ns();
	unsigned int index;

	for (index = 0; index < queue->request_count; index++) {
		const struct pagepress_request *request = &queue->requests[index];

		if (!pagepress_request_with_card(request))
			continue;
		seq_printf(file, "  request %#x ", request->tag);
		if (request->state == PAGEPRESS_REQUEST_ON_CARD)
			request->owner->show(file, request);
		else
			seq_puts(file, "late");
		seq_printf(file, " for %llu ns\n", now - request->begun);
	}
}

static void show_queue(struct seq_file *file, struct pagepress_queue *queue)
{
	seq_printf(file, "%s queue %u:", dev_name(queue->card->device), queue->number);
	if (may_be_asked(queue->card))
		seq_printf(file, " QUEUE_STATUS %#x SUBMISSION_HEAD %u COMPLETION_TAIL %u\n",
			   pagepress_queue_read(queue, PAGEPRESS_REGISTER_QUEUE_STATUS),
			   pagepress_queue_read(queue, PAGEPRESS_REGISTER_SUBMISSION_HEAD),
			   pagepress_queue_read(queue, PAGEPRESS_REGISTER_COMPLETION_TAIL));
	else
		seq_puts(file, " not asked\n");
	spin_lock(&queue->lock);
	seq_printf(file, "  %s depth %u tail %u rung %u head %u phase %u free %u\n",
		   queue->running ? "running" : "stopped", queue->depth, queue->tail, queue->rung,
		   queue->head, queue->phase, queue->free_count);
	show_requests(file, queue);
	spin_unlock(&queue->lock);
}

static void show_card(struct pagepress_card *card, void *file)
{
	unsigned int number;

	for (number = 0; number < card->queue_count; number++)
		show_queue(file, &card->queues[number]);
}

static int queues_show(struct seq_file *file, void *unused)
{
	pagepress_engines_each(show_card, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(queues);

#define OFFSET(block, name, access)	PAGEPRESS_##block##_BASE + PAGEPRESS_REGISTER_##name,
/* Up to the doorbells every register can be read, and reading changes none. */
static const u32 offsets[] = { PAGEPRESS_REGISTERS(OFFSET) };

static void show_register(struct seq_file *file, struct pagepress_card *card, u32 offset)
{
	seq_printf(file, "%s %04x %08x\n", dev_name(card->device), offset,
		   pagepress_read(card, offset));
}

/*
 * Of all queue pairs, also those that this machine has no use for. A card that has gone claims too
 * many.
 */
static void show_queue_registers(struct seq_file *file, struct pagepress_card *card, u32 offset)
{
	u32 capabilities = pagepress_read(card, PAGEPRESS_REGISTER_CAPABILITIES);
	u32 pairs = (capabilities & PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) >>
		    PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT;
	u32 pair;

	for (pair = 0; pair < min(pairs, PAGEPRESS_MAX_QUEUE_PAIRS); pair++)
		show_register(file, card, offset + pair * PAGEPRESS_QUEUE_STRIDE);
}

static void show_registers(struct pagepress_card *card, void *file)
{
	unsigned int index;
	u32 offset;

	if (!may_be_asked(card))
		return;
	for (index = 0; index < ARRAY_SIZE(offsets); index++) {
		if (offsets[index] < PAGEPRESS_QUEUE_BASE)
			show_register(file, card, offsets[index]);
		else if (offsets[index] < PAGEPRESS_DOORBELL_BASE)
			show_queue_registers(file, card, offsets[index]);
	}
	for (index = 0; index < PAGEPRESS_COUNTER_COUNT; index++) {
		offset = PAGEPRESS_COUNTER_BASE + index * sizeof(u64);
		show_register(file, card, offset);
		show_register(file, card, offset + sizeof(u32));
	}
}

/* For `pagepressctl regs`: a kernel with STRICT_DEVMEM lets no program map what a driver has. */
static int registers_show(struct seq_file *file, void *unused)
{
	pagepress_engines_each(show_registers, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

/* Without debugfs, or without memory for it, there is nothing to see; that is all. */
void pagepress_debugfs_init(void)
{
	folder = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("latency", 0400, folder, NULL, &pagepress_latency_fops);
	debugfs_create_file("queues", 0400, folder, NULL, &queues_fops);
	debugfs_create_file("registers", 0400, folder, NULL, &registers_fops);
}

void pagepress_debugfs_exit(void)
{
	debugfs_remove_recursive(folder);
}
