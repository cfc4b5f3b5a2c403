// SPDX-License-Identifier: GPL-2.0-only
/* Pagepress: swap compressed by a card, or by this CPU when that is better or the only way. */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "acomp/acomp.h"
#include "block/block.h"
#include "card/card.h"
#include "management/management.h"
#include "observe/observe.h"
#include "page/numbers.h"
#include "path/path.h"
#include "store/codec.h"

#define SHORTEST_TIMEOUT_MS 10
#define LONGEST_POLL_US 1000 /* beyond it, sleeping costs nobody anything */
#define LONGEST_FULL_WAIT_US USEC_PER_SEC /* for cards that are simulated: real ones are quicker */

static int disksize_mb = -1; /* none was given */
static unsigned int devices = 1;

module_param(disksize_mb, int, 0444);
MODULE_PARM_DESC(disksize_mb,
		 "size of each disk, MiB; 0: set disksize later; default: twice the RAM");
module_param(devices, uint, 0444);
MODULE_PARM_DESC(devices, "number of disks, 1 to 32 (default 1)");
module_param_named(card, pagepress_card_allowed, bool, 0444);
MODULE_PARM_DESC(card, "N: never touch a card (default Y)");
module_param_named(acomp, pagepress_acomp_wanted, bool, 0444);
MODULE_PARM_DESC(acomp, "Y: cards also serve the crypto API, as its algorithm lzo (default N)");

/* A parameter that is a number. */
struct bounded {
	unsigned int *number;
	struct pagepress_range range;
};

static int set_bounded(const char *value, const struct kernel_param *parameter)
{
	const struct bounded *bounded = parameter->arg;
	u64 number;
	int error = pagepress_parse_number(value, &bounded->range, &number);

	if (!error)
		WRITE_ONCE(*bounded->number, number);
	return error;
}

static int get_bounded(char *buffer, const struct kernel_param *parameter)
{
	const struct bounded *bounded = parameter->arg;

	return sysfs_emit(buffer, "%u\n", READ_ONCE(*bounded->number));
}

static const struct kernel_param_ops bounded_operations = {
	.set = set_bounded,
	.get = get_bounded,
};

