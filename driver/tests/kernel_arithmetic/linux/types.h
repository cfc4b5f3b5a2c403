/* SPDX-License-Identifier: GPL-2.0-only */
/* What the arithmetic of policy/ takes from the kernel, for a program. */
#ifndef KERNEL_ARITHMETIC_H
#define KERNEL_ARITHMETIC_H

#include <stdbool.h>

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long s64;
typedef struct { int counter; } atomic_t;

#define div_u64(dividend, divisor) ((u64)(dividend) / (u32)(divisor))
#define div64_u64(dividend, divisor) ((u64)(dividend) / (u64)(divisor))
#define min(left, right) ((left) < (right) ? (left) : (right))
#define max(left, right) ((left) > (right) ? (left) : (right))
#define min_t(type, left, right) min((type)(left), (type)(right))
#define max_t(type, left, right) max((type)(left), (type)(right))

#endif
