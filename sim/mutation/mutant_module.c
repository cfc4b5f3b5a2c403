// SPDX-License-Identifier: Apache-2.0
/* Which mutant runs in the kernel module; the kernel's log says which are reached. */
#include <linux/module.h>

#include "mutant.h"

unsigned int pagepress_mutant;
unsigned char pagepress_mutants_reached[1 << 16];
module_param_named(mutant, pagepress_mutant, uint, 0444);

void pagepress_mutant_reached(unsigned int number)
{
	pagepress_mutants_reached[number] = 1;
	if (!pagepress_mutant)
		printk(KERN_WARNING "mutant %u reached\n", number);
}