#define BOUNDED(name, least, most, mode) \
static const struct bounded name = { &pagepress_##name, { least, most } }; \
module_param_cb(name, &bounded_operations, (void *)&name, mode)

BOUNDED(depth, 1 << PAGEPRESS_MIN_DEPTH_LOG2, 1 << PAGEPRESS_MAX_DEPTH_LOG2, 0444);
MODULE_PARM_DESC(depth, "entries of each ring (default 64)");
BOUNDED(moderation_count, 0, (1 << PAGEPRESS_MODERATION_COUNT_WIDTH) - 1, 0444);
MODULE_PARM_DESC(moderation_count, "completions that raise an interrupt (default 16)");
BOUNDED(moderation_cycles, 0, (1 << PAGEPRESS_MODERATION_CYCLES_WIDTH) - 1, 0444);
MODULE_PARM_DESC(moderation_cycles,
		 "age that raises an interrupt, units of 16 card clock cycles (default 32)");
BOUNDED(full_wait_us, 0, LONGEST_FULL_WAIT_US, 0644);
MODULE_PARM_DESC(full_wait_us,
		 "how long a page waits for room on a full card, microseconds, at most 1000000 (default 0)");
BOUNDED(rejoin_ms, 0, UINT_MAX, 0644);
MODULE_PARM_DESC(rejoin_ms,
		 "how long a failed card rests before it is tried again, milliseconds, doubled at each failure (default 1000)");
BOUNDED(rejoin_limit, 0, UINT_MAX, 0644);
MODULE_PARM_DESC(rejoin_limit, "failures in a row before a card is left in peace (default 5)");
BOUNDED(timeout_ms, SHORTEST_TIMEOUT_MS, UINT_MAX / 1000, 0644);
MODULE_PARM_DESC(timeout_ms,
		 "how long a command may take, milliseconds, at least 10 (default 10000)");

BOUNDED(card_wait_ms, 1, UINT_MAX / 1000, 0644);
MODULE_PARM_DESC(card_wait_ms,
		 "how long a page waits for a card at most before this CPU does it, milliseconds (default 8)");

BOUNDED(poll_us, 0, LONGEST_POLL_US, 0644);
MODULE_PARM_DESC(poll_us,
		 "how long a single-page read polls, microseconds, at most 1000 (default 20)");

/* A parameter that is one of some words. */
struct choice {
	const char *const *words; /* numbered from 0, NULL behind the last */
	unsigned int *number;
};

static int set_choice(const char *value, const struct kernel_param *parameter)
{
	const struct choice *choice = parameter->arg;
	int number = __sysfs_match_string(choice->words, -1, value);

	if (number < 0)
		return number;
	WRITE_ONCE(*choice->number, number);
	return 0;
}

static int get_choice(char *buffer, const struct kernel_param *parameter)
{
	const struct choice *choice = parameter->arg;

	return sysfs_emit(buffer, "%s\n", choice->words[READ_ONCE(*choice->number)]);
}

static const struct kernel_param_ops choice_operations = {
	.set = set_choice,
	.get = get_choice,
};

static const char *const read_paths[] = {
	[PAGEPRESS_READ_CARD] = "card",
	[PAGEPRESS_READ_CPU] = "cpu",
	[PAGEPRESS_READ_AUTO] = "auto",
	NULL,
};
static const struct choice read_path = { read_paths, &pagepress_read_path };

module_param_cb(read_path, &choice_operations, (void *)&read_path, 0644);
MODULE_PARM_DESC(read_path,
		 "card, cpu, or auto: batches by card, single pages by whichever is faster (default auto)");

static const char *const verifications[] = {
	[PAGEPRESS_VERIFY_ALL] = "all",
	[PAGEPRESS_VERIFY_CARD] = "card",
	[PAGEPRESS_VERIFY_SAMPLED] = "sampled",
	[PAGEPRESS_VERIFY_NONE] = "none",
	NULL,
};
static const struct choice verify_streams = { verifications, &pagepress_verify_streams };

module_param_cb(verify_streams, &choice_operations, (void *)&verify_streams, 0644);
MODULE_PARM_DESC(verify_streams,
		 "all, card, sampled or none: which streams of a card are decompressed before their page is let go, card: by the card itself, samples by this CPU; only with all no failure of a card can lose a page (default all)");

/* A task's plug may still be about to call us; and be on its way out of our last line. */
static void await_plugs(void)
{
	pagepress_plugs_exit();
	synchronize_rcu_tasks();
}

static int __init pagepress_init(void)
{
	int error;

	if (!devices || devices > PAGEPRESS_MAX_DISKS) {
		pr_err("devices=%u: must be 1 to %u\n", devices, PAGEPRESS_MAX_DISKS);
		return -EINVAL;
	}
	if (disksize_mb < -1) {
		pr_err("disksize_mb=%d: must be 0 or more\n", disksize_mb);
		return -EINVAL;
	}
	error = pagepress_codec_init();
	if (error)
		return error;
	error = pagepress_io_init();
	if (error)
		goto exit_codec;
	/* Disks before cards: they are there with none, and cards find them. */
	error = pagepress_disks_init(devices, disksize_mb < 0 ?
						      (u64)totalram_pages() << (PAGE_SHIFT + 1) :
						      (u64)disksize_mb << 20,
				     pagepress_disk_groups);
	if (error)
		goto exit_io;
	if (pagepress_card_allowed) {
		pagepress_queue_sysfs_init();
		error = pagepress_card_register(&pagepress_management_follower,
						pagepress_device_groups);
		if (error)
			goto exit_disks;
	}
	error = pagepress_hibernation_init();
	if (error)
		goto unregister_card;
	error = pagepress_acomp_init();
	if (error)
		goto exit_hibernation;
	pagepress_debugfs_init();
	return 0;

exit_hibernation:
	pagepress_hibernation_exit();
unregister_card:
	if (pagepress_card_allowed)
		pagepress_card_unregister();
exit_disks:
	pagepress_disks_exit();
exit_io:
	pagepress_io_exit();
exit_codec:
	pagepress_codec_exit();
	await_plugs();
	return error;
}

static void __exit pagepress_exit(void)
{
	pagepress_debugfs_exit();
	pagepress_acomp_exit();
	pagepress_hibernation_exit();
	if (pagepress_card_allowed)
		pagepress_card_unregister();
	pagepress_disks_exit();
	pagepress_io_exit();
	pagepress_codec_exit();
	await_plugs();
}

module_init(pagepress_init);
module_exit(pagepress_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The Pagepress authors");
MODULE_DESCRIPTION("Swap compressed by a card, or by the CPU");
MODULE_SOFTDEP("pre: crc32c-intel");
