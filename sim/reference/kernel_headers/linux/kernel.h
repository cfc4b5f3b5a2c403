/* SPDX-License-Identifier: Apache-2.0 */
/* The few kernel names that lib/lzo uses, for building it as an ordinary shared library. */
#ifndef REFERENCE_LINUX_KERNEL_H
#define REFERENCE_LINUX_KERNEL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

#define likely(condition) __builtin_expect(!!(condition), 1)
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define noinline __attribute__((__noinline__))
#define min(left, right) ((left) < (right) ? (left) : (right))
#define min_t(type, left, right) min((type)(left), (type)(right))
#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)

#endif
