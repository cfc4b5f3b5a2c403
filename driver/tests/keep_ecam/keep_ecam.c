// SPDX-License-Identifier: GPL-2.0-only
/*
 * keep_ecam.ko: does what the guest's firmware leaves undone when it wakes up. Suspend to memory resets QEMU's host bridge, which
 * decodes extended configuration space (from offset 256 on, AER among it) no longer until the firmware has enabled PCIEXBAR again.
 * SeaBIOS does that at boot only: afterwards the kernel's writes there are lost, and it restores no port's AER. A machine's firmware
 * must have done it before the kernel goes on, so this does it before the first device resumes.
 */
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/syscore_ops.h>
#include <linux/version.h>

#define PCIEXBAR	0x60	/* its low half holds the bit that enables it */
#define Q35_HOST_BRIDGE	0x29c0

static struct pci_dev *bridge;
static u32 enabled;

static void enable(void)
{
	pci_write_config_dword(bridge, PCIEXBAR, enabled);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
static void keep_ecam_resume(void)
{
	enable();
}

static struct syscore_ops operations = { .resume = keep_ecam_resume };

#define register_it()	register_syscore_ops(&operations)
#define unregister_it()	unregister_syscore_ops(&operations)
#else
static void keep_ecam_resume(void *data)
{
	enable();
}

static const struct syscore_ops operations = { .resume = keep_ecam_resume };
static struct syscore registered = { .ops = &operations };

#define register_it()	register_syscore(&registered)
#define unregister_it()	unregister_syscore(&registered)
#endif

static int __init keep_ecam_init(void)
{
	bridge = pci_get_device(PCI_VENDOR_ID_INTEL, Q35_HOST_BRIDGE, NULL);
	if (!bridge)
		return -ENODEV;
	pci_read_config_dword(bridge, PCIEXBAR, &enabled);
	register_it();
	return 0;
}

static void __exit keep_ecam_exit(void)
{
	unregister_it();
	pci_dev_put(bridge);
}

module_init(keep_ecam_init);
module_exit(keep_ecam_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Enables extended configuration space again after suspend, in the firmware's stead");
