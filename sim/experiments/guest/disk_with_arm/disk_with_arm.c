// SPDX-License-Identifier: GPL-2.0-only
/*
 * A disk with one arm: /dev/arm is the device it is given, at the pace of a disk that does one thing
 * at a time. What comes while it works waits in an elevator: next is what lies behind the arm,
 * nearest first, and from the end of the disk the arm goes back to the lowest. A bio takes a seek
 * unless it begins where the last one ended, and its bytes at a rate. Bios of one direction that follow
 * one another without a seek are one access: what comes above is cut into bios for reasons of memory.
 *
 * Pages are swapped to it: its thread exists from the start, and it asks for no memory.
 */
#include <linux/blkdev.h>
#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/version.h>
#include <linux/wait.h>

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "the device that is made slow, by its path");
static unsigned int seek_us;
module_param(seek_us, uint, 0444);
MODULE_PARM_DESC(seek_us, "to another place, microseconds");
static unsigned long bytes_a_second = 20000000;
module_param(bytes_a_second, ulong, 0444);
MODULE_PARM_DESC(bytes_a_second, "once it is there");
static unsigned long read_accesses, write_accesses;	/* written, as busy_us, by the thread alone */
module_param(read_accesses, ulong, 0444);
MODULE_PARM_DESC(read_accesses, "so far");
module_param(write_accesses, ulong, 0444);
MODULE_PARM_DESC(write_accesses, "so far");
static unsigned long busy_us;
module_param(busy_us, ulong, 0444);
MODULE_PARM_DESC(busy_us, "that seeks and bytes took so far, without what the device below took, microseconds");

static struct block_device *lower;
static struct gendisk *arm;
static struct task_struct *thread;
static int major;

static DEFINE_SPINLOCK(lock);			/* the list */
static struct bio *waiting;			/* by sector, by bi_next */
static DECLARE_WAIT_QUEUE_HEAD(come);
static DECLARE_COMPLETION(gone);

/* ---- the elevator ---- */

static void submit(struct bio *bio)
{
	struct bio **place;
	unsigned long flags;

	if (!bio_has_data(bio) || bio_op(bio) == REQ_OP_DISCARD) { /* takes no time */
		bio_set_dev(bio, lower);
		submit_bio_noacct(bio);
		return;
	}
	spin_lock_irqsave(&lock, flags);
	place = &waiting;
	while (*place && (*place)->bi_iter.bi_sector <= bio->bi_iter.bi_sector)
		place = &(*place)->bi_next;
	bio->bi_next = *place;
	*place = bio;
	spin_unlock_irqrestore(&lock, flags);
	wake_up(&come);
}

/* What the arm, at `sector`, comes to first; NULL: nothing waits. */
static struct bio *take(sector_t sector)
{
	struct bio **place, *bio;

	spin_lock_irq(&lock);
	place = &waiting;
	while (*place && (*place)->bi_iter.bi_sector < sector)
		place = &(*place)->bi_next;
	if (!*place)
		place = &waiting;
	bio = *place;
	if (bio) {
		*place = bio->bi_next;
		bio->bi_next = NULL;
	}
	spin_unlock_irq(&lock);
	return bio;
}

/* ---- the arm ---- */

static void rest(u64 nanoseconds)
{
	ktime_t time = ns_to_ktime(nanoseconds);

	if (!nanoseconds)
		return;
	set_current_state(TASK_UNINTERRUPTIBLE);
	schedule_hrtimeout(&time, HRTIMER_MODE_REL);
}

static void count(const struct bio *bio, bool elsewhere)
{
	static int direction = -1; /* of the bio before */

	if (elsewhere || bio_data_dir(bio) != direction) {
		if (bio_data_dir(bio) == WRITE)
			write_accesses++;
		else
			read_accesses++;
	}
	direction = bio_data_dir(bio);
}

/* Of the one bio that is under way. */
static bio_end_io_t *end_io;
static void *private;

static void ended(struct bio *bio)
{
	bio->bi_end_io = end_io;
	bio->bi_private = private;
	complete(&gone);
	/* What bio_endio() does besides has been done. */
	bio->bi_end_io(bio);
}

