// SPDX-License-Identifier: GPL-2.0-only
/*
 * card_on_chip.ko: makes a PCI card that no driver has a platform device called pagepress, as if it were part of a system on chip:
 * its BAR0 is the registers, and its interrupts are levels, of a controller made up here that masks, raises and remembers them. One
 * for each vector, or with lines=1 one for all. In the kernel's log, taken away again by rmmod.
 *
 * Of the levels one is what hardware would make of it, the card's fatal error, which stays as long as STATUS says so; that of a
 * queue falls when it has been delivered, as nothing but the core's own wire tells how long it would stay.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#include "pagepress_interface.h"

#define MOST_VECTORS 8

static unsigned int lines;
module_param(lines, uint, 0444);
static unsigned int raised; /* how often any line was */
module_param(raised, uint, 0444);

struct line {
	struct irq_work work; /* delivers what was pending when the line was unmasked */
	unsigned int number;
	bool masked, pending;
};

static struct line all[MOST_VECTORS];
static unsigned int line_count;
static int vectors;
static void __iomem *registers;
static struct platform_device *on_chip;

static bool fatal(void)
{
	u32 status = readl(registers + PAGEPRESS_REGISTER_STATUS);

	return status != ~0u && status & PAGEPRESS_STATUS_FATAL_MASK;
}

static void deliver(struct irq_work *work)
{
	struct line *line = container_of(work, struct line, work);

	if (READ_ONCE(line->masked) || !xchg(&line->pending, false))
		return;
	raised++;
	generic_handle_irq(line->number);
}

static irqreturn_t message(int vector, void *context)
{
	struct line *line = context;

	WRITE_ONCE(line->pending, true);
	deliver(&line->work);
	return IRQ_HANDLED;
}

static void mask(struct irq_data *data)
{
	struct line *line = irq_data_get_irq_chip_data(data);

	WRITE_ONCE(line->masked, true);
}

static void unmask(struct irq_data *data)
{
	struct line *line = irq_data_get_irq_chip_data(data);

	WRITE_ONCE(line->masked, false);
	if (line == all && fatal())
		WRITE_ONCE(line->pending, true);
	if (READ_ONCE(line->pending))
		irq_work_queue(&line->work);
}

static struct irq_chip chip = { .name = "card-on-chip", .irq_mask = mask, .irq_unmask = unmask };

static int make_lines(struct pci_dev *device)
{
	int number, first;

	vectors = pci_alloc_irq_vectors(device, 2, min(MOST_VECTORS, 1 + (int)num_possible_cpus()), PCI_IRQ_MSIX);
	if (vectors < 0)
		return vectors;
	line_count = lines == 1 ? 1 : vectors;
	/* Owned by no module: rmmod must be possible while they are in use. */
	first = __irq_alloc_descs(-1, 0, line_count, NUMA_NO_NODE, NULL, NULL);
	if (first < 0)
		return first;
	for (number = 0; number < line_count; number++) {
		struct line *line = &all[number];

		line->number = first + number;
		init_irq_work(&line->work, deliver);
		irq_set_chip_and_handler(line->number, &chip, handle_level_irq);
		irq_set_chip_data(line->number, line);
		irq_modify_status(line->number, IRQ_NOREQUEST | IRQ_NOAUTOEN, IRQ_NOPROBE);
	}
	for (number = 0; number < vectors; number++) {
		int error = request_irq(pci_irq_vector(device, number), message, 0, "card_on_chip", &all[number % line_count]);

		if (error)
			return error;
	}
	return 0;
}

static int show(struct pci_dev *device)
{
	struct resource resources[1 + MOST_VECTORS] = { DEFINE_RES_MEM(pci_resource_start(device, 0), pci_resource_len(device, 0)) };
	struct platform_device_info info = {
		.parent = &device->dev,
		.name = "pagepress",
		.id = PLATFORM_DEVID_NONE,
		.res = resources,
		.num_res = 1 + line_count,
		.dma_mask = DMA_BIT_MASK(32),
	};
	unsigned int number;

	for (number = 0; number < line_count; number++)
		resources[1 + number] = (struct resource)DEFINE_RES_IRQ(all[number].number);
	on_chip = platform_device_register_full(&info);
	return PTR_ERR_OR_ZERO(on_chip);
}

/* What is left behind when something fails: a test that fails. */
static int probe(struct pci_dev *device, const struct pci_device_id *id)
{
	int error = pcim_enable_device(device);

	if (error)
		return error;
	pci_set_master(device);
	registers = ioremap(pci_resource_start(device, 0), PAGE_SIZE);
	if (!registers)
		return -ENOMEM;
	error = make_lines(device);
	return error ? error : show(device);
}

static void remove(struct pci_dev *device)
{
	int number;

	platform_device_unregister(on_chip);
	for (number = 0; number < vectors; number++)
		free_irq(pci_irq_vector(device, number), &all[number % line_count]);
	for (number = 0; number < line_count; number++)
		irq_work_sync(&all[number].work);
	irq_free_descs(all[0].number, line_count);
	pci_free_irq_vectors(device);
	iounmap(registers);
}

static const struct pci_device_id identities[] = { { PCI_DEVICE(PAGEPRESS_PCI_VENDOR_ID, PAGEPRESS_PCI_DEVICE_ID) }, {} };
static struct pci_driver card_on_chip = { .name = "card_on_chip", .id_table = identities, .probe = probe, .remove = remove };
module_pci_driver(card_on_chip);

MODULE_LICENSE("GPL");
