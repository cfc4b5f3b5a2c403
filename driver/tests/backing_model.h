/* SPDX-License-Identifier: GPL-2.0-only */
/* What a model takes from the kernel to hold parts of driver/backing: types that their headers name, and nobody looks into. */
#ifndef BACKING_MODEL_H
#define BACKING_MODEL_H

#include <linux/types.h>

#define PAGEPRESS_COMPAT_H
#define SECTOR_SHIFT 9
#define S64_MAX 0x7fffffffffffffffll
#define atomic64_inc(number) ((number)->counter++)

typedef struct { int none; } wait_queue_head_t;
typedef long atomic_long_t;
typedef int mempool_t;
struct list_head { struct list_head *next, *previous; };
struct hlist_node { void *next; };
struct mutex { int none; };
struct rw_semaphore { int none; };
struct work_struct { int none; };
struct delayed_work { int none; };
struct workqueue_struct { int none; };
struct bvec_iter { u64 bi_sector; };
struct bio_vec { void *page; };
struct bio { struct bvec_iter bi_iter; };
struct block_device { int none; };
struct pagepress_claim { struct block_device *bdev; };

#endif
