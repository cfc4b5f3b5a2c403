# SPDX-License-Identifier: Apache-2.0
"""C header for the kernel, firmware and C++: little-endian members, masks, no bit-fields, sizes and offsets asserted."""

from .model import GENERATED_BY
from .names import constants, literal, upper

HEAD = """\
/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* Made by {command}. Do not edit: change the TOML files there and run it again. */
#ifndef {guard}
#define {guard}

/*
 * Members are little-endian in memory. In the kernel they are __le types, so that sparse sees a missing
 * conversion; elsewhere the header wants a little-endian machine and says so.
 */
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#define PAGEPRESS_U8	__u8
#define PAGEPRESS_LE16	__le16
#define PAGEPRESS_LE32	__le32
#define PAGEPRESS_LE64	__le64
#else
#include <stddef.h>
#include <stdint.h>
/* As C11's <assert.h> has it, which programs without a libc lack. */
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pagepress_interface.h outside the kernel needs a little-endian machine"
#endif
#define PAGEPRESS_U8	uint8_t
#define PAGEPRESS_LE16	uint16_t
#define PAGEPRESS_LE32	uint32_t
#define PAGEPRESS_LE64	uint64_t
#endif
"""

TYPES = {8: "PAGEPRESS_U8", 16: "PAGEPRESS_LE16", 32: "PAGEPRESS_LE32", 64: "PAGEPRESS_LE64"}


def emit(interface):
    lines = [HEAD.format(command=GENERATED_BY, guard=interface.guard)]
    section = None
    for where, name, value, description in constants(interface):
        if where != section:
            lines.append(f"\n/* {where} */")
            section = where
        lines.append(f"#define PAGEPRESS_{name}\t{literal(name, value)}u\t/* {description} */")
    if interface.statuses:
        lines.extend(_tables(interface))
    for title, prefix, numbers in interface.groups:
        lines.append(f"\n/* {title}: X(NAME, number) */")
        entries = " \\\n".join(f"\tX({number.name}, {literal(prefix, number.value)})" for number in numbers)
        lines.append(f"#define PAGEPRESS_{prefix}_TABLE(X) \\\n{entries}")
    for descriptor in interface.descriptors:
        lines.extend(_struct(descriptor))
    lines.append(f"\n#endif /* {interface.guard} */\n")
    return "\n".join(lines)


def _tables(interface):
    """Statuses, counters and registers as lists for the preprocessor."""
    lines = ["\n/* Status name and kind for messages: X(NAME, number, kind) */"]
    entries = " \\\n".join(f"\tX({status.name}, {status.value}, {status.kind.upper()})" for status in interface.statuses)
    lines.append(f"#define PAGEPRESS_STATUSES(X) \\\n{entries}")
    lines.append("\n/* Counter names in index order: X(NAME, index, name) */")
    entries = " \\\n".join(f"\tX({counter.name}, {counter.value}, {counter.name.lower()})" for counter in interface.counters)
    lines.append(f"#define PAGEPRESS_COUNTERS(X) \\\n{entries}")
    lines.append("\n/* Fatal causes for messages: X(NAME, number) */")
    entries = " \\\n".join(f"\tX({cause.name}, {cause.value})" for cause in interface.fatal_causes)
    lines.append(f"#define PAGEPRESS_FATAL_CAUSES(X) \\\n{entries}")
    registers = [(block, register) for block in interface.blocks for register in block.registers]
    lines.append("\n/* Registers in the order of their addresses: X(BLOCK, NAME, access) */")
    entries = " \\\n".join(f"\tX({block.name}, {register.name}, {register.access})" for block, register in registers)
    lines.append(f"#define PAGEPRESS_REGISTERS(X) \\\n{entries}")
    lines.append("\n/* Fields of registers, lowest first: X(REGISTER, FIELD) */")
    entries = " \\\n".join(f"\tX({register.name}, {field.name})" for _, register in registers for field in register.fields)
    lines.append(f"#define PAGEPRESS_FIELDS(X) \\\n{entries}")
    return lines


def _struct(descriptor):
    name = f"pagepress_{upper(descriptor.name).lower()}"
    lines = [f"\n/* {descriptor.description} */", f"struct {name} {{"]
    for field in descriptor.fields:
        if field.is_reserved or field.bits not in TYPES:
            lines.append(f"\tPAGEPRESS_U8 {field.name}[{field.bits // 8}];")
        else:
            lines.append(f"\t{TYPES[field.bits]} {field.name};\t/* {field.description} */")
    lines.append("};\n")
    lines.append(f"static_assert(sizeof(struct {name}) == PAGEPRESS_{upper(descriptor.name)}_BYTES, \"size of {name}\");")
    for field in descriptor.fields:
        constant = f"PAGEPRESS_{upper(descriptor.name)}_{field.name.upper()}_OFFSET"
        lines.append(f"static_assert(offsetof(struct {name}, {field.name}) == {constant}, \"offset of {field.name}\");")
    return lines
