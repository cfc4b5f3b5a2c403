# SPDX-License-Identifier: Apache-2.0
"""The interface as a page to read."""

from .model import GENERATED_BY


def emit(interface):
    lines = ["<!-- SPDX-License-Identifier: Apache-2.0 -->",
             f"<!-- Made by {GENERATED_BY}. Do not edit: change the TOML files there and run it again. -->",
             f"# Pagepress hardware interface {interface.version_text}", "",
             f"Hash `{interface.hash:016x}`. Everything is little-endian; registers are 32-bit words in BAR0.", ""]
    for title, numbers in (("Identity and limits", interface.constants), ("Opcodes", interface.opcodes),
                           ("Formats", interface.formats), ("Submission flags", interface.flags),
                           ("Fatal causes", interface.fatal_causes)):
        lines.extend([f"## {title}", "", "| name | value | meaning |", "|---|---|---|"])
        lines.extend(f"| {number.name} | 0x{number.value:x} | {number.description} |" for number in numbers)
        lines.append("")
    lines.extend(["## Statuses", "", "| name | value | kind | meaning |", "|---|---|---|---|"])
    lines.extend(f"| {s.name} | {s.value} | {s.kind} | {s.description} |" for s in interface.statuses)
    lines.append("")
    for block in interface.blocks:
        lines.extend(_block(block))
    lines.extend(["## Counters", "", "64-bit, low word first. Read high, low, high again until both highs agree.", "",
                  "| name | offset | unit | meaning |", "|---|---|---|---|"])
    lines.extend(f"| {c.name} | 0x{interface.counter_base + 8 * c.value:x} | {c.unit} | {c.description} |"
                 for c in interface.counters)
    lines.append("")
    for descriptor in interface.descriptors:
        lines.extend([f"## {descriptor.name} ({descriptor.bytes} bytes)", "", f"{descriptor.description}.", "",
                      "| offset | bits | field | meaning |", "|---|---|---|---|"])
        lines.extend(f"| {f.offset} | {f.bits} | {f.name} | {f.description} |" for f in descriptor.fields)
        lines.append("")
    return "\n".join(lines)


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
