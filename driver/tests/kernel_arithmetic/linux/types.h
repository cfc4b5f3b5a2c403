/* SPDX-License-Identifier: GPL-2.0-only */
/* What policy/, the order of writes and the log take from the kernel, for a program of one thread. */
#ifndef KERNEL_ARITHMETIC_H
#define KERNEL_ARITHMETIC_H

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned char blk_status_t;
typedef struct { int counter; } atomic_t, refcount_t, spinlock_t;
typedef struct { s64 counter; } atomic64_t;
struct hlist_head { void *first; };
struct rcu_head { void *next; };

#define U16_MAX 0xffffu
#define U32_MAX 0xffffffffu
#define S32_MAX 0x7fffffff
#define SZ_64K 0x10000
#define SZ_256K 0x40000
#ifndef PAGE_SHIFT
#define PAGE_SHIFT 12
#endif
#define PAGE_SIZE (1ul << PAGE_SHIFT)
#define PAGE_MASK (~(PAGE_SIZE - 1))
#define NSEC_PER_SEC 1000000000L
#define BIT(number) (1ul << (number))
#define GFP_KERNEL 0
#define GFP_NOWAIT 0
#define __GFP_HIGH 0
#define __GFP_NOWARN 0
#define __GFP_RETRY_MAYFAIL 0
#define __rcu
#define __packed __attribute__((packed))
#define __aligned(bytes) __attribute__((aligned(bytes)))

#define READ_ONCE(place) (place)
#define WRITE_ONCE(place, value) ((place) = (value))
#define WARN_ON(what) assert(!(what))
#define cond_resched() do { } while (0)
#define spin_lock_init(lock) ((void)(lock))
#define spin_lock(lock) assert(!(lock)->counter++)
#define spin_unlock(lock) assert(!--(lock)->counter)
#define atomic64_read(number) ((number)->counter)

#define div_u64(dividend, divisor) ((u64)(dividend) / (u32)(divisor))
#define div64_u64(dividend, divisor) ((u64)(dividend) / (u64)(divisor))
#define DIV_ROUND_UP_ULL(dividend, divisor) (((u64)(dividend) + (divisor) - 1) / (divisor))
#define round_up(number, power) (((number) + (power) - 1) & ~((power) - 1))
#define round_down(number, power) ((number) & ~((power) - 1))
#define min(left, right) ((left) < (right) ? (left) : (right))
#define max(left, right) ((left) > (right) ? (left) : (right))
#define min_t(type, left, right) min((type)(left), (type)(right))
#define max_t(type, left, right) max((type)(left), (type)(right))

#define struct_size(pointer, member, count) (sizeof(*(pointer)) + (count) * sizeof(*(pointer)->member))
#define kvcalloc(count, bytes, flags) calloc(count, bytes)
#define kvzalloc(bytes, flags) calloc(1, bytes)
#define kvfree free

static inline u32 roundup_pow_of_two(u32 number)
{
	u32 power = 1;

	while (power < number)
		power *= 2;
	return power;
}

/* Of whoever includes this: pages, and whether there is memory for one. */
unsigned long __get_free_page(int flags);
void free_page(unsigned long page);
void zs_free(void *pool, unsigned long handle);

#endif
