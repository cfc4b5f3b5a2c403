# SPDX-License-Identifier: Apache-2.0
"""The interface as a page to read."""

from .model import GENERATED_BY, LEAVES


def emit(interface):
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->",
             f"<!-- Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again. -->",
             f"# {interface.title} {interface.version_text}", "",
             f"Hash `{interface.hash:016x}`. Everything is little-endian; registers are 32-bit words{' in BAR0' if not interface.prefix else ''}.", ""]
    for title, numbers in (("Identity and limits", interface.constants), ("Opcodes", interface.opcodes),
                           ("Formats", interface.formats), ("Submission flags", interface.flags),
                           ("Fatal causes", interface.fatal_causes),
                           *((title, numbers) for title, _, numbers in interface.groups)):
        if not numbers:
            continue
        lines.extend([f"## {title}", "", "| name | value | meaning |", "|---|---|---|"])
        lines.extend(f"| {number.name} | 0x{number.value:x} | {number.description} |" for number in numbers)
        lines.append("")
    if interface.statuses:
        lines.extend(_statuses(interface))
    for block in interface.blocks:
        lines.extend(_block(block))
    if interface.counters:
        lines.extend(_counters(interface))
    for descriptor in interface.descriptors:
        lines.extend([f"## {descriptor.name} ({descriptor.bytes} bytes)", "", f"{descriptor.description}.", "",
                      "| offset | bits | field | meaning |", "|---|---|---|---|"])
        lines.extend(f"| {f.offset} | {f.bits} | {f.name} | {f.description} |" for f in descriptor.fields)
        lines.append("")
    if interface.kernel:
        lines.extend(_kernel(interface.kernel))
    return "\n".join(lines)


def _statuses(interface):
    lines = ["## Statuses", "", "| name | value | kind | meaning | produced_length | crc32c | detail |", "|---|---|---|---|---|---|---|"]
    lines.extend(f"| {s.name} | {s.value} | {s.kind} | {s.description} | {' | '.join(s.leaves[name] for name in LEAVES)} |" for s in interface.statuses)
    return lines + ["", "What a completion leaves in the last three, where it is not 0 (a NOP leaves 0): *output*, the bytes of output that are at the "
                    "destination, from its first byte on, or the CRC32C of these; *page*, the plain page's; *stream*, of COMPRESS the stream's "
                    "as it was verified, else 0; *fill*, the 8 bytes that the page repeats; *any* means nothing.", ""]


def _counters(interface):
    lines = ["## Counters", "", "64-bit, low word first. Read high, low, high again until both highs agree.", "",
                  "| name | offset | unit | meaning |", "|---|---|---|---|"]
    lines.extend(f"| {c.name} | 0x{interface.counter_base + 8 * c.value:x} | {c.unit} | {c.description} |"
                 for c in interface.counters)
    return lines + [""]


def _kernel(kernel):
    lines = _block(kernel.block)
    lines[0] = f"## {kernel.name}: control port"
    lines.extend([f"From 0x{kernel.core_window:x} on the core's registers appear, as at the beginning of BAR0.", "",
                  "| argument | offset | bits | kind | meaning |", "|---|---|---|---|---|"])
    lines.extend(f"| {argument.name} | 0x{argument.offset:x} | {argument.bits} | {'buffer' if argument.buffer else 'value'} | "
                 f"{argument.description} |" for argument in kernel.arguments)
    return lines + [""]


def _block(block):
    copies = f", {block.count} copies {block.stride} bytes apart" if block.count > 1 else ""
    lines = [f"## Registers: {block.name}", "", f"{block.description}. Base 0x{block.base:x}{copies}.", "",
             "| offset | register | access | reset | bits | meaning |", "|---|---|---|---|---|---|"]
    for register in block.registers:
        reset = "build" if register.reset is None else f"0x{register.reset:x}"
        lines.append(f"| 0x{register.offset:x} | {register.name} | {register.access} | {reset} | 31..0 | {register.description} |")
        for field in register.fields:
            high = field.low + field.width - 1
            bits = f"{high}..{field.low}" if field.width > 1 else str(field.low)
            lines.append(f"| | {register.name}.{field.name} | | | {bits} | {field.description} |")
    return lines + [""]