static int work(void *unused)
{
	sector_t sector = 0;
	struct bio *bio;
	bool elsewhere;
	u64 takes;

	memalloc_noio_save();
	while (!kthread_should_stop()) {
		wait_event_idle(come, (bio = take(sector)) || kthread_should_stop());
		if (!bio)
			continue;
		elsewhere = bio->bi_iter.bi_sector != sector;
		count(bio, elsewhere);
		takes = (elsewhere ? (u64)seek_us * NSEC_PER_USEC : 0) +
			div64_ul((u64)bio->bi_iter.bi_size * NSEC_PER_SEC, bytes_a_second);
		busy_us += div_u64(takes, NSEC_PER_USEC);
		rest(takes);
		sector = bio_end_sector(bio);
		end_io = bio->bi_end_io;
		private = bio->bi_private;
		bio->bi_end_io = ended;
		bio_set_dev(bio, lower);
		reinit_completion(&gone);
		submit_bio_noacct(bio);
		wait_for_completion(&gone);
	}
	return 0;
}

static const struct block_device_operations operations = {
	.owner = THIS_MODULE,
	.submit_bio = submit,
};

/* ---- coming and going ---- */

/* Where kernels differ. By number: this module runs on those of the experiments alone. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
static struct file *lower_file; /* its owner */

static int open_lower(void)
{
	lower_file = bdev_file_open_by_path(device, BLK_OPEN_READ | BLK_OPEN_WRITE, &lock, NULL);
	if (IS_ERR(lower_file))
		return PTR_ERR(lower_file);
	lower = file_bdev(lower_file);
	return 0;
}

static void close_lower(void)
{
	bdev_fput(lower_file);
}

static struct gendisk *allocate(void)
{
	struct queue_limits limits = {
		.features = BLK_FEAT_ROTATIONAL,
		.logical_block_size = bdev_logical_block_size(lower),
		.max_hw_discard_sectors = bdev_max_discard_sectors(lower),
		.discard_granularity = bdev_discard_granularity(lower),
	};

	return blk_alloc_disk(&limits, NUMA_NO_NODE);
}
#else
static int open_lower(void)
{
	lower = blkdev_get_by_path(device, FMODE_READ | FMODE_WRITE | FMODE_EXCL, &lock);
	return PTR_ERR_OR_ZERO(lower);
}

static void close_lower(void)
{
	blkdev_put(lower, FMODE_READ | FMODE_WRITE | FMODE_EXCL);
}

static struct gendisk *allocate(void)
{
	struct gendisk *made = blk_alloc_disk(NUMA_NO_NODE);

	if (!made)
		return ERR_PTR(-ENOMEM);
	blk_queue_logical_block_size(made->queue, bdev_logical_block_size(lower));
	blk_queue_max_discard_sectors(made->queue, bdev_max_discard_sectors(lower));
	made->queue->limits.discard_granularity = bdev_discard_granularity(lower);
	return made;
}
#endif

static int make_disk(void)
{
	arm = allocate();
	if (IS_ERR(arm))
		return PTR_ERR(arm);
	strscpy(arm->disk_name, "arm", DISK_NAME_LEN);
	arm->fops = &operations;
	arm->major = major;
	arm->first_minor = 0;
	arm->minors = 1;
	arm->flags |= GENHD_FL_NO_PART;
	set_capacity(arm, bdev_nr_sectors(lower));
	return 0;
}

static int __init start(void)
{
	int error;

	if (!device || !bytes_a_second) {
		pr_err("disk_with_arm: name a device, and bytes a second that are not 0\n");
		return -EINVAL;
	}
	error = open_lower();
	if (error) {
		pr_err("disk_with_arm: %s is no block device that nobody uses\n", device);
		return error;
	}
	major = register_blkdev(0, "arm");
	error = major;
	if (major < 0)
		goto put_lower;
	error = make_disk();
	if (error)
		goto unregister;
	thread = kthread_run(work, NULL, "arm");
	error = PTR_ERR_OR_ZERO(thread);
	if (error)
		goto put_disk;
	error = add_disk(arm);
	if (!error)
		return 0;
	kthread_stop(thread);
put_disk:
	put_disk(arm);
unregister:
	unregister_blkdev(major, "arm");
put_lower:
	close_lower();
	return error;
}

static void __exit end(void)
{
	del_gendisk(arm);
	kthread_stop(thread);
	put_disk(arm);
	unregister_blkdev(major, "arm");
	close_lower();
}

module_init(start);
module_exit(end);
MODULE_DESCRIPTION("A disk that does one thing at a time, for experiments");
MODULE_LICENSE("GPL");
