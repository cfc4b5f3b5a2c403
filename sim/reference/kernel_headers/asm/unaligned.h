/* SPDX-License-Identifier: Apache-2.0 */
/* Unaligned little-endian access through packed structures, as compilers turn into plain loads. */
#ifndef REFERENCE_ASM_UNALIGNED_H
#define REFERENCE_ASM_UNALIGNED_H

#include <linux/kernel.h>

#define REFERENCE_PACKED(pointer) \
	((struct { __typeof__(*(pointer)) value; } __attribute__((packed, may_alias)) *)(pointer))

#define get_unaligned(pointer) (REFERENCE_PACKED(pointer)->value)
#define put_unaligned(number, pointer) ((void)(REFERENCE_PACKED(pointer)->value = (number)))
#define get_unaligned_le16(pointer) get_unaligned((const u16 *)(pointer))
#define get_unaligned_le32(pointer) get_unaligned((const u32 *)(pointer))
#define put_unaligned_le32(number, pointer) put_unaligned((u32)(number), (u32 *)(pointer))

#endif
