// SPDX-License-Identifier: GPL-2.0-only
/*
 * fail_calls.ko: makes a kernel function fail, or wait, when one module calls it. For kernels without failslab and function error
 * injection, as Debian's cloud flavour is; x86-64 only.
 *
 * insmod fail_calls.ko function=zs_malloc value=-12 from=0xffffffffc0200000 bytes=65536 [one_in=3]
 * With delay_us=N the function takes that much longer instead. With hold=N count=N its next N calls wait, before they begin: the first
 * until less than N is written to parameters/count, the last until 0 is. Their tasks stay running, so they keep their plugs, and must
 * not hold a spinlock.
 * from and bytes are the calling module's text (third and second word of its line in /proc/modules). Write how often the
 * function shall still fail to parameters/count; parameters/struck counts.
 */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/module.h>
#include <linux/sched.h>

static char *function = "zs_malloc";
static long value;
static unsigned long from, bytes;
static unsigned int one_in = 1;
static unsigned int delay_us;
static unsigned int hold;
static int count;
static int struck;
static atomic_t calls;

module_param(function, charp, 0444);
module_param(value, long, 0444);
module_param(from, ulong, 0444);
module_param(bytes, ulong, 0444);
module_param(one_in, uint, 0644);
module_param(delay_us, uint, 0444);
module_param(hold, uint, 0444);
module_param(count, int, 0644);
module_param(struck, int, 0444);

/* Where the probed function goes on instead: straight back to its caller. */
void fail_calls_return(void);
asm(".text\n"
    ".type fail_calls_return, @function\n"
    "fail_calls_return:\n"
    ASM_RET
    ".size fail_calls_return, . - fail_calls_return\n");

static struct kprobe probe;
static atomic_t holding, waiting;

/* In place of the function, with what it was called with: integers and pointers, six at most. */
static unsigned long wait_first(unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e,
				unsigned long f)
{
	unsigned long (*held)(unsigned long a, unsigned long b, unsigned long c, unsigned long d, unsigned long e,
			      unsigned long f) = (void *)probe.addr;
	int until = hold - atomic_inc_return(&waiting);
	unsigned long result;

	while (READ_ONCE(count) > until)
		cond_resched();
	result = held(a, b, c, d, e, f);
	barrier(); /* no jump there: it would be called by the module once more, and held as its next call */
	return result;
}

/* Runs at the first instruction: the return address is on top of the stack. */
static int fail(struct kprobe *probe, struct pt_regs *registers)
{
	unsigned long caller = *(unsigned long *)registers->sp;

	if (READ_ONCE(count) <= 0 || caller < from || caller >= from + bytes)
		return 0;
	if ((unsigned int)atomic_inc_return(&calls) % one_in)
		return 0;
	if (hold) {
		if (atomic_inc_return(&holding) > hold)
			return 0;
		struck++;
		registers->ip = (unsigned long)wait_first;
		return 1;
	}
	count--;
	struck++;
	if (delay_us) {
		udelay(delay_us);
		return 0;
	}
	registers->ax = value;
	registers->ip = (unsigned long)fail_calls_return;
	return 1;
}
NOKPROBE_SYMBOL(fail);

/* Only its presence counts: the probe is then never replaced by a jump, which could not go elsewhere. */
static void after(struct kprobe *probe, struct pt_regs *registers, unsigned long flags)
{
}
NOKPROBE_SYMBOL(after);

static struct kprobe probe = { .pre_handler = fail, .post_handler = after };

static int __init fail_calls_init(void)
{
	if (!from || !bytes || !one_in)
		return -EINVAL;
	probe.symbol_name = function;
	return register_kprobe(&probe);
}

static void __exit fail_calls_exit(void)
{
	unregister_kprobe(&probe);
}

module_init(fail_calls_init);
module_exit(fail_calls_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Makes a kernel function fail or wait when one module calls it");
